export * from './domain-directory.js';
export * from './events/domain-changed.v1.js';
export * from './events/domain-dns-failed.v1.js';
export * from './internal/domains.js';
export * from './internal/doctor.js';
