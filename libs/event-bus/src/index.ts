import type { EventBus } from './event-bus.port.js';
import type { KafkaBusOptions } from './kafka/kafka-client.js';

export * from './event-bus.port.js';
export { toEventText } from './event-text.js';
export { createEmbeddedBus } from './embedded/embedded-bus.js';
export type { EmbeddedBusOptions } from './embedded/embedded-bus.js';
export { isRefused } from './kafka/final-failure.js';
export type { KafkaBusOptions, KafkaLogin } from './kafka/kafka-client.js';

/**
 * An event bus on Kafka.
 * @throws Transient when no broker answers
 */
export async function createKafkaBus(options: KafkaBusOptions): Promise<EventBus> {
  // its client is large: only who needs it loads it
  const kafka = await import('./kafka/kafka-bus.js');
  return kafka.createKafkaBus(options);
}
