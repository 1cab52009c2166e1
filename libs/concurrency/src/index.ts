export { Signal } from './signal.js';
export { endsWithin, pause, TimeoutError, withTimeout } from './timeout.js';
export { backoffMs } from './backoff.js';
export type { Backoff } from './backoff.js';
export { Permits } from './permits.js';
export { SingleFlight } from './single-flight.js';
export { DebouncedTask } from './debounced-task.js';
