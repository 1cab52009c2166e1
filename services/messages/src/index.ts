export { OtherSenders } from './accept/other-senders.js';
export { MESSAGES_SERVICE } from './messages.definition.js';
