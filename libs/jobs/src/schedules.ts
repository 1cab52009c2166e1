import type { Logger } from '@postmesh/observability';
import type { z } from 'zod';
import type { JobBackend } from './backend/backend.js';
import type { JobDefinition } from './define-job.js';
import { checkedPayload, label } from './payload.js';
import { templateOptions, type Queues } from './queues.js';
import { within } from './within.js';

export interface Schedule {
  /** of this schedule among those of the same job; the same id again changes it */
  id: string;
  everyMs: number;
}

const LIMIT_MS = 10_000;
const REARM_MS = 60_000;

interface Kept {
  definition: JobDefinition;
  payload: unknown;
  schedule: Schedule;
}

/**
 * Repeating jobs. Those that this process has asked for are put in again every minute, so that a queue
 * that has lost its memory (a flushed Redis) has them back without a restart.
 */
export class Schedules {
  private readonly kept = new Map<string, Kept>();
  private readonly timer: NodeJS.Timeout;
  private turn: Promise<void> = Promise.resolve();

  constructor(
    private readonly queues: Queues,
    private readonly backend: JobBackend,
    private readonly logger: Logger,
    rearmMs: number = REARM_MS,
  ) {
    this.timer = setInterval(() => void this.rearm(), rearmMs);
    this.timer.unref();
  }

  async add<P extends z.ZodType>(
    definition: JobDefinition<P>,
    payload: z.input<P>,
    schedule: Schedule,
  ): Promise<void> {
    checkedPayload(definition, payload);
    const kept = { definition, payload, schedule };
    await this.put(kept);
    this.kept.set(keyOf(definition, schedule.id), kept);
  }

  async remove(definition: JobDefinition, id: string): Promise<void> {
    this.kept.delete(keyOf(definition, id));
    const removed = this.queues.open(definition).removeJobScheduler(id);
    await within(LIMIT_MS, `unschedule ${label(definition)}`, removed);
  }

  close(): void {
    clearInterval(this.timer);
    this.kept.clear();
  }

  private async rearm(): Promise<void> {
    for (const kept of this.kept.values()) {
      await this.put(kept).catch((error: unknown) =>
        this.logger.warn({ err: error, job: label(kept.definition) }, 'jobs: schedule not renewed'),
      );
    }
  }

  /** One after the other: the lock takes a connection while the work under it takes another. */
  private put(kept: Kept): Promise<void> {
    const done = this.turn.then(() =>
      within(LIMIT_MS, `schedule ${label(kept.definition)}`, this.upsert(kept)),
    );
    this.turn = done.catch(() => undefined);
    return done;
  }

  /**
   * On PostgreSQL two processes that make the same schedule at the same moment would each make its
   * first run (BullMQ 6.7 reads and writes it without a lock), hence the lock.
   */
  private async upsert({ definition, payload, schedule }: Kept): Promise<void> {
    const queue = this.queues.open(definition);
    await this.backend.exclusively(`${queue.name}:${schedule.id}`, async () => {
      await queue.upsertJobScheduler(
        schedule.id,
        { every: schedule.everyMs },
        { name: definition.name, data: payload, opts: templateOptions(definition) },
      );
    });
  }
}

const keyOf = (definition: JobDefinition, id: string): string => `${label(definition)}:${id}`;
