import type { Metrics } from '@postmesh/observability';

/** What runs in a thread. */
export interface ThreadPart {
  facts: Record<string, string | number>;
  metrics: Metrics;
  ready(): Promise<boolean>;
  stop(): Promise<void>;
}
