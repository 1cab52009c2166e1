// @ts-check
// (b) From the `202` to the sink's `250`, at a fixed rate; and Postmesh's side of (c): as many messages as fast as they
// are accepted, until the last is delivered. Both measure warm code: the first messages of a fresh system are a burst
// of their own (`cold`), which costs up to twice as much per message.
import { join } from 'node:path';
import { joinByMessageId, judgeBacklog, percentiles, perThousand, round, thinOut } from './figures.rules.mjs';
import { makeFolder, nowMicros, removeFolder } from '../tools/processes.mjs';
import { withParts } from './stack.mjs';
import { readTimes } from './workers.mjs';

/**
 * @typedef {import('./stack.mjs').Parts} Parts
 * @typedef {import('./options.mjs').Context} Context
 * @typedef {import('./workers.mjs').Job} Job
 */

const BURST_LIMIT_MS = 180_000;
const BURST_QUIET_MS = 20_000;
const DRAIN_LIMIT_MS = 120_000;
const DRAIN_QUIET_MS = 15_000;
const SAMPLE_MS = 1_000;
const MEMORY_EVERY = 5;

/** @param {Context} context @returns {Promise<Record<string, any>>} figures of part (b) */
export async function measureDelivery({ options, note }) {
  const folder = makeFolder('times');
  try {
    return await withParts({ tls: options.tls, note }, async (parts) => {
      const target = targetOf(parts, options);
      const cold = await warmUp(parts, target, options);
      return { ...(await sustain({ ...parts, target, options, folder })), cold };
    });
  } finally {
    removeFolder(folder);
  }
}

/**
 * The same count, size and parallelism as Postfix gets; from the first request until the last `250`.
 * @param {Context} context
 * @returns {Promise<Record<string, any>>} figures of Postmesh in part (c)
 */
export function measureRelay({ options, note }) {
  // smtp-sink knows no STARTTLS
  return withParts({ tls: false, note }, async (parts) => {
    const target = targetOf(parts, options);
    const cold = await warmUp(parts, target, options);
    const firstNumber = options.warmMessages;
    const { counts, ...figures } = await burst(parts, { ...target, requests: options.messages, firstNumber });
    return {
      name: `Postmesh, ${counts.signed === counts.messages ? 'signed' : 'NOT ALL SIGNED'}`,
      ...figures,
      memory_mib: sum(parts.stack.memory()),
      cold,
    };
  });
}

/** @param {Parts} parts @param {Context['options']} options */
const targetOf = ({ stack }, { bodyBytes, connections }) => ({
  ...stack.target({ recipients: 1, bodyBytes }),
  connections,
});

/**
 * Warms up: code gets compiled, connections opened, statements prepared.
 * @param {Parts} parts @param {Job} target @param {Context['options']} options
 * @returns the cost of these messages
 */
async function warmUp(parts, target, { warmMessages }) {
  const { counts: _, ...figures } = await burst(parts, { ...target, requests: warmMessages });
  await parts.sink.reset();
  return figures;
}

/**
 * @param {Parts} parts @param {Job & { requests: number }} job @param {number} [recipients] of each request
 * @throws Error when not all are accepted and delivered
 */
export async function burst({ generator, sink, stack }, job, recipients = 1) {
  const before = stack.cpu();
  const load = await generator.closedLoop({ ...job, limitMs: BURST_LIMIT_MS });
  const counts = await sink.waitFor(load.accepted * recipients, {
    limitMs: BURST_LIMIT_MS,
    quietMs: BURST_QUIET_MS,
  });
  const messages = job.requests * recipients;
  const cpu = stack.cpuPerThousand(before, messages);
  if (load.accepted < job.requests || counts.messages < messages) {
    const answers = `${JSON.stringify(load.other_answers)} ${load.other_answer_sample ?? ''}`;
    throw new Error(
      `${load.accepted} of ${job.requests} requests accepted, ${counts.messages} of ${messages} messages delivered; other answers: ${answers}`,
    );
  }
  const seconds = (counts.last - load.began) / 1e6;
  return {
    messages,
    seconds: round(seconds, 2),
    messages_per_second: round(messages / seconds),
    cpu_seconds_per_1000: cpu,
    counts,
  };
}

const sum = (parts) =>
  round(
    Object.values(parts).reduce((total, part) => total + (part ?? 0), 0),
    1,
  );

async function sustain({ generator, sink, stack, target, options, folder }) {
  const idsFile = join(folder, 'accepted');
  const { rate, sustain: seconds } = options;
  const watch = new Watch({ generator, sink, stack });
  const before = stack.cpu();
  const firstNumber = options.warmMessages;
  const load = await generator.openLoop({ ...target, rate, seconds, idsFile, firstNumber });
  const deliveredAtEnd = (await sink.counts()).messages;
  const drainFrom = nowMicros();
  const counts = await sink.waitFor(load.accepted, { limitMs: DRAIN_LIMIT_MS, quietMs: DRAIN_QUIET_MS });
  const cpu = stack.cpuPerThousand(before, counts.messages);
  watch.stop();
  const joined = joinByMessageId(new Map(readTimes(idsFile)), await sink.arrivals(folder));
  if (joined.micros.length === 0) throw new Error('no message arrived that was accepted');
  return {
    name: `deliver, ${rate}/s offered for ${seconds} s`,
    offered_per_second: rate,
    seconds,
    accepted: load.accepted,
    other_answers: load.other_answers,
    accepted_per_second: round(load.accepted_in_time / seconds, 1),
    delivered_per_second: round(deliveredAtEnd / seconds, 1),
    answer_ms: load.answer_ms,
    accepted_to_delivered_ms: percentiles(joined.micros),
    backlog: {
      ...judgeBacklog(watch.samples, { rate, seconds }),
      at: thinOut(watch.samples, 10).map(backlogOf),
    },
    drained_after_s: round(Math.max(0, counts.last - drainFrom) / 1e6, 2),
    delivered: counts.messages,
    undelivered: joined.missing,
    duplicates: joined.duplicates,
    unsigned: counts.messages - counts.signed,
    connections_to_sink: { all: counts.connections, tls: counts.tls_connections },
    memory_peak_mib: watch.peak,
    cpu_seconds_per_1000: cpu,
    cpu_seconds_per_1000_of_bench: perThousand(load.cpu_seconds, load.accepted),
  };
}

const backlogOf = ({ second, accepted, delivered }) => ({
  second: round(second),
  messages: accepted - delivered,
});

/** Reads the counters once a second, and the memory less often: the sum of shared memory costs time. */
class Watch {
  constructor(parts) {
    this.parts = parts;
    this.samples = [];
    this.peak = { postmesh: null, postgres: null };
    this.begin = nowMicros();
    parts.generator.accepted = 0;
    this.timer = setInterval(() => this.look(), SAMPLE_MS);
  }

  look() {
    const { generator, sink, stack } = this.parts;
    const second = (nowMicros() - this.begin) / 1e6;
    this.samples.push({ second, accepted: generator.accepted, delivered: sink.messages });
    if (this.samples.length % MEMORY_EVERY !== 1) return;
    for (const [part, mib] of Object.entries(stack.memory())) {
      if (mib !== null) this.peak[part] = Math.max(this.peak[part] ?? 0, mib);
    }
  }

  stop() {
    clearInterval(this.timer);
  }
}
