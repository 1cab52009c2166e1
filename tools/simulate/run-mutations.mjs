// @ts-check
// Each known fault is put back, one after the other: the simulator has to find it.
import { runLives } from './lives.mjs';
import { ELSEWHERE } from './deliveries/mutations.table.mjs';
import { MUTATIONS } from './mutations.mjs';

/** One that is not expected to stay is looked for as long as this. */
const SECONDS_OF_ONE = 90;

/**
 * Those that are expected to stay come last, and share what is left of the time.
 * @param {{ seed: number, seconds: number, processes: number }} options `seconds`: of all
 * @param {(line: string) => void} say
 * @returns {Promise<boolean>} whether all are found that are not expected to stay
 */
export async function runMutations({ seed, seconds: total, processes }, say) {
  /** @type {string[]} */
  const missed = [];
  const until = performance.now() + total * 1_000;
  const known = MUTATIONS.filter(({ survives }) => survives === undefined);
  const stays = MUTATIONS.filter(({ survives }) => survives !== undefined);
  for (const [nth, { of, name, decision, fault, survives }] of [...known, ...stays].entries()) {
    const left = Math.max(1, (until - performance.now()) / 1_000);
    const seconds = survives === undefined ? Math.min(SECONDS_OF_ONE, left) : left / (MUTATIONS.length - nth);
    const {
      failure,
      lives,
      seconds: took,
    } = await runLives({ of, seed, lives: 1_000_000, seconds, processes, mutation: name });
    const result = failure
      ? `found in ${took.toFixed(0)} s by ${failure.plan.length} steps (${failure.breaches[0]?.rule})`
      : `NOT found in ${lives} lives${survives === undefined ? '' : `: ${survives}`}`;
    say(
      `${failure ? ' ok ' : survives === undefined ? 'MISS' : '  - '} decision ${decision}, ${name}: ${fault}\n       ${result}`,
    );
    if (!failure) missed.push(name);
  }
  const unexpected = missed.filter(
    (name) => MUTATIONS.find((one) => one.name === name)?.survives === undefined,
  );
  const share = Math.round((100 * (MUTATIONS.length - missed.length)) / MUTATIONS.length);
  say(`${MUTATIONS.length - missed.length} of ${MUTATIONS.length} mutations found (${share} %)`);
  for (const { decision, why } of ELSEWHERE) say(`not simulated: decision ${decision}, ${why}`);
  return unexpected.length === 0;
}
