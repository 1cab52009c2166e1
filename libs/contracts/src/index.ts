export * from './ids.js';
export * from './failure.js';
export * from './event/streams.js';
export * from './event/define-event.js';
