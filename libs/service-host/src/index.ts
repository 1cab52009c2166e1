export { ApiCall, Call, CallerSignal, forgetResult, type Remember } from './http/api-call.js';
export { body, optionalBody, parseJsonBody, query, uuidParam } from './http/input.pipes.js';
export {
  bodyRooms,
  LARGE_FROM_BYTES,
  readStart,
  toPaceError,
  toRoomError,
  uploadPace,
} from './http/body-rooms.js';
export type { BodyRooms } from './http/body-rooms.js';
export type { UploadPace } from './http/upload-pace.js';
export { readRecentChanges } from './http/recent-changes.js';
export { MAX_HEAD_BYTES, toApiError } from './http/responses.js';
export { Internal, Operation, OperatorName } from './http/operation.decorator.js';
export { Consumes, EventContext } from './events/consumes.decorator.js';
export { EventTransport } from './events/event-transport.js';
export type { AfterCommit } from '@postmesh/events';
export { Drain, stopTimes } from './drain.js';
export { createHostContext, databaseUrlOf } from './host-context.js';
export { migrateServices } from './migrate-services.js';
export { runService, stopOnSignal } from './run-service.js';
export { startService } from './start-service.js';
export type { HostContext, RunningService, ServiceDefinition } from './service-definition.js';
export { rehash } from './secret-rotation/rehash.js';
export { BLOB_STORE, BODY_ROOMS, EVENT_BUS, LOGGER, SETTINGS, TRACER } from './tokens.js';
export { Idempotency } from './idempotency/idempotency.js';
export { idempotencyKeyOf } from './idempotency/idempotency.rules.js';
export type { EndedRun } from './idempotency/stored-responses.js';
