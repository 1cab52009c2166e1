// @ts-check
// Options of `npm run bench`. Every number is bounded, so that every run ends.
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';

/**
 * @typedef {{ seconds: number, warmup: number, sustain: number, rate: number, clients: number, connections: number,
 *   warmMessages: number, messages: number, bodyBytes: number, statisticsMessages: number, recipientDomains: number,
 *   statisticsRequests: number, loudFacts: number, largeMessages: number, largeMib: number, listMessages: number,
 *   listRequests: number, searchMessages: number, searchRequests: number, claimsFew: number, claimsMany: number, fairNames: number, fairDomains: number, fairBulk: number, fairCampaign: number, fairSingles: number,
 *   fairAccounts: number, webhookEvents: number, webhookKept: number,
 *   contacts: number, contactRequests: number, campaignRecipients: number, scaleMessages: number,
 *   rounds: number, roundMessages: number, accepting: number, idleSeconds: number }} Sizes
 * @typedef {Sizes & { only: string[], json: string | undefined, keep: boolean, tls: boolean, help: boolean,
 *   compare: string | undefined, node: string[], cores: number[], settings: string[], profile: boolean, loads: string[] }} Options
 * @typedef {{ options: Options, note: (versions: Record<string, unknown>) => void }} Context input of every run:
 *   `note` records versions
 */

const PARTS = [
  'accept',
  'deliver',
  'postfix',
  'auth',
  'statistics',
  'large',
  'regular',
  'templates',
  'tracked',
  'list',
  'search',
  'claims',
  'fair',
  'fair-campaign',
  'webhooks',
  'submit',
  'contacts',
  'campaigns',
  'scale',
  'speed',
  'idle',
];
/** Runs only on request: Kafka needs Java 17 and Maven, and Redis its server. */
const ASKED_FOR = ['scale'];

const LOADS = ['burst', 'rate', 'accept', 'postfix'];

/** @type {Record<string, { default: number, min: number, max: number, help: string }>} */
const NUMBERS = {
  seconds: { default: 10, min: 1, max: 120, help: 'length of each accept run' },
  warmup: { default: 2, min: 0, max: 30, help: 'seconds before it that are not counted' },
  sustain: { default: 60, min: 2, max: 3600, help: 'length of the delivery run' },
  rate: { default: 500, min: 1, max: 50_000, help: 'messages per second that the delivery run offers' },
  clients: { default: 256, min: 1, max: 2048, help: 'keep-alive connections of the accept runs' },
  connections: { default: 64, min: 1, max: 512, help: 'those of the other runs, SMTP sessions for Postfix' },
  'warm-messages': {
    default: 5_000,
    min: 1,
    max: 100_000,
    help: 'first messages of a fresh system, reported separately as cold',
  },
  messages: {
    default: 10_000,
    min: 10,
    max: 500_000,
    help: 'messages of the comparison with Postfix, and of each kind of send',
  },
  'statistics-messages': {
    default: 1_000_000,
    min: 1_000,
    max: 50_000_000,
    help: 'messages of the year of statistics',
  },
  'recipient-domains': {
    default: 200,
    min: 1,
    max: 100_000,
    help: 'number of recipient domains, with a long tail',
  },
  'statistics-requests': { default: 50, min: 3, max: 10_000, help: 'of each statistics read' },
  'loud-facts': { default: 100_000, min: 1, max: 5_000_000, help: 'facts of another account to be folded' },
  'large-messages': { default: 20, min: 1, max: 500, help: 'large messages sent at once' },
  'large-mib': { default: 20, min: 1, max: 20, help: 'size of each of them when it is sent' },
  'list-messages': {
    default: 200_000,
    min: 20_000,
    max: 100_000_000,
    help: 'messages of an account whose lists are read',
  },
  'list-requests': { default: 30, min: 3, max: 10_000, help: 'of each list' },
  'search-messages': {
    default: 200_000,
    min: 20_000,
    max: 100_000_000,
    help: 'messages of an installation that a member searches, most of them in one account',
  },
  'search-requests': { default: 40, min: 20, max: 10_000, help: 'of each search' },
  'claims-few': { default: 10_000, min: 1_000, max: 50_000_000, help: 'deliveries ready where few are' },
  'claims-many': { default: 300_000, min: 1_000, max: 50_000_000, help: 'and where many are' },
  'fair-names': { default: 200, min: 1, max: 1_000, help: 'names at hosts that never reply' },
  'fair-domains': { default: 1_000, min: 1, max: 5_000, help: 'domains at one slow host' },
  'fair-bulk': { default: 8_000, min: 100, max: 1_000_000, help: 'messages of one account to fast hosts' },
  'fair-campaign': {
    default: 100_000,
    min: 100,
    max: 1_000_000,
    help: 'recipients of a campaign of one account',
  },
  'fair-singles': {
    default: 40,
    min: 5,
    max: 10_000,
    help: 'single messages of others, alone and during each attack',
  },
  'fair-accounts': { default: 4, min: 1, max: 50, help: 'accounts that send them' },
  'webhook-events': {
    default: 10_000,
    min: 100,
    max: 1_000_000,
    help: 'events to each number of endpoints',
  },
  'webhook-kept': {
    default: 300_000,
    min: 1_000,
    max: 50_000_000,
    help: 'attempts and ended deliveries of a day that is forgotten',
  },
  contacts: {
    default: 1_000_000,
    min: 100,
    max: 20_000_000,
    help: 'contacts of an account whose contacts and lists are read',
  },
  'contact-requests': { default: 30, min: 3, max: 10_000, help: 'of each read of them' },
  'campaign-recipients': { default: 20_000, min: 100, max: 2_000_000, help: 'recipients of a campaign' },
  'scale-messages': { default: 600, min: 100, max: 100_000, help: 'of each delivery worker' },
  rounds: { default: 5, min: 1, max: 100, help: 'of each system that is compared' },
  accepting: {
    default: 0,
    min: 0,
    max: 8,
    help: 'the part speed: also this tree with this number of processes that accept',
  },
  'idle-seconds': { default: 60, min: 5, max: 3_600, help: 'for which a system has nothing to do' },
  'round-messages': { default: 5_000, min: 10, max: 500_000, help: 'messages of such a round' },
  'body-bytes': { default: 2000, min: 1, max: 1_000_000, help: 'text of each message' },
};

