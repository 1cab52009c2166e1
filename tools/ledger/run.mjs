// @ts-check
// One run of the ledger: a system, a load, kills, a verdict.
import { sleep } from '../processes.mjs';
import { Book } from './book.mjs';
import { startCluster } from './cluster.mjs';
import { rollCluster } from './cluster-roll.mjs';
import { startDistributed } from './distributed.mjs';
import { startEmbedded } from './embedded.mjs';
import { makeLayers } from './faults.mjs';
import { killOnce, randomFrom } from './kills.mjs';
import { Load } from './load.mjs';
import { timed } from './report.mjs';
import { scaleAndRoll } from './roll.mjs';
import { makeSecondBuild } from './second-build.mjs';
import { startReceiver, startSink } from './outside.mjs';
import { RELAY_SETTINGS, Relays } from './relays.mjs';
import { settle } from './settle.mjs';
import { judge } from './verdict.rules.mjs';

/** Least reply time of the mail host while processes come and go. */
const ROLL_REPLY_MS = 200;

/**
 * @typedef {object} Run
 * @property {import('./options.mjs').Mode} mode
 * @property {number} seconds of load
 * @property {readonly string[]} kills parts to kill, one after the other, spread over the time
 * @property {import('./options.mjs').Roll} [roll] instead of kills, in the other modes: processes start and stop cleanly,
 *   then every service moves to another build
 * @property {number} seed
 * @property {import('./load.mjs').Sizes} sizes
 * @property {number} [replyMs] reply time of the mail host: with more, a kill interrupts more messages
 * @property {number} [accepting] number of processes that accept in place of the main one, in the embedded mode; none unless given
 * @property {boolean} [relays] mail leaves by two relays, which are parts to kill, too, then directly
 * @property {readonly import('./faults.table.mjs').Fault[]} [faults] of the disk, of the network, of the broker: their parts are "killed"
 * @property {string} [logFile] that the log of the embedded mode's process is appended to
 * @property {string} [databaseUrl] of an empty database, for the distributed mode
 * @property {{ brokers: readonly string[], redisUrl: string }} [stores] existing ones, for a run without kills
 * @property {Readonly<Record<string, string>>} [settings] more, for every service of the distributed mode
 * @property {(line: string) => void} [say] progress for people
 */

/**
 * @param {Run} run
 * @returns {Promise<{ book: Book, verdict: import('./verdict.rules.mjs').Verdict }>}
 * @throws Error when the system does not start, or does not come back from a kill
 */
export async function runLedger(run) {
  const { mode, kills, sizes, databaseUrl, stores, settings, logFile, roll } = run;
  const replyMs = Math.max(run.replyMs ?? 0, roll ? ROLL_REPLY_MS : 0);
  const say = timed(run.say ?? (() => {}));
  const book = new Book();
  /** @type {(() => Promise<unknown>)[]} */
  const stops = [];
  try {
    const sink = await startSink(book, { replyMs });
    stops.push(sink.stop);
    const receiver = await startReceiver(book);
    stops.push(receiver.stop);
    say(`starting Postmesh, ${mode}`);
    const relays = run.relays ? await Relays.start(book, replyMs) : undefined;
    if (relays !== undefined) stops.push(() => relays.stop());
    const layers = await makeLayers(run.faults ?? [], stops);
    const world = {
      sinkPort: sink.port,
      logFile,
      databaseUrl,
      stores,
      settings: Object.assign(
        {},
        relays && RELAY_SETTINGS,
        settings,
        ...layers.map((layer) => layer.settings),
      ),
      overTcp: run.faults?.includes('net'),
      isBalanced: roll !== undefined,
      build: roll?.from,
    };
    const build = roll && (roll.to ?? copyBuild(stops));
    const starts = {
      embedded: () => startEmbedded({ ...world, accepting: run.accepting }),
      distributed: () => startDistributed(world),
      cluster: () => startCluster({ ...world, next: build, say }),
    };
    const started = await starts[mode]();
    stops.push(started.stop);
    let system = relays === undefined ? started : await relays.of(started);
    for (const layer of layers) system = await layer.of(system);
    refuseUnknown(kills, system.parts);
    const receiverUrl = (await system.seenInside?.(receiver.url)) ?? receiver.url;
    const load = new Load(system, book, { sizes, receiverUrl });
    await load.prepare();
    say('domains, webhooks and a route are created');
    await (build === undefined
      ? drive(load, { ...run, say })
      : comeAndGo(load, { builds: [build, ...(roll?.from === undefined ? [] : [roll.from])], say }));
    say(`waiting for outcomes: ${book.items.size} messages accepted`);
    await settle(system, book, load.signsUp ? load : {});
    say('every accepted message is accounted for');
    return { book, verdict: judge(book) };
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

/** @param {(() => Promise<unknown>)[]} stops */
function copyBuild(stops) {
  const { root, remove } = makeSecondBuild();
  stops.push(async () => remove());
  return root;
}

/** @param {Load} load @param {Run & { say: (line: string) => void }} run */
async function drive(load, { seconds, kills, seed, say }) {
  const random = randomFrom(seed);
  const began = performance.now();
  const slot = (seconds * 1_000) / (kills.length + 1);
  const at = (ms) => sleep(Math.max(0, began + ms - performance.now()));
  load.start();
  try {
    for (const [nth, part] of kills.entries()) {
      await at(slot * nth + random() * 0.5 * slot);
      await killOnce({ load, part, nth, random });
      const { before, inFlight, downMs } = load.book.kills[nth];
      say(`${part} killed (${before}, ${inFlight} requests in flight), ready again after ${downMs} ms`);
    }
    await at(seconds * 1_000);
  } finally {
    await load.end();
  }
}

/** @param {Load} load @param {{ builds: string[], say: (line: string) => void }} about */
async function comeAndGo(load, { builds, say }) {
  const { fleet, release } = load.system;
  load.start();
  try {
    if (release) await rollCluster({ load, release, say });
    else if (fleet) await scaleAndRoll({ load, fleet, builds, say });
    else throw new Error('a roll needs the mode distributed or cluster');
  } finally {
    await load.end();
  }
}

/** @param {readonly string[]} kills @param {readonly string[]} parts */
function refuseUnknown(kills, parts) {
  const unknown = kills.find((part) => !parts.includes(part));
  if (unknown !== undefined) throw new Error(`--kills knows ${parts.join(', ')}, not '${unknown}'`);
}
