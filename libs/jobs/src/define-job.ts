import { z } from 'zod';

/** Waits between the attempts of a job. */
export interface Backoff {
  /** after the first failed attempt; doubles with each further one */
  firstMs: number;
  /** never longer than this */
  maxMs: number;
}

/** One kind of alarm: what it carries, and how it is tried. Plain data: producers need no handler. */
export interface JobDefinition<P extends z.ZodType = z.ZodType> {
  /** the service that runs it */
  readonly queue: string;
  readonly name: string;
  /** small: ids and facts; it is parsed when it is put in and again when it is taken out */
  readonly payload: P;
  /** runs in all, the first included; then the job lies in the failed list */
  readonly attempts: number;
  readonly backoff: Backoff;
  /** one run may take so long; then its signal is aborted and the run counts as failed */
  readonly timeoutMs: number;
  /** runs at once per process */
  readonly concurrency: number;
  /** jobs with the same key are one job until it begins to run */
  dedupeKey?(payload: z.output<P>): string;
}

const name = z.string().regex(/^[a-z][a-z0-9-]{0,40}$/);
const limits = z.object({
  queue: name,
  name,
  attempts: z.int().min(1).max(100),
  backoff: z.object({ firstMs: z.int().min(1), maxMs: z.int().min(1) }),
  timeoutMs: z.int().min(1).max(86_400_000),
  concurrency: z.int().min(1).max(1_000),
});

/** @throws ZodError when a name or a limit is out of bounds, when the module is loaded */
export function defineJob<P extends z.ZodType>(definition: JobDefinition<P>): JobDefinition<P> {
  limits.parse(definition);
  return Object.freeze(definition);
}

/** The jobs of one service by the names that its handlers bear. */
export type JobCatalogue = Readonly<Record<string, JobDefinition>>;

/** Work that a service does again and again; what one run leaves undone, the next one does. */
export interface PeriodicWork extends Pick<JobDefinition, 'queue' | 'name' | 'timeoutMs'> {
  readonly everyMs: number;
}

const NOTHING = z.object({});

/** One run at a time, and no second attempt before the next one is due. */
export const definePeriodic = ({ queue, name, timeoutMs }: PeriodicWork): JobDefinition<typeof NOTHING> =>
  defineJob({
    queue,
    name,
    payload: NOTHING,
    attempts: 1,
    backoff: { firstMs: 1_000, maxMs: 1_000 },
    timeoutMs,
    concurrency: 1,
  });

/** What a handler gets. */
export interface JobRun<P extends z.ZodType = z.ZodType> {
  readonly payload: z.output<P>;
  readonly id: string;
  /** 1 for the first */
  readonly attempt: number;
  /** aborted when the time is up or the process ends: give back what you hold and reject */
  readonly signal: AbortSignal;
}

/**
 * Does the work once; resolving = done. It may run again after a crash, so it looks at rows first.
 * Rejecting = another attempt after the backoff; `Permanent` and `Poison` are not tried again, the
 * `retryAfterMs` of a `Transient` is obeyed.
 */
export type JobHandler<P extends z.ZodType = z.ZodType> = (run: JobRun<P>) => Promise<void>;

/** A handler for each job of the catalogue: one that is missing, or one too many, does not compile. */
export type JobHandlers<C extends JobCatalogue> = {
  readonly [K in keyof C]: C[K] extends JobDefinition<infer P> ? JobHandler<P> : never;
};
