export { observeEventLoop } from './event-loop.js';
export { createLogger, maskAddress } from './logger.js';
export type { Logger } from './logger.js';
export { LONG_SECONDS, Metrics, renderTogether, snapshotMetrics } from './metrics.js';
export type { MetricsSnapshot } from './metrics.js';
export { TopAccounts } from './top-accounts.js';
export { NO_TRACING, startTracing, traced } from './tracing.js';
export type { Span, Tracer, Tracing } from './tracing.js';
