// @ts-check
// Known faults are put back, one after the other: the simulator has to find them.
import { runLives } from './lives.mjs';
import { ELSEWHERE } from './deliveries/mutations.table.mjs';
import { MUTATIONS } from './mutations.mjs';

/** One that is not expected to stay is looked for as long as this. */
const SECONDS_OF_ONE = 90;

/**
 * Those that are expected to stay come last, and share what is left of the time. The others begin at a place that the seed
 * decides: where the time is too short for all, those behind its end are not tried.
 * @param {{ of: string | undefined, seed: number, seconds: number, processes: number }} options `of`: only those of this subject;
 *   `seconds`: of all
 * @param {(line: string) => void} say
 * @returns {Promise<boolean>} whether all are found that were tried and are not expected to stay
 */
export async function runMutations({ of: only, seed, seconds: total, processes }, say) {
  const until = performance.now() + total * 1_000;
  const leftS = () => (until - performance.now()) / 1_000;
  const wanted = MUTATIONS.filter(({ of }) => only === undefined || of === only);
  const known = wanted.filter(({ survives }) => survives === undefined);
  const stays = wanted.filter(({ survives }) => survives !== undefined);
  const begin = seed % Math.max(1, known.length);
  const order = [...known.slice(begin), ...known.slice(0, begin), ...stays];
  const found = new Set();
  /** @type {string[]} */
  const missed = [];
  let tried = 0;
  for (const [nth, mutation] of order.entries()) {
    const { survives } = mutation;
    const seconds = survives === undefined ? SECONDS_OF_ONE : leftS() / (order.length - nth);
    if (leftS() < Math.min(seconds, SECONDS_OF_ONE) || leftS() < 1) continue;
    tried++;
    const isFound = await tryOne(mutation, { seed, seconds, processes }, say);
    if (isFound) found.add(mutation.name);
    else if (survives === undefined) missed.push(mutation.name);
  }
  const share = Math.round((100 * found.size) / Math.max(1, tried));
  say(`${found.size} of ${tried} mutations found (${share} %), ${order.length - tried} not tried`);
  if (missed.length > 0) say(`expected, and not found: ${missed.join(', ')}`);
  for (const { decision, why } of ELSEWHERE) say(`not simulated: decision ${decision}, ${why}`);
  return missed.length === 0;
}

/**
 * @param {(typeof MUTATIONS)[number]} mutation @param {{ seed: number, seconds: number, processes: number }} options
 * @param {(line: string) => void} say @returns {Promise<boolean>} whether it is found
 */
async function tryOne({ of, name, decision, fault, survives }, options, say) {
  const { failure, lives, seconds } = await runLives({
    ...{ of, lives: 1_000_000, mutation: name, isShrunk: false, ...options },
  });
  const result = failure
    ? `found in ${seconds.toFixed(0)} s and ${lives} lives (${failure.breaches[0]?.rule})`
    : `NOT found in ${lives} lives${survives === undefined ? '' : `: ${survives}`}`;
  const mark = failure ? ' ok ' : survives === undefined ? 'MISS' : '  - ';
  say(`${mark} ${of}, decision ${decision}, ${name}: ${fault}\n       ${result}`);
  return failure !== undefined;
}
