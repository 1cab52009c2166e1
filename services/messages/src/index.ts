export { MESSAGES_SERVICE } from './messages.definition.js';
