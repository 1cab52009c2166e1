// @ts-check
// A process of its own: sends messages (or other requests) over the API, closed loop (as fast as responses arrive) or
// open loop (at a fixed rate).
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { percentiles } from './figures.rules.mjs';
import { HttpConnection, MessageRequest, PlainRequest } from './http-client.mjs';
import { nowMicros } from '../tools/processes.mjs';
import { serveJobs } from './workers.mjs';

const PROGRESS_MS = 200;
const TICK_MS = 2;
// Timeout of responses: the job then ends without them.
const LAST_ANSWERS_MS = 15_000;
const MOST_LATENCIES = 5_000_000;

serveJobs({
  closedLoop: (job) => new LoadRun(job).closedLoop(),
  openLoop: (job) => new LoadRun(job).openLoop(),
});

class LoadRun {
  /** @param {import('./workers.mjs').Job} job */
  constructor(job) {
    this.job = job;
    this.started = 0;
    this.accepted = 0;
    this.acceptedInTime = 0;
    this.outstanding = 0;
    this.begin = 0;
    this.countFrom = 0;
    this.end = 0;
    /** @type {number[]} */
    this.latencies = [];
    /** @type {string[]} */
    this.ids = [];
    /** @type {Record<string, number>} */
    this.others = {};
    /** @type {string | undefined} */
    this.sample = undefined;
    this.nextNumber = job.firstNumber ?? 0;
    /** @type {(connection: HttpConnection) => void} */
    this.onFree = () => undefined;
    /** @type {() => void} */
    this.resolveSettled = () => undefined;
  }

  /** Each connection sends again when it has its response, until `seconds` are over or `requests` are sent. */
  async closedLoop() {
    const { warmup = 0, seconds = Infinity, requests = Infinity } = this.job;
    return this.run({ warmup, seconds }, (connections, end) => {
      const again = (connection) => {
        if (this.started >= requests || nowMicros() >= end) return this.settle();
        this.send(connection, nowMicros());
      };
      this.onFree = again;
      connections.forEach(again);
    });
  }

  /** Request k is due at k/rate; its response is timed from then, so that waiting for a connection counts. */
  async openLoop() {
    const { rate = 0, seconds = 0 } = this.job;
    return this.run({ warmup: 0, seconds }, (connections, end, begin) => {
      const idle = [...connections];
      const total = rate * seconds;
      let over = false;
      const sendDue = () => {
        if (over) return this.settle();
        over = nowMicros() >= end;
        const due = Math.min(total, Math.floor(((nowMicros() - begin) / 1e6) * rate));
        while (this.started < due && idle.length > 0) {
          this.send(/** @type {HttpConnection} */ (idle.pop()), begin + (this.started / rate) * 1e6);
        }
        if (!over) return;
        clearInterval(timer);
        this.settle();
      };
      const timer = setInterval(sendDue, TICK_MS);
      this.onFree = (connection) => {
        idle.push(connection);
        sendDue();
      };
    });
  }

  async run({ warmup, seconds }, drive) {
    const connections = await this.connect();
    const cpuBefore = process.cpuUsage();
    this.begin = nowMicros();
    this.countFrom = this.begin + warmup * 1e6;
    this.end = this.countFrom + seconds * 1e6;
    const progress = setInterval(() => process.send?.({ accepted: this.accepted }), PROGRESS_MS);
    const settled = new Promise((resolve) => (this.resolveSettled = () => void resolve(undefined)));
    const limit = Number.isFinite(seconds) ? (warmup + seconds) * 1000 : (this.job.limitMs ?? 0);
    const timer = setTimeout(this.resolveSettled, limit + LAST_ANSWERS_MS);
    drive(connections, this.end, this.begin);
    await settled;
    clearTimeout(timer);
    clearInterval(progress);
    connections.forEach((connection) => connection.close());
    if (this.job.idsFile !== undefined) await this.writeIds();
    return this.result(process.cpuUsage(cpuBefore));
  }

  async connect() {
    const { host, port, connections, message, plain } = this.job;
    const events = {
      onAnswer: (connection, status, body) => this.onAnswer(connection, status, body),
      onBroken: (connection, reason) => this.onOther(connection, reason),
    };
    const opened = Array.from({ length: connections }, () => new HttpConnection({ host, port }, events));
    for (const connection of opened) {
      connection.request = plain
        ? new PlainRequest({ ...plain, host, port })
        : new MessageRequest(/** @type {any} */ ({ ...message, host, port }));
    }
    await Promise.all(opened.map((connection) => connection.open()));
    return opened;
  }

  send(connection, due) {
    this.started += 1;
    this.outstanding += 1;
    connection.due = due;
    connection.send(/** @type {MessageRequest} */ (connection.request).numbered(this.nextNumber++));
  }

  onAnswer(connection, status, body) {
    if (status !== (this.job.expected ?? 202)) return this.onOther(connection, String(status), body);
    const now = nowMicros();
    this.accepted += 1;
    if (now >= this.countFrom && now < this.end) {
      this.acceptedInTime += 1;
      if (this.latencies.length < MOST_LATENCIES) this.latencies.push(now - connection.due);
    }
    if (this.job.idsFile !== undefined) this.ids.push(`${JSON.parse(body.toString()).data[0].id}\t${now}`);
    this.outstanding -= 1;
    this.onFree(connection);
  }

  onOther(connection, what, body) {
    this.others[what] = (this.others[what] ?? 0) + 1;
    this.sample ??= body?.toString().slice(0, 300);
    this.outstanding -= 1;
    this.onFree(connection);
  }

  settle() {
    if (this.outstanding === 0) this.resolveSettled();
  }

  async writeIds() {
    const file = createWriteStream(String(this.job.idsFile));
    for (const line of this.ids) file.write(`${line}\n`);
    file.end();
    await finished(file);
  }

  result({ user, system }) {
    return {
      began: this.begin,
      sent: this.started,
      accepted: this.accepted,
      accepted_in_time: this.acceptedInTime,
      unanswered: this.outstanding,
      answer_ms: percentiles(this.latencies),
      other_answers: this.others,
      other_answer_sample: this.sample,
      cpu_seconds: (user + system) / 1e6,
    };
  }
}
