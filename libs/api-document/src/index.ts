export { buildApiDocument } from './build-api-document.js';
export { readApiDocument } from './open-api.js';
