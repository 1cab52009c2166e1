/** Injection tokens of values without a class. */
/** makes the spans of this service (`Tracer`) */
export const TRACER = Symbol('Tracer');
export const SETTINGS = Symbol('Settings');
export const LOGGER = Symbol('Logger');
export const BLOB_STORE = Symbol('BlobStore');
export const EVENT_BUS = Symbol('EventBus');
export const BODY_ROOMS = Symbol('BodyRooms');
