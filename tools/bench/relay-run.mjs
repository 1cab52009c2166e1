// (c) Postmesh's side of the comparison: as many messages as fast as they are taken, until the last is delivered.
import { warmUp } from './deliver-run.mjs';
import { perThousand, round } from './figures.rules.mjs';
import { withParts } from './with-parts.mjs';

const LIMIT_MS = 180_000;
const QUIET_MS = 20_000;

/** The same count, size and parallelism as Postfix gets; from the first request until the last `250`. */
export function measureRelay({ options, note }) {
  // smtp-sink knows no STARTTLS
  return withParts({ tls: false, note }, async ({ sink, stack, generator }) => {
    const { bodyBytes, connections, messages } = options;
    const target = { ...stack.target({ recipients: 1, bodyBytes }), connections };
    await warmUp({ generator, sink, target });
    const before = stack.cpu();
    const load = await generator.closedLoop({ ...target, requests: messages, limitMs: LIMIT_MS });
    const counts = await sink.waitFor(load.accepted, { limitMs: LIMIT_MS, quietMs: QUIET_MS });
    const after = stack.cpu();
    if (load.accepted < messages || counts.messages < load.accepted) {
      throw new Error(`${load.accepted} of ${messages} messages accepted, ${counts.messages} delivered`);
    }
    const seconds = (counts.last - load.began) / 1e6;
    const cpu = (part) => perThousand(after[part] - before[part], messages);
    return {
      name: `Postmesh, ${counts.signed === counts.messages ? 'signed' : 'NOT ALL SIGNED'}`,
      messages,
      seconds: round(seconds, 2),
      messages_per_second: round(messages / seconds),
      cpu_seconds_per_1000: { postmesh: cpu('postmesh'), postgres: cpu('postgres') },
      memory_mib: sum(stack.memory()),
    };
  });
}

const sum = (parts) =>
  round(
    Object.values(parts).reduce((total, part) => total + (part ?? 0), 0),
    1,
  );
