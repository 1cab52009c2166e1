// @ts-check
// Lives one after the other, until one fails; that one is made as short as it can be.
import { Life } from './life.mjs';
import { judge } from './oracle.rules.mjs';
import { planOf } from './plan.mjs';
import { shrink } from './shrink.mjs';
import { openStore } from './store.mjs';
import { installVirtualTime, machineNow } from './virtual-time.mjs';

/**
 * @param {import('./lives-process.mjs').Order} order
 * @param {(what: import('./lives.mjs').Report) => void} report
 * @param {() => boolean} isWanted false: no further life
 */
export async function runLives({ seed, from, stride, lives, seconds, isTraced }, report, isWanted) {
  installVirtualTime();
  const store = await openStore();
  const until = machineNow() + seconds * 1_000;
  const live = async (/** @type {import('./plan.mjs').Plan} */ plan, isWhole = false) => {
    const history = await new Life(plan, store, { isTraced: isWhole }).run();
    return { history, breaches: judge(history) };
  };
  try {
    for (let nth = 0; nth < lives && machineNow() < until && isWanted(); nth++) {
      const plan = planOf(seed, from + nth * stride);
      const { history, breaches } = await live(plan, isTraced);
      report({ kind: 'life', ...figuresOf(history) });
      if (breaches.length === 0 && !isTraced) continue;
      const rules = new Set(breaches.map(({ rule }) => rule));
      const least =
        breaches.length === 0
          ? plan
          : await shrink(plan, async (smaller) =>
              (await live(smaller)).breaches.some(({ rule }) => rules.has(rule)),
            );
      const last = await live(least, isTraced);
      report({
        kind: 'failed',
        life: plan.life,
        breaches: last.breaches,
        plan: least,
        trace: last.history.trace,
        hash: last.history.hash,
      });
      if (breaches.length > 0) break;
    }
  } finally {
    await store.close();
  }
}

/** @param {import('./oracle.rules.mjs').History} history */
const figuresOf = ({ steps, start, endedAt, faults, hash, copies, plan }) => ({
  life: plan.life,
  steps,
  hash,
  virtualMs: endedAt - start,
  faults: faults.length,
  attempts: copies.length,
});
