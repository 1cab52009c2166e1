export { Inbox } from './inbox.js';
export { Outbox } from './outbox.js';
export { OUTBOX_MIGRATIONS } from './outbox.migrations.js';
export { OutboxRelay } from './relay.js';
export type { RelayOptions } from './relay.js';
