import type { BusLogger } from '../bus-logger.js';

export interface EmbeddedBusOptions {
  /** Address of a PostgreSQL database; its role may create the schema `bus`. A direct connection: LISTEN passes no pooler. */
  url: string;
  logger?: BusLogger;
  /** Shown in `pg_stat_activity`; default `postmesh-bus`. */
  name?: string;
  /** Most connections for publishing, and again for consuming; default 4. One more listens. */
  connections?: number;
  /** A member whose process lives but which was silent for so long loses its partitions; default 10,000 ms. */
  leaseMs?: number;
  /** How long events stay after every group has handled them; default one hour. */
  keepMs?: number;
}
