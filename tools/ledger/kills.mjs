// @ts-check
// Times of the kills: random, each during another operation.
import { sleep, waitUntil } from '../processes.mjs';
import { Client } from './system.mjs';

const WAITED_FOR_MS = 20_000;
/** Parts without which nothing is accepted. */
const ACCEPTED_MEANWHILE_MS = 5_000;
const ACCEPTED_MEANWHILE = 20;

/**
 * @typedef {import('./load.mjs').Load} Load
 * @typedef {import('./load.mjs').Round} Round
 * @typedef {() => number} Random from 0 to 1
 * @typedef {{ load: Load, round: Round, random: Random }} Moment
 */

/** Operations for kills: each resolves at a random time during the operation. @type {Record<string, (moment: Moment) => Promise<unknown>>} */
const MOMENTS = {
  accepting: ({ load, random }) => {
    const enough = load.book.items.size + between(random, 20, 60);
    return until(() => load.book.items.size >= enough, 5);
  },
  campaign: ({ load, round, random }) => {
    const client = new Client(load.system);
    const most = round.campaign.recipients * (1 - random() * 0.8);
    return until(async () => {
      const { body } = await client.api('GET', `/campaigns/${round.campaign.id}/stats`);
      return body.queued + body.delivered > 0 && body.pending <= most;
    }, 20);
  },
  import: ({ load, round, random }) => {
    const client = new Client(load.system);
    const { path, lines } = round.imports[between(random, 0, round.imports.length - 1)];
    const enough = random() * 0.5 * lines;
    return until(async () => (await client.operator('GET', path)).body.lines_done > enough, 20);
  },
  webhooks: ({ load, random }) => {
    const enough = load.book.calls + between(random, 40, 400);
    return until(() => load.book.calls >= enough, 5);
  },
};
const NAMES = Object.keys(MOMENTS);

/**
 * One kill: a campaign, imports and a burst begin, and at a random time during one of them the part is killed. It
 * comes back after the others have run without it for a while.
 * @param {{ load: Load, part: string, nth: number, random: Random }} about
 * @throws Error when the part does not come back
 */
export async function killOnce({ load, part, nth, random }) {
  const { system, book } = load;
  const round = await load.round();
  load.burst();
  const before = NAMES[nth % NAMES.length];
  await MOMENTS[before]({ load, round, random }).catch(() => undefined);
  await sleep(random() * 300);
  const inFlight = load.inFlight.size;
  const began = performance.now();
  load.down = part;
  load.downSince = performance.now();
  await system.kill(part);
  if (system.acceptsMeanwhile) {
    const enough = book.items.size + ACCEPTED_MEANWHILE;
    await waitUntil(() => book.items.size >= enough, { limitMs: ACCEPTED_MEANWHILE_MS });
  }
  await system.begin(part);
  load.down = '';
  book.kills.push({ what: part, before, inFlight, downMs: Math.round(performance.now() - began) });
}

/** @param {() => boolean | Promise<boolean>} condition @param {number} everyMs */
const until = (condition, everyMs) => waitUntil(condition, { limitMs: WAITED_FOR_MS, everyMs });

/** @param {Random} random whole numbers, both ends included @returns {number} */
const between = (random, least, most) => least + Math.floor(random() * (most - least + 1));

/** The same numbers for the same seed (mulberry32). @param {number} seed @returns {Random} */
export function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
