// @ts-check
// Load generator and sink are processes of their own, so that their CPU time is not counted as the system's. Both ends
// of the channel by which the bench gives them jobs, and the jobs of each.
import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { adopt, waitUntil } from '../tools/processes.mjs';

/**
 * A job of the load generator.
 * @typedef {object} Job
 * @property {string} host
 * @property {number} port
 * @property {number} connections
 * @property {Record<string, any>} [message] input of MessageRequest
 * @property {{ path: string, apiKey?: string }} [plain] instead of a message: a request without a body
 * @property {number} [expected] status that counts (202)
 * @property {number} [firstNumber] of the recipients
 * @property {number} [warmup] seconds that are not counted
 * @property {number} [seconds]
 * @property {number} [requests] instead of seconds
 * @property {number} [rate] of the open loop
 * @property {number} [limitMs]
 * @property {string} [idsFile] gets the ids of accepted messages, with the time
 *
 * @typedef {object} Load result of a job
 * @property {number} began microseconds
 * @property {number} sent
 * @property {number} accepted
 * @property {number} accepted_in_time
 * @property {number} unanswered
 * @property {{ p50: number, p99: number, max: number } | null} answer_ms
 * @property {Record<string, number>} other_answers
 * @property {string} [other_answer_sample]
 * @property {number} cpu_seconds
 *
 * @typedef {{ messages: number, bytes: number, signed: number, connections: number, tls_connections: number, first: number,
 *   last: number }} Counts of the sink; first and last in microseconds
 */

/** The bench's side: starts a script of this folder and gives it jobs. */
export class Worker {
  /** @param {string} script @param {(news: any) => void} [onNews] messages that answer no job */
  constructor(script, onNews = () => {}) {
    this.child = adopt(fork(join(import.meta.dirname, script), { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] }));
    this.script = script;
    this.waiting = new Map();
    this.child.on('message', (/** @type {any} */ message) => {
      const waiting = this.waiting.get(message.job);
      if (!waiting) return onNews(message);
      this.waiting.delete(message.job);
      clearTimeout(waiting.timer);
      if ('failure' in message) waiting.reject(new Error(`${script}: ${message.failure}`));
      else waiting.resolve(message.result);
    });
    void this.child.ended.then(() => this.failAll(`${script} ended: ${this.child.output()}`));
  }

  get pid() {
    return this.child.pid;
  }

  /**
   * @param {string} job @param {object} [input] @param {number} [limitMs]
   * @returns {Promise<any>} its result
   * @throws Error when the job fails, the child ends or the time is over
   */
  ask(job, input = {}, limitMs = 10_000) {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.waiting.delete(job);
        reject(new Error(`${this.script}: '${job}' took more than ${limitMs / 1000} s`));
      }, limitMs);
      this.waiting.set(job, { resolve, reject, timer });
      this.child.send({ job, input });
    });
  }

  async stop() {
    this.child.kill('SIGKILL');
    await this.child.ended;
  }

  failAll(reason) {
    for (const { reject, timer } of this.waiting.values()) {
      clearTimeout(timer);
      reject(new Error(reason));
    }
    this.waiting.clear();
  }
}

/** The child's side: runs the jobs of the bench. @param {Record<string, (input: any) => unknown>} doers */
export function serveJobs(doers) {
  /** @param {object} message */
  const tell = (message) => void process.send?.(message);
  process.on('message', async (/** @type {any} */ { job, input }) => {
    try {
      tell({ job, result: (await doers[job](input)) ?? null });
    } catch (error) {
      tell({ job, failure: error instanceof Error ? error.message : String(error) });
    }
  });
  process.once('disconnect', () => process.exit());
}

const SETTLE_MS = 30_000;

export class LoadGenerator {
  constructor() {
    this.accepted = 0;
    this.worker = new Worker('load-generator.mjs', (news) => (this.accepted = news.accepted));
  }

  get pid() {
    return this.worker.pid;
  }

  /** As fast as responses arrive. @param {Job} job @returns {Promise<Load>} */
  closedLoop(job) {
    return this.run('closedLoop', job);
  }

  /** At a rate. @param {Job} job @returns {Promise<Load>} */
  openLoop(job) {
    return this.run('openLoop', job);
  }

  /** @param {string} kind @param {Job} job @returns {Promise<Load>} */
  async run(kind, job) {
    this.accepted = 0;
    const longest = job.seconds === undefined ? (job.limitMs ?? 0) : (job.seconds + (job.warmup ?? 0)) * 1000;
    const result = await this.worker.ask(kind, job, longest + SETTLE_MS);
    this.accepted = result.accepted;
    return result;
  }

  stop() {
    return this.worker.stop();
  }
}

export class Sink {
  /** @param {Worker} worker */
  constructor(worker) {
    this.worker = worker;
    this.messages = 0;
    this.port = 0;
  }

  /** @param {{ tls: boolean }} options @returns {Promise<Sink>} */
  static async start({ tls }) {
    /** @type {Sink} */
    const sink = new Sink(new Worker('sink.mjs', (news) => (sink.messages = news.counts.messages)));
    const { port } = await sink.worker.ask('listen', { tls: tls ? await certificate() : undefined });
    sink.port = port;
    return sink;
  }

  get pid() {
    return this.worker.pid;
  }

  /**
   * A further host on a loopback address of its own, at the same port.
   * @param {{ address: string, replyAfterMs: number | null }} host null: it never replies
   */
  listenAs(host) {
    return this.worker.ask('listenAs', { ...host, port: this.port });
  }

  /** @returns {Promise<Counts>} */
  counts() {
    return this.worker.ask('counts');
  }

  async reset() {
    await this.worker.ask('reset');
    this.messages = 0;
  }

  /**
   * Waits until this many messages have arrived, or until none has arrived for `quietMs`.
   * @param {number} messages @param {{ limitMs: number, quietMs?: number }} limits
   * @returns {Promise<Counts>} at that moment
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

  /** @param {string} folder @returns {Promise<[string, number][]>} Message-ID and microseconds of the `250`, in order of time */
  async arrivals(folder) {
    const path = join(folder, 'arrivals');
    await this.worker.ask('write', { path }, 60_000);
    return readTimes(path);
  }

  stop() {
    return this.worker.stop();
  }
}

/** @param {string} path of lines of id, tab, microseconds @returns {[string, number][]} */
export function readTimes(path) {
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => {
    const tab = line.lastIndexOf('\t');
    return [line.slice(0, tab), Number(line.slice(tab + 1))];
  });
}

/** @returns {Promise<{ key: string, cert: string }>} */
async function certificate() {
  const { selfSignedCertificate } = await import('../libs/secrets/dist/index.js');
  return selfSignedCertificate(['sink.bench', 'localhost']);
}
