// @ts-check
// (p) Cost of a message, compared in one run: systems of several trees or versions of Node, and the references, are started
// together and have their rounds alternately, so that other load on the machine affects all of them. All but the one
// whose round it is are frozen. Loads: full speed, a rate, and only accepting.
import { join } from 'node:path';
import { backendSeconds, signatureMicros, threadSeconds } from './cpu.mjs';
import { burst } from './deliver-run.mjs';
import { cpuOfMessage, joinByMessageId, median, medianRound, percentiles, round } from './figures.rules.mjs';
import { freeze, thaw } from './frozen.mjs';
import { REFERENCES, RunningReference, whyNotMeasured } from './postfix.mjs';
import { PROFILED_NODE, profileWhile, whyNoProfile } from './profile.mjs';
import { makeFolder, removeFolder, sleep } from '../tools/processes.mjs';
import { withParts } from './stack.mjs';
import { machinePace, progress } from './report.mjs';
import { withVariants } from './trees.mjs';
import { readTimes } from './workers.mjs';

const QUIET_MS = 20_000;
const LIMIT_MS = 120_000;
// The work after a delivery (statuses, statistics, webhooks) belongs to its cost.
const SETTLE_MS = 1_500;
const ACCEPT_CLIENTS = [64, 256];
const WAKE_MESSAGES = 200;

/**
 * @typedef {import('./options.mjs').Context} Context
 * @typedef {import('./stack.mjs').Parts} Parts
 */

/** @param {Context} context @returns {Promise<Record<string, any>>} figures */
export function measureSpeed(context) {
  const { options } = context;
  const why = options.profile ? whyNoProfile() : undefined;
  if (why) throw new Error(why);
  return withVariants(options, (variants) =>
    withSystems(options.profile ? variants.map(profiled) : variants, context, [], async (runners) => {
      const cold = await eachOnce(runners, (runner) => runner.burst(options.warmMessages));
      const { started: references, skipped } = options.loads.includes('postfix')
        ? await startReferences(context)
        : NO_REFERENCES;
      try {
        const all = [...runners, ...references];
        for (const { load, withReferences, run } of loadsOf(options)) {
          await inTurns(withReferences ? all : runners, options.rounds, load, run);
        }
        const systems = all.map(({ name, samples }, nth) => ({
          name,
          cold: cold[nth],
          loads: summaries(samples),
        }));
        const memory = runners.map((one) => one.memory());
        const [own] = runners;
        const profiling = () => own.profile(options.roundMessages);
        const profile = options.profile ? await alone(own, profiling) : undefined;
        return {
          name: NAME,
          rate: options.rate,
          rounds: options.rounds,
          systems,
          memory,
          profile,
          skipped,
          ratios: ratiosOf(all),
        };
      } finally {
        for (const reference of references) await reference.stop();
      }
    }),
  );
}

/** @param {Context['options']} options */
function loadsOf({ loads, roundMessages, seconds }) {
  const known = [
    { of: 'burst', load: 'burst', withReferences: true, run: (one) => one.burst(roundMessages) },
    { of: 'rate', load: 'rate', withReferences: false, run: (one) => one.rate(seconds) },
    ...ACCEPT_CLIENTS.map((clients) => {
      const load = `accept, ${clients} clients`;
      return { of: 'accept', load, withReferences: false, run: (one) => one.accept(clients) };
    }),
  ];
  return known.filter(({ of }) => loads.includes(of));
}

const profiled = (variant) => ({ ...variant, nodeArguments: PROFILED_NODE });

const NAME = 'CPU of a message, systems in turns';

/** Nested, so that each is stopped when a later one fails. */
async function withSystems(variants, context, runners, work) {
  const [variant, ...others] = variants;
  if (variant === undefined) return work(runners);
  const about = {
    tls: context.options.tls,
    note: runners.length === 0 ? context.note : () => undefined,
    variant,
  };
  return withParts(about, async (parts) => {
    const system = new System(variant.name, parts, context.options);
    system.freeze();
    return withSystems(others, context, [...runners, system], work);
  });
}

const NO_REFERENCES = { started: [], skipped: [] };

/** @param {Context} context */
async function startReferences(context) {
  /** @type {Record<string, any>[]} */
  const started = [];
  /** @type {{ part: string, reason: string }[]} */
  const skipped = [];
  for (const reference of Object.values(REFERENCES)) {
    try {
      const why = whyNotMeasured(reference);
      if (why) throw new Error(why);
      const running = await RunningReference.start(reference, context);
      started.push(asRunner(running));
      freeze(running.groups());
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      progress(`${reference.name}: left out: ${reason}`);
      skipped.push({ part: reference.name, reason });
    }
  }
  return { started, skipped };
}

/** @param {RunningReference} running */
const asRunner = (running) => ({
  name: running.name,
  /** @type {Record<string, Record<string, any>[]>} */
  samples: {},
  burst: async (messages) => {
    const { messages_per_second, cpu_seconds_per_1000: cpu } = await running.measure(messages);
    return { messages_per_second, cpu_us: microsOf(cpu) };
  },
  freeze: () => freeze(running.groups()),
  thaw: async () => thaw(running.groups()),
  stop: async () => {
    thaw(running.groups());
    await running.stop();
  },
});

const microsOf = (cpu) => ({
  all: round(Object.values(cpu).reduce((sum, one) => sum + (one ?? 0), 0) * 1e3),
});

/** Each round begins with another system. */
async function inTurns(runners, rounds, load, run) {
  for (let nth = 0; nth < rounds; nth += 1) {
    const first = nth % runners.length;
    for (const runner of [...runners.slice(first), ...runners.slice(0, first)]) {
      (runner.samples[load] ??= []).push(await alone(runner, () => run(runner)));
    }
  }
}

/** All are frozen but this one, and it afterwards again. The pace of the machine belongs to its figures. */
async function alone(runner, run) {
  const machine = machinePace();
  await runner.thaw();
  try {
    return { ...(await run()), machine };
  } finally {
    runner.freeze();
  }
}

async function eachOnce(runners, run) {
  const results = [];
  for (const runner of runners) results.push(await alone(runner, () => run(runner)));
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

  freeze() {
    this.parts.stack.freeze();
  }

  /** With some messages, as it has new connections to everything. */
  async thaw() {
    await this.parts.stack.thaw();
    if (this.sent === 0) return;
    const job = { ...this.target(), requests: WAKE_MESSAGES, firstNumber: this.sent };
    this.sent += WAKE_MESSAGES;
    await this.parts.sink.reset();
    await burst(this.parts, job);
  }

  async burst(messages) {
    await this.parts.sink.reset();
    const job = { ...this.target(), requests: messages, firstNumber: this.sent };
    this.sent += messages;
    const { result, cpu } = await this.measured(() => burst(this.parts, job), 1);
    return { messages_per_second: result.messages_per_second, cpu_us: cpu };
  }

  /** One more burst, outside the other figures. */
  profile(messages) {
    return profileWhile(this.parts.stack.processes(), () => this.burst(messages));
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

  /** The messages are due in an hour: the machine only accepts. */
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
      threads: threadSeconds(stack.processes()),
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

/** The median round of each load. */
const summaries = (samples) =>
  Object.fromEntries(
    Object.entries(samples).map(([load, rounds]) => [load, { ...medianRound(rounds), rounds }]),
  );

/**
 * The first system by each other one, round by round: the median of the pairs.
 * @param {any[]} systems at least one
 */
function ratiosOf(systems) {
  const [first, ...others] = systems;
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
