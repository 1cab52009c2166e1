export { ApiCall, Call } from './http/api-call.js';
export { sendError, toApiError } from './http/error.filter.js';
export { Internal, Operation } from './http/operation.decorator.js';
export { databaseUrlOf } from './database-url.js';
export { createHostContext } from './host-context.js';
export { runService, stopOnSignal } from './run-service.js';
export { pingDatabase, startService } from './start-service.js';
export type { HostContext, RunningService, ServiceDefinition } from './service-definition.js';
export { BLOB_STORE, EVENT_BUS, JOBS, LOGGER, SETTINGS } from './tokens.js';
