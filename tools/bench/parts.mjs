// Load generator and sink as the runs see them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitUntil } from './clock.mjs';
import { Worker } from './worker.mjs';

const SETTLE_MS = 30_000;

export class LoadGenerator {
  constructor() {
    this.accepted = 0;
    this.worker = new Worker('load-generator.mjs', (news) => (this.accepted = news.accepted));
  }

  get pid() {
    return this.worker.pid;
  }

  /**
   * @param job `host`, `port`, `connections`, `message`, `seconds` or `requests`, `warmup?`, `idsFile?`; instead of
   * `message` also `plain` (a request without a body) with the status that is `expected`
   */
  closedLoop(job) {
    return this.run('closedLoop', job);
  }

  /** @param job as above, with `rate` */
  openLoop(job) {
    return this.run('openLoop', job);
  }

  async run(kind, job) {
    this.accepted = 0;
    const longest = job.seconds === undefined ? job.limitMs : (job.seconds + (job.warmup ?? 0)) * 1000;
    const result = await this.worker.ask(kind, job, longest + SETTLE_MS);
    this.accepted = result.accepted;
    return result;
  }

  stop() {
    return this.worker.stop();
  }
}

export class Sink {
  constructor(worker) {
    this.worker = worker;
    this.messages = 0;
  }

  static async start({ tls }) {
    const sink = new Sink(new Worker('sink.mjs', (news) => (sink.messages = news.counts.messages)));
    const { port } = await sink.worker.ask('listen', { tls: tls ? await certificate() : undefined });
    sink.port = port;
    return sink;
  }

  get pid() {
    return this.worker.pid;
  }

  counts() {
    return this.worker.ask('counts');
  }

  async reset() {
    await this.worker.ask('reset');
    this.messages = 0;
  }

  /**
   * Waits until so many messages are there, or until none has come for `quietMs`.
   * @returns the counts at that moment
   */
  async waitFor(messages, { limitMs, quietMs = limitMs }) {
    let best = { messages: -1, at: Date.now() };
    await waitUntil(
      () => {
        if (this.messages > best.messages) best = { messages: this.messages, at: Date.now() };
        return this.messages >= messages || Date.now() - best.at > quietMs;
      },
      { limitMs },
    );
    return this.counts();
  }

  /** @returns {Promise<[string, number][]>} Message-ID and microseconds of the `250`, in order of time */
  async arrivals(folder) {
    const path = join(folder, 'arrivals');
    await this.worker.ask('write', { path }, 60_000);
    return readTimes(path);
  }

  stop() {
    return this.worker.stop();
  }
}

/** Lines of id, tab, microseconds. */
export function readTimes(path) {
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => {
    const tab = line.lastIndexOf('\t');
    return [line.slice(0, tab), Number(line.slice(tab + 1))];
  });
}

async function certificate() {
  const { selfSignedCertificate } = await import('../../services/local-internet/dist/index.js');
  return selfSignedCertificate(['sink.bench', 'localhost']);
}
