// @ts-check
import { SUBJECTS } from './subjects.mjs';

/** @param {string} of @param {number} seed @param {import('./lives.mjs').Failure} failure */
export function renderFailure(of, seed, { life, breaches, plan, trace, hash }) {
  return [
    ...breaches.map(({ rule, text }) => `FAILED ${rule}: ${text}`),
    `The steps that it takes, of life ${life} of seed ${seed}:`,
    ...plan.map((line) => `  ${line}`),
    'What happened:',
    ...trace.map((line) => `  ${line}`),
    `To repeat it: npm run simulate -- --of ${of} --seed ${seed} --life ${life}   (trace ${hash.toString(16)})`,
  ].join('\n');
}

/** @param {string} of @param {number} seed @param {import('./lives.mjs').Totals} totals */
export function renderTotals(of, seed, { lives, steps, virtualMs, faults, attempts, seconds, failure }) {
  const hours = virtualMs / 3_600_000;
  const found = (failure?.breaches.length ?? 0) > 0 ? 1 : 0;
  return [
    `${of}, seed ${seed}: ${lives} lives in ${seconds.toFixed(1)} s (${(lives / seconds).toFixed(1)} a second), ${(hours / 24).toFixed(2)} simulated days,`,
    `${steps} decisions of the scheduler, ${attempts} ${SUBJECTS[of]?.of}, ${faults} faults`,
    `${lives - found} lives passed, ${found} failed`,
  ].join('\n');
}
