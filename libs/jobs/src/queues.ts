import { Queue, type BulkJobOptions, type DeduplicationOptions, type IQueueBackend } from 'bullmq';
import type { Logger } from '@postmesh/observability';
import type { z } from 'zod';
import { NO_CONNECTION, type JobBackend } from './backend/backend.js';
import type { JobDefinition } from './define-job.js';
import { checkedPayload, label } from './payload.js';
import { quietly } from './run/quietly.js';
import { within } from './within.js';

export type JobQueue = Queue<unknown, void, string, unknown, void, string, IQueueBackend, object>;

/** How one job is put in. */
export interface EnqueueOptions {
  /** not before this many milliseconds from now */
  delayMs?: number;
  /**
   * What happens when a job with the same `dedupeKey` waits already. `first` (default): that one stays
   * as it is. `latest`: this one takes its place if it was delayed, payload and due time included.
   * `off`: both stay. A job that is running does not count: what comes meanwhile runs after it, once.
   */
  dedupe?: 'first' | 'latest' | 'off';
}

const ENQUEUE_LIMIT_MS = 10_000;
const BULK = 500;
const KEPT_FAILED = { age: 14 * 86_400, count: 5_000 };

/** The producers' side: one BullMQ queue per kind of job, opened when it is first met. */
export class Queues {
  private readonly opened = new Map<string, { definition: JobDefinition; queue: JobQueue }>();

  constructor(
    private readonly backend: JobBackend,
    private readonly prefix: string,
    private readonly logger: Logger,
  ) {}

  nameOf(definition: JobDefinition): string {
    return `${this.prefix}.${label(definition)}`;
  }

  /** Every kind of job that this process has met. */
  all(): readonly { definition: JobDefinition; queue: JobQueue }[] {
    return [...this.opened.values()];
  }

  open(definition: JobDefinition): JobQueue {
    const name = this.nameOf(definition);
    const known = this.opened.get(name);
    if (known !== undefined) return known.queue;
    const queue: JobQueue = new Queue(
      name,
      // nobody reads the stream of events; its least length is the least work
      { connection: NO_CONNECTION, streams: { events: { maxLen: 100 } } },
      this.backend.factory,
    );
    queue.on(
      'error',
      quietly((error, more) =>
        this.logger.warn({ err: error, job: label(definition), more }, 'jobs: queue trouble'),
      ),
    );
    this.opened.set(name, { definition, queue });
    return queue;
  }

  /** @returns the id of the job; of the one that waits already when it is a duplicate */
  async add<P extends z.ZodType>(
    definition: JobDefinition<P>,
    payload: z.input<P>,
    options: EnqueueOptions = {},
  ): Promise<string> {
    const entry = bulkEntry(definition, payload, options);
    const added = this.open(definition).add(entry.name, entry.data, entry.opts);
    const job = await within(ENQUEUE_LIMIT_MS, `enqueue ${label(definition)}`, added);
    return job.id ?? '';
  }

  /** All or nothing per 500. */
  async addMany<P extends z.ZodType>(
    definition: JobDefinition<P>,
    payloads: readonly z.input<P>[],
    options: EnqueueOptions = {},
  ): Promise<void> {
    const entries = payloads.map((payload) => bulkEntry(definition, payload, options));
    for (let start = 0; start < entries.length; start += BULK) {
      const added = this.open(definition).addBulk(entries.slice(start, start + BULK));
      await within(ENQUEUE_LIMIT_MS, `enqueue ${label(definition)}`, added);
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.all().map(({ queue }) => queue.close()));
  }
}

/** How jobs of this kind are tried and kept; the wait between attempts is the worker's to compute. */
export function templateOptions(definition: JobDefinition) {
  return {
    attempts: definition.attempts,
    backoff: { type: 'catalogue' },
    // the row whose alarm it was is the record of what was done
    removeOnComplete: true,
    removeOnFail: KEPT_FAILED,
    stackTraceLimit: 1,
  };
}

function bulkEntry<P extends z.ZodType>(
  definition: JobDefinition<P>,
  payload: z.input<P>,
  options: EnqueueOptions,
): { name: string; data: unknown; opts: BulkJobOptions } {
  const { stored, output } = checkedPayload(definition, payload);
  const deduplication = deduplicationOf(definition, output, options.dedupe ?? 'first');
  return {
    name: definition.name,
    data: stored,
    opts: {
      ...templateOptions(definition),
      ...(options.delayMs === undefined ? {} : { delay: Math.max(0, Math.round(options.delayMs)) }),
      ...(deduplication === undefined ? {} : { deduplication }),
    },
  };
}

function deduplicationOf<P extends z.ZodType>(
  definition: JobDefinition<P>,
  payload: z.output<P>,
  rule: 'first' | 'latest' | 'off',
): DeduplicationOptions | undefined {
  if (definition.dedupeKey === undefined || rule === 'off') return undefined;
  // what comes while its twin runs may tell of something that the run has not seen: it is kept
  return { id: definition.dedupeKey(payload), keepLastIfActive: true, replace: rule === 'latest' };
}
