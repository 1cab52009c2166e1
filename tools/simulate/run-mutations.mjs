// @ts-check
// Each known fault is put back, one after the other: the simulator has to find it.
import { runLives } from './lives.mjs';
import { ELSEWHERE } from './deliveries/mutations.table.mjs';
import { MUTATIONS } from './mutations.mjs';

/**
 * @param {{ seed: number, seconds: number, processes: number }} options seconds of each
 * @param {(line: string) => void} say
 * @returns {Promise<boolean>} whether all are found that are not expected to stay
 */
export async function runMutations({ seed, seconds, processes }, say) {
  /** @type {string[]} */
  const missed = [];
  for (const { of, name, decision, fault, survives } of MUTATIONS) {
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
