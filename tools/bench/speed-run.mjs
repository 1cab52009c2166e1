// @ts-check
// (o) What a message costs, judged in one run: systems of several trees or versions of Node, and Postfix beside them, are
// started together and have their rounds in turns, so that whatever else the machine does meets all of them. Loads:
// as fast as it goes, a rate, and accepting alone.
import { join } from 'node:path';
import { add, backendSeconds, signatureMicros, threadSeconds } from './cpu.mjs';
import { burst } from './deliver-run.mjs';
import { joinByMessageId, median, percentiles, round } from './figures.rules.mjs';
import { RunningPostfix, whyNoPostfix, whyNoSigner } from './postfix.mjs';
import { makeFolder, removeFolder, sleep } from './processes.mjs';
import { withParts } from './stack.mjs';
import { withVariants } from './trees.mjs';
import { readTimes } from './workers.mjs';

const QUIET_MS = 20_000;
const LIMIT_MS = 120_000;
// What follows a delivery (statuses, statistics, webhooks) belongs to its costs.
const SETTLE_MS = 1_500;
const ACCEPT_CLIENTS = [64, 256];

/**
 * @typedef {import('./options.mjs').Context} Context
 * @typedef {import('./stack.mjs').Parts} Parts
 */

/** @param {Context} context @returns {Promise<Record<string, any>>} figures */
export function measureSpeed(context) {
  const { options } = context;
  return withVariants(options, (variants) =>
    withSystems(variants, context, [], async (runners) => {
      const cold = await eachOnce(runners, (runner) => runner.burst(options.warmMessages));
      const references = await startPostfix(context);
      try {
        const all = [...runners, ...references];
        await inTurns(all, options.rounds, 'burst', (one) => one.burst(options.roundMessages));
        await inTurns(runners, options.rounds, 'rate', (one) => one.rate(options.seconds));
        for (const clients of ACCEPT_CLIENTS) {
          await inTurns(runners, options.rounds, `accept, ${clients} clients`, (one) => one.accept(clients));
        }
        const systems = all.map(({ name, samples }, nth) => ({
          name,
          cold: cold[nth],
          loads: summaries(samples),
        }));
        const memory = runners.map((one) => one.memory());
        return {
          name: NAME,
          rate: options.rate,
          rounds: options.rounds,
          systems,
          memory,
          ratios: ratiosOf(all),
        };
      } finally {
        for (const reference of references) await reference.stop();
      }
    }),
  );
}

const NAME = 'CPU of a message, systems in turns';

/** One inside the other, so that each is stopped whatever happens to the next. */
async function withSystems(variants, context, runners, work) {
  const [variant, ...others] = variants;
  if (variant === undefined) return work(runners);
  const about = {
    tls: context.options.tls,
    note: runners.length === 0 ? context.note : () => undefined,
    variant,
  };
  return withParts(about, (parts) =>
    withSystems(others, context, [...runners, new System(variant.name, parts, context.options)], work),
  );
}

/** @param {Context} context */
async function startPostfix(context) {
  if (whyNoPostfix()) return [];
  const started = [];
  for (const signed of whyNoSigner() ? [false] : [true, false]) {
    const postfix = await RunningPostfix.start({ signed }, context);
    const name = signed ? 'Postfix, signed' : 'Postfix, unsigned';
    const round = async (messages) => {
      const { messages_per_second, cpu_seconds_per_1000: cpu } = await postfix.measure(messages);
      return { messages_per_second, cpu_us: microsOf(cpu) };
    };
    started.push({ name, samples: {}, burst: round, stop: () => postfix.stop() });
  }
  return started;
}

const microsOf = (cpu) => ({
  all: round(Object.values(cpu).reduce((sum, one) => sum + (one ?? 0), 0) * 1e3),
});

/** Another one begins each round. */
async function inTurns(runners, rounds, load, run) {
  for (let nth = 0; nth < rounds; nth += 1) {
    const first = nth % runners.length;
    for (const runner of [...runners.slice(first), ...runners.slice(0, first)]) {
      (runner.samples[load] ??= []).push(await run(runner));
    }
  }
}

async function eachOnce(runners, run) {
  const results = [];
  for (const runner of runners) results.push(await run(runner));
  return results;
}

class System {
  /** @param {string} name @param {Parts} parts @param {Context['options']} options */
  constructor(name, parts, options) {
    this.name = name;
    this.parts = parts;
    this.options = options;
    /** @type {Record<string, Record<string, any>[]>} */
    this.samples = {};
    this.sent = 0;
  }

  async burst(messages) {
    await this.parts.sink.reset();
    const job = { ...this.target(), requests: messages, firstNumber: this.sent };
    this.sent += messages;
    const { result, cpu } = await this.measured(() => burst(this.parts, job), 1);
    return { messages_per_second: result.messages_per_second, cpu_us: cpu };
  }

