// @ts-check
// (q) CPU time of an installation with nothing to do: fresh, once its start is over.
import { round } from './figures.rules.mjs';
import { processTree, sleep } from '../tools/processes.mjs';
import { backendSeconds, threadSeconds } from './cpu.mjs';
import { withParts } from './stack.mjs';

// The rest of a start: compilation, first runs of periodic tasks, connections that are not needed again.
const SETTLE_S = 120;

/** @param {import('./options.mjs').Context} context @returns {Promise<Record<string, any>>} figures */
export function measureIdle({ options, note }) {
  return withParts({ tls: false, note }, async ({ stack }) => {
    await sleep(SETTLE_S * 1_000);
    const before = usage(stack);
    const from = performance.now();
    await sleep(options.idleSeconds * 1_000);
    const seconds = (performance.now() - from) / 1_000;
    const after = usage(stack);
    const postgres = perSecond(before.postgres, after.postgres, seconds);
    const threads = Object.fromEntries(
      [...after.threads].map(([name, used]) => [
        name,
        perSecond(before.threads.get(name) ?? 0, used, seconds),
      ]),
    );
    const node = round(
      Object.values(threads).reduce((sum, one) => sum + one, 0),
      2,
    );
    return {
      name: `idle for ${options.idleSeconds} s`,
      seconds: round(seconds, 1),
      cpu_ms_per_second: { all: round(node + postgres, 2), node, postgres },
      threads,
      processes: stack.processes().length + processTree(stack.postmaster).length,
    };
  });
}

/** @param {import('./stack.mjs').Stack} stack */
const usage = (stack) => ({
  threads: threadSeconds(stack.processes()),
  postgres: [...backendSeconds(stack.postmaster, new Map()).values()].reduce(
    (sum, { seconds }) => sum + seconds,
    0,
  ),
});

const perSecond = (from, to, seconds) => round(((to - from) * 1_000) / seconds, 2);
