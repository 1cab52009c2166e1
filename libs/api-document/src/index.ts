export { buildApiDocument } from './build-api-document.js';
export { readApiDocument } from './committed-document.js';
export type { ApiDocument, ApiOperation, JsonSchema, Parameter, Reference, Response } from './open-api.js';
