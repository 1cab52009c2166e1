// @ts-check
// (f) Concurrent large messages: whether all are accepted and delivered, the peak of memory, and the latency of small
// messages meanwhile.
import { randomBytes } from 'node:crypto';
import { loadavg } from 'node:os';
import { Agent, request } from 'undici';
import { percentiles, round } from './figures.rules.mjs';
import { nowMicros, sleep } from '../tools/processes.mjs';
import { DOMAIN, withParts } from './stack.mjs';

const MIB = 1024 * 1024;
// Headers, delimiters and the signature.
const BESIDES_BYTES = 4_096;
// A line of base64 has 57 bytes in 78 characters.
const ENCODED = 78 / 57;
const PIECE_BYTES = 64 * 1024;
const RESPONSE_LIMIT_MS = 300_000;
const QUIET_MS = 60_000;
const SMALL_EVERY_MS = 50;
const SMALL_ALONE_MS = 3_000;
const SAMPLE_MS = 500;

/** @param {import('./options.mjs').Context} context @returns {Promise<Record<string, any>>} figures */
export function measureLarge({ options, note }) {
  return withParts({ tls: false, note }, async ({ sink, stack }) => {
    const { largeMessages: count, largeMib } = options;
    const attachment = randomBytes(Math.floor((largeMib * MIB - BESIDES_BYTES) / ENCODED)).toString('base64');
    const sender = new Sender(stack, Buffer.from(attachment));
    try {
      // warms up the code and connections of large messages
      const warm = await sender.sendLarge(1);
      const alone = await sender.sendSmall(SMALL_ALONE_MS);
      await sink.waitFor(warm.accepted + alone.accepted, { limitMs: RESPONSE_LIMIT_MS, quietMs: QUIET_MS });
      await sink.reset();
      const before = stack.memory();
      stack.resetPeak();
      const watch = new PostgresPeak(stack);
      const began = nowMicros();
      const sending = sender.sendLarge(count);
      const during = await sender.sendSmall(sending);
      const large = await sending;
      const counts = await sink.waitFor(large.accepted + during.accepted, {
        limitMs: RESPONSE_LIMIT_MS,
        quietMs: QUIET_MS,
      });
      const peak = { postmesh: stack.peak(), postgres: watch.stop() };
      return {
        name: `${count} messages of ${largeMib} MiB at once`,
        messages: count,
        request_mib: round(attachment.length / MIB, 1),
        accepted: large.accepted,
        other_answers: large.others,
        accepted_after_s: large.seconds,
        delivered: counts.messages - during.accepted,
        delivered_after_s: round((counts.last - began) / 1e6, 2),
        memory_before_mib: before,
        memory_peak_mib: peak,
        small_messages: { alone_ms: alone.times, during_ms: during.times, other_answers: during.others },
        load_average_after: round(loadavg()[0], 2),
      };
    } finally {
      await sender.close();
    }
  });
}

/** Sends like a client, large messages over a connection each. */
class Sender {
  constructor(stack, attachment) {
    const { account_id: account, api_key: apiKey } = stack.credentials;
    this.url = `http://${stack.address.host}:${stack.address.port}/v2/accounts/${account}/messages/conversation`;
    this.headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
    this.agent = new Agent({ connections: null, pipelining: 1, headersTimeout: RESPONSE_LIMIT_MS });
    this.attachment = attachment;
    this.number = 0;
  }

  async sendLarge(count) {
    const began = nowMicros();
    const statuses = await Promise.all(Array.from({ length: count }, () => this.post(...this.largeBody())));
    return { ...tally(statuses), seconds: round((nowMicros() - began) / 1e6, 2) };
  }

  /** One after another. @param {number | Promise<unknown>} until milliseconds, or the end of this promise */
  async sendSmall(until) {
    let over = false;
    const end = typeof until === 'number' ? sleep(until) : until.catch(() => undefined);
    void end.then(() => (over = true));
    /** @type {number[]} */
    const micros = [];
    /** @type {string[]} */
    const statuses = [];
    while (!over) {
      const begin = nowMicros();
      statuses.push(await this.post(...this.smallBody()));
      micros.push(nowMicros() - begin);
      await sleep(SMALL_EVERY_MS);
    }
    return { ...tally(statuses), times: percentiles(micros) };
  }

  /** @returns {[number, import('undici').Dispatcher.RequestOptions['body']]} length and body */
  largeBody() {
    const file = { file_name: 'a.bin', content_type: 'application/octet-stream', base64: true, data: '' };
    const text = JSON.stringify({ ...this.message(), attachments: [file] });
    const at = text.lastIndexOf('"data":"') + '"data":"'.length;
    const [head, tail] = [Buffer.from(text.slice(0, at)), Buffer.from(text.slice(at))];
    const { attachment } = this;
    function* pieces() {
      yield head;
      for (let from = 0; from < attachment.length; from += PIECE_BYTES)
        yield attachment.subarray(from, from + PIECE_BYTES);
      yield tail;
    }
    return [head.length + attachment.length + tail.length, /** @type {any} */ (pieces())];
  }

  /** @returns {[number, Buffer]} */
  smallBody() {
    const body = Buffer.from(JSON.stringify(this.message()));
    return [body.length, body];
  }

  message() {
    const email = `u${this.number++}@large.test`;
    const from = { email: `sender@${DOMAIN}` };
    return { from, to: [{ email }], subject: 'Large', text_content: 'With an attachment.\n' };
  }

  /** @returns {Promise<string>} the status, or the reason of its absence */
  async post(length, body) {
    try {
      const { statusCode, body: response } = await request(this.url, {
        method: 'POST',
        dispatcher: this.agent,
        headers: { ...this.headers, 'content-length': String(length) },
        body,
      });
      await response.dump();
      return String(statusCode);
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  close() {
    return this.agent.destroy();
  }
}

function tally(statuses) {
  /** @type {Record<string, number>} */
  const others = {};
  for (const status of statuses) if (status !== '202') others[status] = (others[status] ?? 0) + 1;
  return { accepted: statuses.filter((status) => status === '202').length, others };
}

/** The kernel keeps no peak of several processes with shared memory: their sum is taken twice a second. */
class PostgresPeak {
  constructor(stack) {
    /** @type {number | null} */
    this.peak = null;
    this.timer = setInterval(() => {
      const { postgres } = stack.memory();
      if (postgres !== null) this.peak = Math.max(this.peak ?? 0, postgres);
    }, SAMPLE_MS);
  }

  stop() {
    clearInterval(this.timer);
    return this.peak;
  }
}
