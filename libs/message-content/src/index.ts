export { readRequestContent, writeRequestContent } from './request-content.js';
export type { RecipientContent, RequestContent, Values } from './request-content.js';
export { messageContentOf, messageContentsOf, RenderFailed } from './recipient-content.js';
export type { MessageRecipient, PartsRenderer } from './recipient-content.js';
