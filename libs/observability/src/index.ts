export { createLogger, maskAddress } from './logger.js';
export type { Logger } from './logger.js';
export { Metrics, renderTogether, snapshotMetrics } from './metrics.js';
export type { MetricsSnapshot } from './metrics.js';
