// (b) From the `202` to the sink's `250`, at a rate that does not wait for anything.
import { join } from 'node:path';
import { makeFolder, removeFolder } from './children.mjs';
import { nowMicros } from './clock.mjs';
import { joinByMessageId, judgeBacklog, percentiles, perThousand, round, thinOut } from './figures.rules.mjs';
import { readTimes } from './parts.mjs';
import { withParts } from './with-parts.mjs';

const WARM_UP_MESSAGES = 500;
const WARM_UP_LIMIT_MS = 60_000;
const DRAIN_LIMIT_MS = 120_000;
const DRAIN_QUIET_MS = 15_000;
const SAMPLE_MS = 1_000;
const MEMORY_EVERY = 5;

export async function measureDelivery({ options, note }) {
  const folder = makeFolder('times');
  try {
    return await withParts({ tls: options.tls, note }, async (parts) => {
      const target = {
        ...parts.stack.target({ recipients: 1, bodyBytes: options.bodyBytes }),
        connections: options.connections,
      };
      await warmUp({ ...parts, target });
      return sustain({ ...parts, target, options, folder });
    });
  } finally {
    removeFolder(folder);
  }
}

/** Code that is compiled, connections that are open, statements that are prepared. */
export async function warmUp({ generator, sink, target }) {
  const load = await generator.closedLoop({
    ...target,
    requests: WARM_UP_MESSAGES,
    limitMs: WARM_UP_LIMIT_MS,
  });
  const { messages } = await sink.waitFor(load.accepted, { limitMs: WARM_UP_LIMIT_MS });
  if (load.accepted === 0 || messages < load.accepted) {
    const answers = `${JSON.stringify(load.other_answers)} ${load.other_answer_sample ?? ''}`;
    throw new Error(
      `warm-up: ${load.accepted} messages accepted, ${messages} delivered; other answers: ${answers}`,
    );
  }
  await sink.reset();
}

async function sustain({ generator, sink, stack, target, options, folder }) {
  const idsFile = join(folder, 'accepted');
  const { rate, sustain: seconds } = options;
  const watch = new Watch({ generator, sink, stack });
  const before = stack.cpu();
  const load = await generator.openLoop({ ...target, rate, seconds, idsFile, firstNumber: WARM_UP_MESSAGES });
  const deliveredAtEnd = (await sink.counts()).messages;
  const drainFrom = nowMicros();
  const counts = await sink.waitFor(load.accepted, { limitMs: DRAIN_LIMIT_MS, quietMs: DRAIN_QUIET_MS });
  const after = stack.cpu();
  watch.stop();
  const joined = joinByMessageId(new Map(readTimes(idsFile)), await sink.arrivals(folder));
  if (joined.micros.length === 0) throw new Error('no message arrived that was accepted');
  const cpu = (part) => perThousand(after[part] - before[part], counts.messages);
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
    cpu_seconds_per_1000: { postmesh: cpu('postmesh'), postgres: cpu('postgres') },
    cpu_seconds_per_1000_of_bench: perThousand(load.cpu_seconds, load.accepted),
  };
}

const backlogOf = ({ second, accepted, delivered }) => ({
  second: round(second),
  messages: accepted - delivered,
});

/** Looks at the counters once a second, and at the memory more seldom: adding up what is shared costs time. */
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
