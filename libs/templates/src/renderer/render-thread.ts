import { Worker } from 'node:worker_threads';
import { endsWithin } from '@postmesh/concurrency';
import { LIMITS, type Limits } from '../language/limits.js';
import { type ChunkResult, NO_ITEM, PROGRESS, type RenderChunk, type ThreadInput } from './render-work.js';

/** The bounds of a thread, in addition to the limits that it counts itself. */
export interface ThreadLimits extends Limits {
  /**
   * A part that runs this long is considered endless: longer than its own time limit, since the machine may be
   * busy.
   */
  readonly hangMs: number;
  /**
   * The counted output of templates stays far below; sources, values and results are added. A thread that needs
   * more than this ends, and the process does not.
   */
  readonly heapMb: number;
}

export const THREAD_LIMITS: ThreadLimits = { ...LIMITS, hangMs: LIMITS.ms + 2_000, heapMb: 256 };

const YOUNG_HEAP_MB = 32;
/** A thread may take this many times `hangMs` to start: it loads our code first. */
const START_CHECKS = 20;
const TERMINATE_TIMEOUT_MS = 2_000;

/** A thread ended, or had to be ended, in the middle of a chunk. */
export class ThreadLost extends Error {
  override readonly name = 'ThreadLost';

  /**
   * @param reason for the author of the template
   * @param item index of the recipient in the chunk; undefined: none yet, so the template is not the cause
   * @param part index of the part
   */
  constructor(
    readonly reason: string,
    readonly item: number | undefined,
    readonly part: number,
  ) {
    super(`the render thread was lost: ${reason}`);
  }
}

interface Running {
  readonly worker: Worker;
  readonly progress: Int32Array;
  /** receives the result of the chunk that is in the thread */
  resolve?: (result: ChunkResult) => void;
  reject?: (error: ThreadLost) => void;
}

const compiledBy = ({ progress }: Running): number => Atomics.load(progress, PROGRESS.compiled);

/** One thread that renders a chunk at a time. It is started with its first chunk, and again after it was lost. */
export class RenderThread {
  private running: Running | undefined;
  /** by threads that have ended */
  private compiledBefore = 0;

  /** Templates that were compiled so far. */
  get compiled(): number {
    return this.compiledBefore + (this.running ? compiledBy(this.running) : 0);
  }

  constructor(private readonly limits: ThreadLimits) {}

  /** @throws ThreadLost */
  async render(chunk: RenderChunk): Promise<ChunkResult> {
    const running = (this.running ??= this.start());
    running.progress[PROGRESS.item] = NO_ITEM;
    // an idle thread keeps no process alive
    running.worker.ref();
    const watch = this.watch(running);
    try {
      return await new Promise<ChunkResult>((resolve, reject) => {
        Object.assign(running, { resolve, reject });
        running.worker.postMessage(chunk);
      });
    } finally {
      clearInterval(watch);
      running.worker.unref();
    }
  }

  /** Ends the thread, also in the middle of a chunk. */
  async stop(): Promise<void> {
    if (this.running) await this.lose(this.running, 'the renderer is closed');
  }

  private start(): Running {
    const progress = new Int32Array(new SharedArrayBuffer(4 * Object.keys(PROGRESS).length));
    const worker = new Worker(new URL('./thread-main.js', import.meta.url), {
      workerData: { limits: this.limits, progress } satisfies ThreadInput,
      resourceLimits: { maxOldGenerationSizeMb: this.limits.heapMb, maxYoungGenerationSizeMb: YOUNG_HEAP_MB },
      execArgv: [],
    });
    const running: Running = { worker, progress };
    worker.on('message', (result: ChunkResult) => running.resolve?.(result));
    worker.on('error', (error: NodeJS.ErrnoException) => {
      const isMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      void this.lose(running, isMemory ? 'rendering needs too much memory' : error.message);
    });
    worker.on('exit', () => void this.lose(running, 'the thread has ended'));
    return running;
  }

  /** Ends a thread in which a part exceeds its time: the part should have stopped on its own limit. */
  private watch(running: Running): NodeJS.Timeout {
    let seen = -1;
    let checks = 0;
    return setInterval(() => {
      const beat = Atomics.load(running.progress, PROGRESS.beat);
      checks = beat === seen ? checks + 1 : 0;
      seen = beat;
      if (checks >= (beat === 0 ? START_CHECKS : 1)) void this.lose(running, 'rendering does not end');
    }, this.limits.hangMs);
  }

  /** The current recipient fails; the next chunk starts another thread. */
  private async lose(running: Running, reason: string): Promise<void> {
    if (this.running === running) {
      this.compiledBefore += compiledBy(running);
      this.running = undefined;
    }
    const item = Atomics.load(running.progress, PROGRESS.item);
    const part = Atomics.load(running.progress, PROGRESS.part);
    running.reject?.(new ThreadLost(reason, item === NO_ITEM ? undefined : item, part));
    // a thread ends only after the current long step of JavaScript's own
    await endsWithin(running.worker.terminate(), TERMINATE_TIMEOUT_MS);
  }
}
