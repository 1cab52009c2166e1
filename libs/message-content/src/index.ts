export { headLength, readContentHead, readRequestContent, writeRequestContent } from './request-content.js';
export type { AllFields, RecipientContent, RequestContent, StoredFile, Values } from './request-content.js';
export { isRaw, rawBytes } from './request-content.js';
export type { StoredContent } from './request-content.js';
export { messageContentOf, oneLine, RenderFailed, fairShareOf } from './recipient-content.js';
export type { MessageRecipient, PartsRenderer } from './recipient-content.js';
export { MessageContentModule, MessageRenderer } from './message-content.module.js';
export { hasCommonBody, isSharedMessage, RecipientMessages } from './recipient-messages.js';
export type { MessageFacts } from './recipient-messages.js';
