// @ts-check
// Lives one after the other, until one fails; that one is made as short as it can be.
import { shrink } from './shrink.mjs';
import { openStore } from './store.mjs';
import { installVirtualTime, machineNow } from './virtual-time.mjs';

/** A life that fails is made shorter for as long as this. */
const SHRINKS_MS = 40_000;

/**
 * @param {import('./subjects.mjs').Subject} subject
 * @param {import('./lives-process.mjs').Order} order
 * @param {(what: import('./lives.mjs').Report) => void} report
 * @param {() => boolean} isWanted false: no further life
 */
export async function runLives(subject, order, report, isWanted) {
  const { seed, from, stride, lives, seconds, isTraced = false, isShrunk = true } = order;
  installVirtualTime();
  const endAt = machineNow() + seconds * 1_000;
  const store = await openStore(subject.databases);
  const live = (/** @type {any} */ plan, isWhole = false) => subject.live(plan, store, { isTraced: isWhole });
  try {
    for (let nth = 0; nth < lives && isWanted() && (nth === 0 || machineNow() < endAt); nth++) {
      const plan = subject.planOf(seed, from + nth * stride);
      const lived = await live(plan, isTraced);
      const { breaches } = lived;
      report({ kind: 'life', life: plan.life, ...figuresOf(lived) });
      if (breaches.length === 0 && !isTraced) continue;
      const rules = new Set(breaches.map(({ rule }) => rule));
      const until = machineNow() + SHRINKS_MS;
      const least =
        breaches.length === 0 || !isShrunk
          ? plan
          : await shrink(
              plan,
              async (smaller) =>
                machineNow() < until && (await live(smaller)).breaches.some(({ rule }) => rules.has(rule)),
            );
      const last = least === plan ? lived : await live(least, isTraced);
      report({
        kind: 'failed',
        life: plan.life,
        breaches: last.breaches,
        plan: least.steps.map(subject.lineOf),
        trace: last.history.trace,
        hash: last.history.hash,
      });
      if (breaches.length > 0) break;
    }
  } finally {
    await store.close();
  }
}

/** @param {import('./subjects.mjs').Lived} lived */
const figuresOf = ({ history: { steps, start, endedAt, faults, hash }, attempts }) => ({
  steps,
  hash,
  virtualMs: endedAt - start,
  faults: faults.length,
  attempts,
});
