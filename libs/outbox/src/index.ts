export type { AfterCommit, ConsumerEntry } from './consumption/batch-entries.js';
export { EventConsumption } from './consumption/event-consumption.js';
export type { ConsumptionObserver } from './consumption/event-consumption.js';
export { listDeadLetters, pruneDeadLetters } from './dead-letters.js';
export type { DeadLetter } from './dead-letters.js';
export { Inbox } from './inbox.js';
export { appendLeftovers, attachOutbox, logSink, Outbox } from './outbox.js';
export { OUTBOX_MIGRATIONS } from './outbox.migrations.js';
export { OutboxRelay } from './relay.js';