  async rate(seconds) {
    const { sink, generator } = this.parts;
    const { rate } = this.options;
    await sink.reset();
    const folder = makeFolder('times');
    try {
      const idsFile = join(folder, 'accepted');
      const job = { ...this.target(), rate, seconds, idsFile, firstNumber: this.sent };
      this.sent += rate * seconds;
      const { result, cpu } = await this.measured(async () => {
        const load = await generator.openLoop(job);
        await sink.waitFor(load.accepted, { limitMs: LIMIT_MS, quietMs: QUIET_MS });
        return { answer_ms: load.answer_ms, messages: load.accepted };
      }, 1);
      const joined = joinByMessageId(new Map(readTimes(idsFile)), await sink.arrivals(folder));
      return {
        messages_per_second: round(result.messages / seconds),
        answer_ms: result.answer_ms,
        accepted_to_delivered_ms: percentiles(joined.micros),
        undelivered: joined.missing,
        duplicates: joined.duplicates,
        cpu_us: cpu,
      };
    } finally {
      removeFolder(folder);
    }
  }

  /** The messages wait for an hour: accepting has the machine to itself. */
  async accept(clients) {
    const { stack, generator } = this.parts;
    const { bodyBytes, seconds } = this.options;
    const firstAttempt = new Date(Date.now() + 3_600_000).toISOString();
    const target = stack.target({ recipients: 1, bodyBytes, firstAttempt });
    const { result, cpu } = await this.measured(async () => {
      const load = await generator.closedLoop({
        ...target,
        connections: clients,
        seconds,
        firstNumber: this.sent,
      });
      return { load, messages: load.accepted };
    });
    this.sent += result.load.sent;
    const { accepted_in_time: accepted, answer_ms } = result.load;
    return { messages_per_second: round(accepted / seconds), answer_ms, cpu_us: cpu };
  }

  /**
   * @template {{ messages: number }} T
   * @param {() => Promise<T>} work
   * @param {number} [signatures] of each message
   */
  async measured(work, signatures = 0) {
    const signature = signatures === 0 ? 0 : signatureMicros();
    const before = await this.cpu();
    const result = await work();
    await sleep(SETTLE_MS);
    const after = await this.cpu();
    return { result, cpu: cpuOfMessage(before, after, { messages: result.messages, signature }) };
  }

  async cpu() {
    const { stack } = this.parts;
    const names = await stack.backends();
    const { postgres } = stack.cpu();
    return {
      threads: threadSeconds(stack.child.pid),
      backends: backendSeconds(stack.postmaster, names),
      postgres: postgres ?? 0,
    };
  }

  memory() {
    return { name: this.name, ...this.parts.stack.memory() };
  }

  target() {
    const { bodyBytes, connections } = this.options;
    return { ...this.parts.stack.target({ recipients: 1, bodyBytes }), connections };
  }
}

/**
 * @param {Awaited<ReturnType<System['cpu']>>} before @param {Awaited<ReturnType<System['cpu']>>} after
 * @param {{ messages: number, signature: number }} about microseconds of one signature, 0 = none is made
 * @returns {Record<string, any>} microseconds of each message. The signature is a part of Node's threads by its own
 *   measured cost; `rest` is all but that
 */
function cpuOfMessage(before, after, { messages, signature }) {
  const of = (seconds) => round((seconds / Math.max(1, messages)) * 1e6);
  const threads = new Map();
  for (const [name, seconds] of after.threads) add(threads, name, seconds - (before.threads.get(name) ?? 0));
  const backends = new Map();
  for (const [pid, { name, seconds }] of after.backends) {
    add(backends, name, seconds - (before.backends.get(pid)?.seconds ?? 0));
  }
  const node = of([...threads.values()].reduce((sum, one) => sum + one, 0));
  // what ended meanwhile is in none of the backends
  const postgres = of(
    Math.max(
      [...backends.values()].reduce((sum, one) => sum + one, 0),
      0,
    ),
  );
  const signed = Math.min(round(signature), node);
  return {
    all: node + postgres,
    rest: node + postgres - signed,
    node,
    postgres,
    signature: signed,
    threads: Object.fromEntries([...threads].map(([name, seconds]) => [name, of(seconds)])),
    backends: Object.fromEntries([...backends].map(([name, seconds]) => [name, of(seconds)])),
  };
}

/** Of each load its median round; the least CPU time of one, too, since work of others can only add to it. */
const summaries = (samples) =>
  Object.fromEntries(
    Object.entries(samples).map(([load, rounds]) => [load, { ...medianOf(rounds), rounds }]),
  );

function medianOf(rounds) {
  const sorted = [...rounds].sort((a, b) => a.cpu_us.all - b.cpu_us.all);
  return { ...sorted[Math.floor((sorted.length - 1) / 2)], least_us: sorted[0]?.cpu_us.all };
}

/** The first system by each other one, round by round: the median of the pairs. */
function ratiosOf([first, ...others]) {
  /** @type {Record<string, number | null>} */
  const ratios = {};
  for (const { name, samples } of others) {
    for (const [load, rounds] of Object.entries(samples)) {
      const pairs = (of) => median(rounds.map((one, nth) => of(first.samples[load][nth]) / of(one)));
      ratios[`${load}: CPU to ${name}`] = round(
        pairs(({ cpu_us: cpu }) => cpu.all),
        3,
      );
      ratios[`${load}: messages/s to ${name}`] = round(
        pairs((one) => one.messages_per_second),
        3,
      );
    }
  }
  return ratios;
}
