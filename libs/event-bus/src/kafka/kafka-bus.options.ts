import type { BusLogger } from '../bus-logger.js';

export interface KafkaBusOptions {
  /** `host:port` of the first brokers to ask */
  brokers: readonly string[];
  /** Shown in the brokers' logs and quotas, e.g. the service's name. */
  clientId: string;
  logger?: BusLogger;
  /** Put before every topic and group name, so that two installations can share one cluster; default none. */
  prefix?: string;
  /** Copies of every partition in topics that this driver makes; default: the cluster's own default. */
  replicationFactor?: number;
  /** A member silent for so long loses its partitions; default 10,000 ms (brokers accept 6,000 and more). */
  sessionTimeoutMs?: number;
  /** `true` for TLS with the system's roots. */
  ssl?: boolean;
  sasl?: { mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512'; username: string; password: string };
}
