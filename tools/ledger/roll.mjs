// @ts-check
// Routine work of an operator, under load: more delivery workers and fewer again, then another build, one process after
// the other. Without kills nothing may be lost, refused for long, or come twice.
import { waitUntil } from '../processes.mjs';

/** Load is needed while processes come and go. */
const ACCEPTED_BETWEEN = 20;
const ACCEPTED_MS = 10_000;
const MOST_WORKERS = 4;
/** Services, consumers of events before their publishers, then their workers, gateways last (docs/operations.md). */
const ORDER = [
  'accounts',
  'domains',
  'marketing',
  'webhooks',
  'messages',
  'webhook-dispatcher',
  'delivery-worker',
  'gateway',
];

/**
 * @param {{ load: import('./load.mjs').Load, fleet: import('./fleet.mjs').Fleet, builds: readonly string[],
 *   say: (line: string) => void }} about `builds`: the folders of the next ones, one after the other
 */
export async function scaleAndRoll({ load, fleet, builds, say }) {
  const { book } = load;
  /** @type {Promise<void>[]} */
  const ends = [];
  const end = (/** @type {string} */ name) => ends.push(stop(load, fleet, name));
  const accepted = (/** @type {number} */ more) => {
    const enough = book.items.size + more;
    return waitUntil(() => book.items.size >= enough, { limitMs: ACCEPTED_MS });
  };
  await load.round();
  const [first] = fleet.processesOf('delivery-worker');
  const more = Array.from({ length: MOST_WORKERS - 1 }, () => fleet.nameOf('delivery-worker'));
  await Promise.all(more.map((name) => fleet.start(name, 'delivery-worker')));
  say(`delivery-worker: ${fleet.processesOf('delivery-worker').length} processes`);
  load.burst();
  await accepted(ACCEPTED_BETWEEN);
  // the newest stays: the work of the first ones is handed over, too
  for (const name of [first, ...more.slice(0, -1)]) end(name);
  await Promise.all(ends);
  say(`delivery-worker: ${fleet.processesOf('delivery-worker').length} process`);
  for (const [nth, build] of builds.entries()) {
    await load.round();
    // back in the opposite order
    for (const service of nth === 0 ? ORDER : ORDER.toReversed()) {
      for (const old of fleet.processesOf(service)) {
        const next = fleet.nameOf(service);
        await fleet.start(next, service, {}, build);
        // it ends while the next one begins
        end(old);
      }
      load.burst();
      await accepted(ACCEPTED_BETWEEN);
      say(`${service}: runs ${nth === 0 ? 'the other build' : 'the first build again'}`);
    }
  }
  await Promise.all(ends);
}

/** @param {import('./load.mjs').Load} load @param {import('./fleet.mjs').Fleet} fleet @param {string} name */
async function stop({ book }, fleet, name) {
  const began = performance.now();
  const code = await fleet.kill(name, 'SIGTERM');
  book.stops.push({ what: name, code, tookMs: Math.round(performance.now() - began) });
}
