import type { BackendFactory, IQueueBackend } from 'bullmq';

/** What differs between Redis and PostgreSQL. */
export interface JobBackend {
  /** builds BullMQ's queues and workers on connections that they share */
  readonly factory: BackendFactory<IQueueBackend, object>;
  /** how long an idle worker sleeps when nothing wakes it, seconds */
  readonly idleSeconds: number;
  /** @throws when the backend does not answer */
  ping(): Promise<void>;
  /** runs `work` while no other process runs it under this key */
  exclusively<T>(key: string, work: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Connections are the factory's affair, so BullMQ's own option stays empty. */
export const NO_CONNECTION = {};
