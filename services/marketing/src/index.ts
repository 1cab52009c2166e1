export { MARKETING_SERVICE } from './marketing.definition.js';
