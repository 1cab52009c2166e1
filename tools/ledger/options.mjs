// @ts-check
// Options of `npm run ledger`. Every number is bounded, so that every run ends.
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { FAULTS } from './faults.table.mjs';

const ROOT = join(import.meta.dirname, '..', '..');
/** Parts that are killed one after another by default. */
const KILLS = {
  embedded: ['all-in-one', 'postgres'],
  distributed: [
    ...['webhooks', 'webhook-dispatcher', 'delivery-worker', 'messages', 'marketing'],
    ...['accounts', 'domains', 'gateway', 'redis', 'kafka', 'kafka-wipe'],
  ],
  cluster: ['node'],
};
/** A relay, where mail leaves by them. */
export const RELAY = 'relay';
/** A kill, a start and some time with all parts running. A cluster notices after 40 s that a node is gone. */
const SECONDS_PER_KILL = { embedded: 15, distributed: 15, cluster: 90 };
const MODES = ['embedded', 'distributed'];

/** @type {Record<string, { default: number, min: number, max: number, help: string }>} */
const NUMBERS = {
  minutes: { default: 2, min: 0.25, max: 1_440, help: 'of load' },
  rate: { default: 20, min: 1, max: 500, help: 'requests a second' },
  burst: { default: 80, min: 0, max: 200, help: 'requests at once, just before each kill' },
  'campaign-recipients': { default: 1_000, min: 10, max: 50_000, help: 'of the campaign during each kill' },
  'import-lines': { default: 5_000, min: 10, max: 100_000, help: 'of each of two imports during each kill' },
  'reply-ms': {
    default: 100,
    min: 0,
    max: 60_000,
    help: 'until the mail host replies to a message, so that a kill interrupts more of them',
  },
  accepting: {
    default: 0,
    min: 0,
    max: 4,
    help: 'processes of the embedded mode that accept; one is killed, too, as accept',
  },
  webhooks: { default: 3, min: 1, max: 100, help: 'for every event' },
  seed: { default: 0, min: 0, max: 2 ** 32 - 1, help: 'repeats the same kills; 0: another seed each time' },
};

export const HELP = `npm run ledger -- [options]

Drives load through the public API, kills the given parts at random times, and reports the outcome of everything that
was accepted. Exit code 1 when a message was lost, was sent twice without a record, or never reached a webhook.

  --mode embedded,distributed  these modes, one after the other (both)
  --mode cluster               the chart's manifests as processes under network namespaces, on two nodes; needs root on Linux
  --restore                    no kills, but a restore drill: a backup under load, a restore of it, the outcome of all
  --kills PART,PART            parts to kill, in this order, repeatedly (needs one mode)
  --roll                       no kills (distributed, cluster): delivery workers 1 → 4 → 1, then every service to another build,
                               one process after the other
  --roll-to FOLDER             the same, to the build in this folder (a copy of this build)
  --relays                     mail leaves by two relays, then directly; the relays are killed, too (as ${RELAY})
  --faults ${Object.keys(FAULTS).join(',')}        instead of kills: a disk that fails or stalls (embedded), packets that vanish between processes and
                               stores (distributed, root on Linux), records of Kafka that come again in another order (distributed)
  --roll-from FOLDER           the same, from the release before, built in this folder, to this one and back
  --json FILE                  write the result there
  --log FILE                   append the log of the embedded mode's process there
${Object.entries(NUMBERS)
  .map(([name, { default: value, help }]) => `  --${name.padEnd(26)} ${help} (${value})`)
  .join('\n')}

  embedded: ${KILLS.embedded.join(', ')}, accept
  distributed: ${KILLS.distributed.join(', ')}
  cluster: ${KILLS.cluster.join(', ')}
  The distributed mode needs Java 17, Maven and redis-server on the PATH.
`;

/**
 * @typedef {'embedded' | 'distributed' | 'cluster'} Mode
 * @typedef {{ modes: Mode[], kills: Record<Mode, string[]>, seconds: number, seed: number, json: string | undefined,
 *   log: string | undefined, replyMs: number, accepting: number, sizes: import('./load.mjs').Sizes, roll: Roll | undefined, restore: boolean, relays: boolean,
 *   faults: import('./faults.table.mjs').Fault[], help: boolean }} Options
 * @typedef {{ from?: string, to?: string }} Roll folders of builds: without `to` a copy of this one; with `from` they begin with
 *   that one, and go back to it
 */

/**
 * @param {readonly string[]} argv the arguments after the script's name
 * @returns {Options}
 * @throws Error with a text for people
 */
