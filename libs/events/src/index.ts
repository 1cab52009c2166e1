import type { EventBus } from './event-bus.port.js';
import type { KafkaBusOptions } from './kafka/kafka-client.js';

export * from './event-bus.port.js';
export { createEmbeddedBus } from './embedded/embedded-bus.js';
export { isRefused } from './kafka/final-failure.js';
export type { KafkaBusOptions, KafkaLogin } from './kafka/kafka-client.js';
export type { AfterCommit, ConsumerEntry } from './consumption/batch-entries.js';
export { CrashWatch, pruneCrashNotes } from './consumption/crash-watch.js';
export { EventConsumption } from './consumption/event-consumption.js';
export type { ConsumptionObserver } from './consumption/event-consumption.js';
export { listDeadLetters, pruneDeadLetters } from './dead-letters.js';
export { Inbox } from './inbox.js';
export { trimLog } from './log/trim-log.js';
export { LostStreams } from './lost-streams.js';
export { appendLeftovers, appendOldOutbox, attachOutbox, logSink, Outbox, unpublished } from './outbox.js';
export { OUTBOX_MIGRATIONS } from './outbox.migrations.js';
export { OutboxRelay } from './relay.js';

/**
 * An event bus on Kafka.
 * @throws Transient when no broker answers
 */
export async function createKafkaBus(options: KafkaBusOptions): Promise<EventBus> {
  // its client is large: only who needs it loads it
  const kafka = await import('./kafka/kafka-bus.js');
  return kafka.createKafkaBus(options);
}
