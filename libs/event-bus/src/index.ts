export * from './event-bus.port.js';
export { toEventText } from './event-text.js';
export { createEmbeddedBus } from './embedded/embedded-bus.js';
export type { EmbeddedBusOptions } from './embedded/embedded-bus.js';
export { createKafkaBus } from './kafka/kafka-bus.js';
export type { KafkaBusOptions } from './kafka/kafka-bus.js';
