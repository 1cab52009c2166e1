// @ts-check
// One run of the ledger: a system, a load, kills, a verdict.
import { sleep } from '../bench/processes.mjs';
import { Book } from './book.mjs';
import { startDistributed } from './distributed.mjs';
import { startEmbedded } from './embedded.mjs';
import { killOnce, randomFrom } from './kills.mjs';
import { Load } from './load.mjs';
import { startReceiver, startSink } from './outside.mjs';
import { settle } from './settle.mjs';
import { judge } from './verdict.rules.mjs';

/**
 * @typedef {object} Run
 * @property {'embedded' | 'distributed'} mode
 * @property {number} seconds of load
 * @property {readonly string[]} kills parts to kill, one after the other, spread over the time
 * @property {number} seed
 * @property {import('./load.mjs').Sizes} sizes
 * @property {string} [databaseUrl] of an empty database, for the distributed mode
 * @property {(line: string) => void} [say] progress for people
 */

/**
 * @param {Run} run
 * @returns {Promise<{ book: Book, verdict: import('./verdict.rules.mjs').Verdict }>}
 * @throws Error when the system does not start, or does not come back from a kill
 */
export async function runLedger({ mode, seconds, kills, seed, sizes, databaseUrl, say = () => {} }) {
  const book = new Book();
  /** @type {(() => Promise<unknown>)[]} */
  const stops = [];
  try {
    const sink = await startSink(book);
    stops.push(sink.stop);
    const receiver = await startReceiver(book);
    stops.push(receiver.stop);
    say(`starting Postmesh, ${mode}`);
    const world = { sinkPort: sink.port, databaseUrl };
    const system = await (mode === 'embedded' ? startEmbedded(world) : startDistributed(world));
    stops.push(system.stop);
    refuseUnknown(kills, system.parts);
    const load = new Load(system, book, { sizes, receiverUrl: receiver.url });
    await load.prepare();
    await drive({ load, seconds, kills, random: randomFrom(seed), say });
    say(`waiting for what is under way: ${book.items.size} messages accepted`);
    await settle(system, book);
    return { book, verdict: judge(book) };
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

/** @param {{ load: Load, seconds: number, kills: readonly string[], random: () => number, say: (line: string) => void }} about */
async function drive({ load, seconds, kills, random, say }) {
  const began = performance.now();
  const slot = (seconds * 1_000) / (kills.length + 1);
  const at = (ms) => sleep(Math.max(0, began + ms - performance.now()));
  load.start();
  try {
    for (const [nth, part] of kills.entries()) {
      await at(slot * nth + random() * 0.5 * slot);
      await killOnce({ load, part, nth, random });
      const { before, inFlight, downMs } = load.book.kills[nth];
      say(`${part} killed (${before}, ${inFlight} requests under way), back after ${downMs} ms`);
    }
    await at(seconds * 1_000);
  } finally {
    await load.end();
  }
}

/** @param {readonly string[]} kills @param {readonly string[]} parts */
function refuseUnknown(kills, parts) {
  const unknown = kills.find((part) => !parts.includes(part));
  if (unknown !== undefined) throw new Error(`--kills knows ${parts.join(', ')}, not '${unknown}'`);
}
