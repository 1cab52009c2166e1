export * from './events/delivery-attempted.v1.js';
export * from './events/egress-addresses-changed.v1.js';
export * from './events/mail-slowed.v1.js';
export * from './internal/account-waits.js';
export * from './internal/deliveries.js';
export * from './internal/egress-addresses.js';
export * from './internal/mail-hosts.js';
export * from './internal/tls-sessions.js';
