import { Transient } from '@postmesh/contracts';
import type { RenderedParts, RenderJob } from './render-job.js';
import { RenderThread, THREAD_LIMITS, type ThreadLimits, ThreadLost } from './render-thread.js';
import type { RenderChunk } from './render-work.js';
import { Turns } from './turns.js';

/** More is waiting to be rendered than may wait: the caller is to try again later. */
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
  /** default 1: some thousand messages a second */
  readonly threads?: number;
  /** jobs that may wait, of all keys; one key may have a quarter of them. Default 1,000. */
  readonly maxPending?: number;
  /** for tests; the contract has the others */
  readonly limits?: ThreadLimits;
}

/** What is sent to a thread at once: values are copied, and read again when the thread's time ended before them. */
const MAX_CHUNK_RECIPIENTS = 25;
const MAX_CHUNK_CHARACTERS = 1024 * 1024;

interface PendingJob {
  readonly job: RenderJob;
  /** of the first recipients */
  readonly results: RenderedParts[];
  /** recipients whose rendering cost us a thread, or whose values are no JSON: not tried again */
  readonly failed: Map<number, RenderedParts>;
  readonly resolve: (results: RenderedParts[]) => void;
  readonly reject: (error: Error) => void;
}

/** Renders in threads of its own, never in the caller's. One per service process. */
export class TemplateRenderer {
  private readonly pending = new Turns<PendingJob>();
  private readonly threads: readonly RenderThread[];
  private readonly idle: RenderThread[];
  private readonly maxPending: number;
  private closed = false;

  constructor({ threads = 1, maxPending = 1_000, limits = THREAD_LIMITS }: RendererOptions = {}) {
    this.threads = Array.from({ length: threads }, () => new RenderThread(limits));
    this.idle = [...this.threads];
    this.maxPending = maxPending;
  }

  /** Templates that were compiled so far: what is rendered for many recipients is so once. */
  get compiled(): number {
    return this.threads.reduce((sum, { compiled }) => sum + compiled, 0);
  }

  /**
   * @returns one result per recipient, in the order of the values
   * @throws Transient: RendererBusy when too much is waiting, RendererClosed, or when threads cannot be started
   */
  async render(job: RenderJob): Promise<RenderedParts[]> {
    if (this.closed) throw new RendererClosed();
    if (job.values.length === 0) return [];
    if (this.pending.size >= this.maxPending || this.pending.sizeOf(job.key) >= this.maxPending / 4) {
      throw new RendererBusy();
    }
    return new Promise((resolve, reject) => {
      this.pending.add(job.key, { job, results: [], failed: new Map(), resolve, reject });
      this.dispatch();
    });
  }

  /** Ends the threads. What is waiting or in flight fails. */
  async close(): Promise<void> {
    this.closed = true;
    for (let next = this.pending.take(); next; next = this.pending.take()) this.failClosed(next);
    await Promise.all(this.threads.map((thread) => thread.stop()));
  }

  private dispatch(): void {
    for (let thread = this.idle.pop(); thread; thread = this.idle.pop()) {
      const next = this.pending.take();
      if (!next) return void this.idle.push(thread);
      void this.renderTurn(thread, next);
    }
  }

  /** One chunk of a job; the rest of it waits for the next turn of its key. */
  private async renderTurn(thread: RenderThread, pending: PendingJob): Promise<void> {
    try {
      const chunk = nextChunk(pending);
      if (chunk.values.length > 0) pending.results.push(...(await thread.render(chunk)));
      this.settle(pending);
    } catch (error) {
      if (this.closed) this.failClosed(pending);
      else if (error instanceof ThreadLost && error.item !== undefined) {
        noteLost(pending, error, error.item);
        this.settle(pending);
      } else pending.reject(new Transient('there is no thread to render in', undefined, { cause: error }));
    } finally {
      this.idle.push(thread);
      this.dispatch();
    }
  }

  private settle(pending: PendingJob): void {
    takeFailed(pending);
    giveUpSlow(pending);
    if (pending.results.length === pending.job.values.length) pending.resolve(pending.results);
    else if (this.closed) this.failClosed(pending);
    else this.pending.putBack(pending.job.key, pending);
  }

  private failClosed({ reject }: PendingJob): void {
    reject(new RendererClosed());
  }
}

/** The next recipients, up to one that has failed already; none when it is the very next. */
function nextChunk({ job, results, failed }: PendingJob): RenderChunk {
  const values: string[] = [];
  let characters = 0;
  for (let index = results.length; index < job.values.length && !failed.has(index); index++) {
    const json = toJson(job.values[index]);
    if (json === undefined) {
      failed.set(index, failure(job, 0, 'values are nested too deep'));
      break;
    }
    values.push(json);
    characters += json.length;
    if (values.length === MAX_CHUNK_RECIPIENTS || characters > MAX_CHUNK_CHARACTERS) break;
  }
  return { parts: job.parts, values, limits: job.limits };
}

function toJson(values: unknown): string | undefined {
  try {
    return JSON.stringify(values);
  } catch (error) {
    if (error instanceof RangeError || error instanceof TypeError) return undefined;
    throw error;
  }
}

/** The thread was lost with one recipient: those before it in the chunk are rendered again, it is not. */
function noteLost({ job, results, failed }: PendingJob, { part, reason }: ThreadLost, item: number): void {
  failed.set(results.length + item, { ...failure(job, part, reason), slow: true });
}

function takeFailed({ results, failed }: PendingJob): void {
  for (let known = failed.get(results.length); known; known = failed.get(results.length)) results.push(known);
}

/** What takes too long for several takes too long for all: nobody waits for a second per recipient. */
function giveUpSlow({ job: { limits, values }, results }: PendingJob): void {
  const slow = limits ? results.filter((result) => !result.ok && result.slow) : [];
  const [first] = slow;
  if (!limits || !first || slow.length < limits.slow) return;
  while (results.length < values.length) results.push(first);
}

function failure({ parts }: RenderJob, part: number, reason: string) {
  return { ok: false as const, part: parts[part]?.name ?? '', reason };
}
