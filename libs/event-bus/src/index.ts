export * from './bus-logger.js';
export * from './dead-letter.js';
export * from './event-bus.port.js';
export type { EmbeddedBusOptions } from './embedded/embedded-bus.options.js';
export type { KafkaBusOptions } from './kafka/kafka-bus.options.js';