export function readOptions(argv) {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      ...Object.fromEntries(
        Object.keys(NUMBERS).map((name) => [name, { type: /** @type {const} */ ('string') }]),
      ),
      mode: { type: 'string' },
      kills: { type: 'string' },
      roll: { type: 'boolean', default: false },
      'roll-to': { type: 'string' },
      'roll-from': { type: 'string' },
      json: { type: 'string' },
      log: { type: 'string' },
      restore: { type: 'boolean', default: false },
      relays: { type: 'boolean', default: false },
      faults: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const given = /** @type {Record<string, any>} */ (values);
  const number = (name) => readNumber(name, given[name]);
  const roll = readRoll(given);
  const faults = readFaults(given);
  const modes = readModes(given.mode ?? (roll && 'distributed') ?? (faults[0] && FAULTS[faults[0]].mode));
  const elsewhere = faults.find((fault) => String(modes) !== FAULTS[fault].mode);
  if (elsewhere !== undefined)
    throw new Error(`--faults ${elsewhere} needs the mode ${FAULTS[elsewhere].mode}`);
  if (faults.length > 0 && (roll || given.relays || values.restore))
    throw new Error('--faults goes with kills only');
  if (roll && !['distributed', 'cluster'].includes(String(modes)))
    throw new Error('--roll needs the distributed mode');
  if (roll?.from !== undefined && String(modes) === 'cluster')
    throw new Error('--roll-from is of the distributed mode');
  if (roll && given.kills !== undefined) throw new Error('--roll goes without --kills');
  const isEmbedded = modes.includes('embedded') && !values.restore;
  for (const name of ['log', 'accepting']) {
    if (given[name] !== undefined && !isEmbedded) throw new Error(`--${name} is of the embedded mode`);
  }
  if (given.relays && (roll || values.restore || String(modes) === 'cluster'))
    throw new Error('--relays goes with kills, embedded or distributed');
  if (given['reply-ms'] !== undefined && values.restore) throw new Error('--restore goes without --reply-ms');
  if (given.kills !== undefined && modes.length > 1) throw new Error('--kills needs --mode');
  const seconds = number('minutes') * 60;
  const count = (/** @type {Mode} */ mode) => Math.max(1, Math.floor(seconds / SECONDS_PER_KILL[mode]));
  const named = given.kills?.split(',').map((part) => part.trim());
  const accepting = number('accepting');
  const relays = given.relays ? [RELAY] : [];
  const killed = {
    embedded: [...KILLS.embedded, ...(accepting > 0 ? ['accept'] : []), ...relays],
    distributed: [...KILLS.distributed, ...relays],
    cluster: KILLS.cluster,
  };
  if (faults.length > 0 && named === undefined) {
    const parts = faults.flatMap((fault) => FAULTS[fault].parts);
    for (const mode of modes) if (parts.length > 0) killed[mode] = [...parts];
  }
  const kills = (/** @type {Mode} */ mode) =>
    Array.from({ length: count(mode) }, (_, nth) => inTurn(named ?? killed[mode], nth));
  return {
    modes,
    kills: roll
      ? { embedded: [], distributed: [], cluster: [] }
      : { embedded: kills('embedded'), distributed: kills('distributed'), cluster: kills('cluster') },
    roll,
    seconds,
    seed: number('seed') || 1 + Math.floor(Math.random() * (2 ** 32 - 1)),
    json: given.json,
    log: given.log,
    replyMs: number('reply-ms'),
    accepting,
    restore: values.restore === true,
    relays: values.relays === true,
    faults,
    sizes: {
      rate: number('rate'),
      burst: number('burst'),
      campaignRecipients: number('campaign-recipients'),
      importLines: number('import-lines'),
      webhooks: number('webhooks'),
    },
    help: values.help === true,
  };
}

/** @param {Record<string, any>} given @returns {import('./faults.table.mjs').Fault[]} */
function readFaults({ faults }) {
  const named =
    faults === undefined ? [] : faults.split(',').map((/** @type {string} */ name) => name.trim());
  const unknown = named.find((/** @type {string} */ name) => !Object.hasOwn(FAULTS, name));
  if (unknown !== undefined) throw new Error(`--faults knows ${Object.keys(FAULTS)}, not '${unknown}'`);
  return named;
}

/** @param {Record<string, any>} given @returns {Roll | undefined} */
function readRoll(given) {
  const { roll, 'roll-to': to, 'roll-from': from } = given;
  if (to !== undefined && from !== undefined) throw new Error('--roll-from goes without --roll-to');
  if (to !== undefined) return { to: resolve(to) };
  if (from !== undefined) return { from: resolve(from), to: ROOT };
  return roll ? {} : undefined;
}

const inTurn = (parts, nth) => parts[nth % parts.length];

/** @returns {Mode[]} */
function readModes(text = String(MODES)) {
  const modes = text.split(',').map((mode) => mode.trim());
  const unknown = modes.find((mode) => !Object.hasOwn(KILLS, mode));
  if (unknown !== undefined)
    throw new Error(`--mode knows ${Object.keys(KILLS).join(', ')}, not '${unknown}'`);
  return /** @type {Mode[]} */ (modes);
}

function readNumber(name, text) {
  const { default: fallback, min, max } = NUMBERS[name];
  if (text === undefined) return fallback;
  const value = Number(text);
  const isWhole = name === 'minutes' || Number.isInteger(value);
  if (!isWhole || !(value >= min && value <= max))
    throw new Error(`--${name} must be a number from ${min} to ${max}`);
  return value;
}