export const HELP = `npm run bench -- [options]

  --only ${PARTS.join(',')}   run these parts only
  --json FILE                  write the figures there as JSON
  --keep                       write those of the graphs to docs/bench/<version>.json, next to what is there of other parts
  --tls                        the sink offers STARTTLS
  --compare COMMIT             the part speed only: that commit and this tree, both built, alternately (or the folder
                               of a built tree)
  --loads burst,rate,accept,postfix   of the part speed (all; with --compare without the references)
  --node VERSION,…             the part speed only: this tree on other versions of Node, too (of npm's package node, or
                               the path of a program)
  --cores N,…                  the part speed only: this tree on the first N processors, too, PostgreSQL with it
  --setting NAME=VALUE         the part speed only: this tree with another setting, too; more than once: of each one system
  --profile                    the part speed only: at its end a burst of this tree under perf (Debian: linux-perf),
                               by what runs; Node writes down what it compiles then, so all figures are higher
${Object.entries(NUMBERS)
  .map(([name, { default: value, help }]) => `  --${name.padEnd(26)} ${help} (${value})`)
  .join('\n')}

References: Postfix by apt-get install postfix opendkim (Debian), run as root; Haraka is installed from npm and measured
between Postfix's programs; listmonk is built from its Go module. What cannot be had is skipped, with the reason.
Svix is not compared: its server is in no registry of packages, only in images and as source in Rust.
The data lies below TMPDIR while a run lasts; it should be on a disk that keeps its promises.
`;

/**
 * @param {readonly string[]} argv the arguments after the script's name
 * @returns {Options} `help: true` when only help is wanted
 * @throws Error with a text for people
 */
export function readOptions(argv) {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      ...Object.fromEntries(
        Object.keys(NUMBERS).map((name) => [name, { type: /** @type {const} */ ('string') }]),
      ),
      only: { type: 'string' },
      json: { type: 'string' },
      keep: { type: 'boolean', default: false },
      tls: { type: 'boolean', default: false },
      compare: { type: 'string' },
      node: { type: 'string' },
      cores: { type: 'string' },
      setting: { type: 'string', multiple: true },
      profile: { type: 'boolean', default: false },
      loads: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const given = /** @type {Record<string, any>} */ (values);
  const ofSpeed = given.compare || given.node || given.cores || given.setting || given.profile;
  const sizes = Object.fromEntries(
    Object.keys(NUMBERS).map((name) => [camel(name), readNumber(name, given[name])]),
  );
  return {
    .../** @type {Sizes} */ (/** @type {unknown} */ (sizes)),
    // comparisons run in one part
    only: readParts(given.only ?? (ofSpeed ? 'speed' : undefined)),
    compare: given.compare,
    node: readVersions(given.node),
    cores: readCores(given.cores),
    settings: readSettings(given.setting),
    profile: values.profile === true,
    loads: readNames('loads', LOADS, given.loads ?? (given.compare ? 'burst,rate,accept' : undefined)),
    json: given.json,
    keep: values.keep === true,
    tls: values.tls === true,
    help: values.help === true,
  };
}

function readNumber(name, text) {
  const { default: fallback, min, max } = NUMBERS[name];
  if (text === undefined) return fallback;
  const value = Number(text);
  if (!Number.isInteger(value) || value < min || value > max) {
    throw new Error(`--${name} must be a whole number from ${min} to ${max}`);
  }
  return value;
}

const readParts = (text) =>
  text === undefined ? PARTS.filter((part) => !ASKED_FOR.includes(part)) : readNames('only', PARTS, text);

function readVersions(text) {
  const versions = text === undefined ? [] : text.split(',').map((version) => version.trim());
  const odd = versions.find((version) => !/^\d+(\.\d+){0,2}$|\//.test(version));
  if (odd !== undefined)
    throw new Error(`--node takes versions such as 24.9.0 and paths of programs, not '${odd}'`);
  return versions;
}

function readCores(text) {
  if (text === undefined) return [];
  const cores = text.split(',').map(Number);
  if (cores.every((count) => Number.isInteger(count) && count > 0 && count <= availableParallelism()))
    return cores;
  throw new Error(`--cores takes whole numbers from 1 to ${availableParallelism()}, not '${text}'`);
}

function readSettings(texts = []) {
  const odd = texts.find((/** @type {string} */ text) => !/^[A-Z0-9_]+=/.test(text));
  if (odd !== undefined) throw new Error(`--setting takes NAME=VALUE, not '${odd}'`);
  return texts;
}

function readNames(option, all, text) {
  if (text === undefined) return [...all];
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !all.includes(name));
  if (unknown !== undefined) throw new Error(`--${option} knows ${all.join(', ')}, not '${unknown}'`);
  return names;
}

const camel = (name) => name.replace(/-(\w)/g, (_, message) => message.toUpperCase());
