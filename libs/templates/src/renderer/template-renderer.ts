import { FairWorkers, type FairItem } from '@postmesh/concurrency';
import { JsonTooLarge, requireBoundedJson, Transient } from '@postmesh/contracts';
import type { RenderedParts, RenderJob } from './render-job.js';
import { RenderThread, THREAD_LIMITS, type ThreadLimits, ThreadLost } from './render-thread.js';
import type { RenderChunk } from './render-work.js';

/** Too many jobs wait: the caller must try again later. */
export class RendererBusy extends Transient {
  override readonly name = 'RendererBusy';

  constructor() {
    super('too much is waiting to be rendered');
  }
}

/** The service stops. */
class RendererClosed extends Transient {
  override readonly name = 'RendererClosed';

  constructor() {
    super('the renderer is closed');
  }
}

export interface RendererOptions {
  /** default 2, so that one family has one of them: some thousand messages a second */
  readonly threads?: number;
  /** waiting jobs in total; a family may have half of them, a key of it a quarter. Default 1,000. */
  readonly maxPending?: number;
  /** for tests; the contract sets the others */
  readonly limits?: ThreadLimits;
}

/** Recipients in one chunk: values are copied, and read again if the thread's time ended before them. */
const MAX_CHUNK_RECIPIENTS = 25;
const MAX_CHUNK_CHARACTERS = 1024 * 1024;
/** This many slow recipients: then the others of the job are assumed to be slow, too. */
const MAX_SLOW_RECIPIENTS = 3;

interface PendingJob extends FairItem {
  readonly job: RenderJob;
  /** of the first recipients */
  readonly results: RenderedParts[];
  /** recipients whose rendering ended a thread, or whose values are not JSON: not tried again */
  readonly failed: Map<number, RenderedParts>;
  readonly resolve: (results: RenderedParts[]) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Renders in its own threads, never in the caller's; top-level accounts share the time of the threads. One per
 * service process.
 */
export class TemplateRenderer {
  private readonly pending: FairWorkers<RenderThread, PendingJob>;
  private readonly threads: readonly RenderThread[];
  private readonly maxPending: number;
  private closed = false;

  constructor({ threads = 2, maxPending = 1_000, limits = THREAD_LIMITS }: RendererOptions = {}) {
    this.threads = Array.from({ length: threads }, () => new RenderThread(limits));
    this.pending = new FairWorkers({
      workers: this.threads,
      turn: (thread, pending) => this.renderTurn(thread, pending),
    });
    this.maxPending = maxPending;
  }

  /** Templates that were compiled so far: a template for many recipients is compiled once. */
  get compiled(): number {
    return this.threads.reduce((sum, { compiled }) => sum + compiled, 0);
  }

  /**
   * @returns one result per recipient, in the order of the values
   * @throws Transient: RendererBusy when too many jobs wait, RendererClosed, or when threads cannot be started; the
   *   reason of the signal
   */
  async render(job: RenderJob): Promise<RenderedParts[]> {
    if (this.closed) throw new RendererClosed();
    if (job.values.length === 0) return [];
    const { family, key, signal } = job;
    signal?.throwIfAborted();
    if (this.isFull({ family, key })) throw new RendererBusy();
    const { promise, resolve, reject } = deferred<RenderedParts[]>();
    const pending = { family, key, job, results: [], failed: new Map(), resolve, reject };
    const giveUp = () => this.pending.remove(pending) && reject(signal?.reason as Error);
    signal?.addEventListener('abort', giveUp, { once: true });
    this.pending.add(pending);
    return promise.finally(() => signal?.removeEventListener('abort', giveUp));
  }

  /** Ends the threads. Waiting and running jobs fail. */
  async close(): Promise<void> {
    this.closed = true;
    for (const pending of this.pending.removeAll()) this.failClosed(pending);
    await Promise.all(this.threads.map((thread) => thread.stop()));
  }

  private isFull({ family, key }: FairItem): boolean {
    const { pending, maxPending } = this;
    return (
      pending.size >= maxPending ||
      pending.sizeOf({ family }) >= maxPending / 2 ||
      pending.sizeOf({ family, key }) >= maxPending / 4
    );
  }

  /** One chunk of a job. @returns whether there is more of it */
  private async renderTurn(thread: RenderThread, pending: PendingJob): Promise<boolean> {
    try {
      const chunk = nextChunk(pending);
      if (chunk.values.length > 0) pending.results.push(...(await thread.render(chunk)));
      return this.settle(pending);
    } catch (error) {
      if (error instanceof ThreadLost && error.item !== undefined && !this.closed) {
        noteLost(pending, error, error.item);
        return this.settle(pending);
      }
      if (this.closed) this.failClosed(pending);
      else pending.reject(new Transient('there is no thread to render in', undefined, { cause: error }));
      return false;
    }
  }

  /** @returns whether there is more of it */
  private settle(pending: PendingJob): boolean {
    takeFailed(pending);
    giveUpSlow(pending);
    const { job, results } = pending;
    if (results.length === job.values.length) pending.resolve(results);
    else if (this.closed) this.failClosed(pending);
    else if (job.signal?.aborted) pending.reject(job.signal.reason as Error);
    else return true;
    return false;
  }

  private failClosed({ reject }: PendingJob): void {
    reject(new RendererClosed());
  }
}

/** The next recipients, up to one that has failed already; none when the next one has failed. */
function nextChunk({ job, results, failed }: PendingJob): RenderChunk {
  const values: string[] = [];
  let characters = 0;
  for (let index = results.length; index < job.values.length && !failed.has(index); index++) {
    const json = toJson(job.values[index]);
    if (json instanceof Error) {
      failed.set(index, failure(job, 0, `the object of values ${json.message}`));
      break;
    }
    values.push(json);
    characters += json.length;
    if (values.length === MAX_CHUNK_RECIPIENTS || characters > MAX_CHUNK_CHARACTERS) break;
  }
  return { parts: job.parts, values, limits: job.limits };
}

/** @returns an Error for values without JSON, which were stored before requests had limits */
function toJson(values: unknown): string | Error {
  try {
    const json = JSON.stringify(values);
    requireBoundedJson(Buffer.from(json));
    return json;
  } catch (error) {
    if (error instanceof JsonTooLarge) return error;
    if (error instanceof RangeError) return new Error('is nested too deeply');
    if (error instanceof TypeError) return new Error('is no JSON');
    throw error;
  }
}

/** The thread was lost at one recipient: those before it in the chunk are rendered again, it is not. */
function noteLost({ job, results, failed }: PendingJob, { part, reason }: ThreadLost, item: number): void {
  failed.set(results.length + item, { ...failure(job, part, reason), slow: true });
}

function takeFailed({ results, failed }: PendingJob): void {
  for (let known = failed.get(results.length); known; known = failed.get(results.length)) results.push(known);
}

/** Several slow recipients fail all: no job takes a second per recipient. */
function giveUpSlow({ job: { values }, results }: PendingJob): void {
  const slow = results.filter((result) => !result.ok && result.slow);
  const [first] = slow;
  if (!first || slow.length < MAX_SLOW_RECIPIENTS) return;
  while (results.length < values.length) results.push(first);
}

function failure({ parts }: RenderJob, part: number, reason: string) {
  return { ok: false as const, part: parts[part]?.name ?? '', reason };
}

function deferred<T>() {
  let resolve: (value: T) => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<T>((onValue, onError) => ([resolve, reject] = [onValue, onError]));
  return { promise, resolve, reject };
}
