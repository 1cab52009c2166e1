// @ts-check
// The tier of each test file. Everything runs in the first tier, `npm test`, unless a row below names it. A row of the
// tier `full` also runs before a change is merged when the change touches its subject.
import { globSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';

export const ROOT = join(import.meta.dirname, '..');

/** @typedef {'first' | 'ci' | 'full'} Tier */
/** @typedef {'kafka' | 'redis' | 's3' | 'knot' | 'opendkim' | 'postfix' | 'swaks' | 'haproxy' | 'microsocks' | 'prometheus' | 'chromium' | 'caddy' | 'sdk-python' | 'sdk-go' | 'languages'} Part */
/**
 * @typedef {object} Row
 * @property {Tier} tier `ci`: also part of `bash .ci/run`; `full`: of `npm run test:full`
 * @property {string[]} files globs of spec files
 * @property {string} why they are not in the first tier
 * @property {Part[]} [parts] without which they leave tests out
 * @property {boolean} [again] the first tier runs them too, without the parts
 * @property {string[]} [subject] globs of what they are about; by default the folders that they are in
 */

const BROKER = /** @type {Part[]} */ (['kafka']);
const DISTRIBUTED = /** @type {Part[]} */ (['kafka', 'redis']);
const WHOLE = 'services/all-in-one/test';

/** @type {Row[]} */
export const LATER = [
  { tier: 'ci', files: [`${WHOLE}/contract/*.spec.ts`], why: 'the contract through the gateway' },
  {
    tier: 'ci',
    files: [
      'libs/events/conformance/embedded*.spec.ts',
      'libs/work/conformance/postgres.spec.ts',
      'libs/blob-store/conformance/{filesystem,postgres}.spec.ts',
    ],
    why: 'conformance of the embedded parts',
  },
  { tier: 'ci', files: ['libs/events/conformance/kafka.spec.ts'], parts: BROKER, why: 'a real broker' },
  { tier: 'ci', files: ['libs/work/conformance/redis*.spec.ts'], parts: ['redis'], why: 'a real Redis' },
  { tier: 'ci', files: ['libs/blob-store/conformance/s3.spec.ts'], parts: ['s3'], why: 'a real S3' },
  {
    tier: 'ci',
    files: ['libs/events/src/consumption/event-consumption.int.spec.ts'],
    parts: BROKER,
    again: true,
    why: 'the same rules on a real broker',
  },
  {
    tier: 'ci',
    files: ['libs/service-host/src/host-context.int.spec.ts'],
    parts: DISTRIBUTED,
    why: 'starts that wait for the real parts',
  },
  {
    tier: 'ci',
    files: ['services/gateway/src/rate-limits/buckets.int.spec.ts'],
    parts: ['redis'],
    again: true,
    why: 'the same rules on a real Redis',
  },
  {
    tier: 'ci',
    files: ['services/marketing/src/preferences/frequency.int.spec.ts'],
    subject: ['services/marketing/src/{preferences,sending}/**'],
    why: 'a kill before each statement of a batch',
  },

  {
    tier: 'ci',
    files: [
      'services/delivery-worker/src/shaping/learnt-share.spec.ts',
      'services/gateway/src/smtp/command-fuzz.int.spec.ts',
    ],
    why: 'rules under loads and commands by chance',
  },

  // crashes and recovery of one part
  {
    tier: 'full',
    files: [
      'libs/events/conformance/kafka-recovery.int.spec.ts',
      'libs/events/conformance/kafka-secured.int.spec.ts',
      'libs/events/conformance/exactly-once.int.spec.ts',
      'libs/events/conformance/lost-streams.int.spec.ts',
      'services/webhooks/conformance/broker-crash.int.spec.ts',
    ],
    parts: BROKER,
    subject: ['libs/events/**'],
    why: 'brokers that are killed, emptied and secured',
  },
  {
    tier: 'full',
    files: ['libs/database/src/embedded-postgres/*.int.spec.ts'],
    why: 'servers that are killed and run out of disk',
  },
  {
    tier: 'full',
    files: ['libs/testing/src/database/idle-watcher.int.spec.ts'],
    why: 'waits for idle servers',
  },
  {
    tier: 'full',
    files: ['libs/events/src/log/vanished-client.int.spec.ts'],
    subject: ['libs/database/src/{timed-client,kept-session,data-source}.ts'],
    why: 'waits until the server gives a client up: a quarter of a minute',
  },
  {
    tier: 'full',
    files: [
      'services/delivery-worker/src/queue/fair-order.int.spec.ts',
      'services/delivery-worker/src/queue/query-load.int.spec.ts',
      'services/delivery-worker/src/queue/two-workers.int.spec.ts',
      'services/delivery-worker/src/suppressions/flood.int.spec.ts',
      'services/gateway/src/forward/stalled-uploads.int.spec.ts',
      'services/webhook-dispatcher/src/queue/fair-accounts.int.spec.ts',
      'services/webhook-dispatcher/src/queue/load.int.spec.ts',
    ],
    why: 'floods: thousands of messages, and their effect on another account',
  },
  {
    tier: 'full',
    files: [
      'services/marketing/src/campaign-states/campaign-kills.int.spec.ts',
      'services/webhook-dispatcher/src/queue/crash.int.spec.ts',
      'libs/events/src/consumption/crash-watch.int.spec.ts',
    ],
    why: 'processes that are killed before each statement',
  },
  {
    tier: 'full',
    files: ['services/domains/src/dkim-rotation/year-of-rotations.int.spec.ts'],
    why: 'a year of rotations, day by day',
  },
  {
    tier: 'full',
    files: ['services/delivery-worker/src/warm-up/forty-five-days.int.spec.ts'],
    subject: ['services/delivery-worker/src/warm-up/**'],
    why: '45 days of a new address at four providers: 700,000 messages in virtual time',
  },

  // whole installations of their own
  {
    tier: 'full',
    files: [`${WHOLE}/distributed.spec.ts`],
    parts: DISTRIBUTED,
    subject: ['tools/ledger/roll.mjs'],
    why: 'a roll of every service to another build, under load',
  },
  {
    tier: 'full',
    files: [
      `${WHOLE}/roles.spec.ts`,
      `${WHOLE}/keys.spec.ts`,
      `${WHOLE}/operation.spec.ts`,
      `${WHOLE}/secret-rotation.spec.ts`,
      `${WHOLE}/same-responses.spec.ts`,
      `${WHOLE}/contract/idempotency-crash.spec.ts`,
      `${WHOLE}/contract/idempotency-times.spec.ts`,
    ],
    subject: ['services/all-in-one/src/**'],
    why: 'starts, stops and kills of whole installations',
  },
  {
    tier: 'full',
    files: [`${WHOLE}/console.spec.ts`],
    subject: [
      'services/accounts/src/{oidc,sessions,sign-in,audit}/**',
      'services/gateway/src/{console,http-api}/**',
      'libs/contracts/src/{http,principal}/**',
    ],
    why: 'sign-ins, roles and accounts of the console over every operation',
  },
  {
    tier: 'full',
    files: [`${WHOLE}/two-gateways.spec.ts`],
    parts: ['redis'],
    subject: ['services/gateway/src/{cache-lease,forward,rate-limits}/**'],
    why: 'two gateways',
  },
  {
    tier: 'full',
    files: [`${WHOLE}/fairness.spec.ts`, `${WHOLE}/webhook-flood.spec.ts`],
    subject: ['services/{delivery-worker,webhook-dispatcher}/src/queue/**'],
    why: 'floods of one account, and their effect on another',
  },
  {
    tier: 'full',
    files: [`${WHOLE}/import-million.spec.ts`],
    subject: ['libs/{importers,line-imports}/**', 'services/messages/src/suppression-imports/**'],
    why: 'a million rows, at a process with a small heap',
  },
  {
    tier: 'full',
    files: [`${WHOLE}/structure-bombs.spec.ts`],
    subject: ['libs/contracts/src/json/**', 'libs/designs/src/thread/**'],
    why: 'bodies of 28 MB, at a process with a small heap',
  },
  {
    tier: 'full',
    files: [`${WHOLE}/tls-reports.spec.ts`],
    subject: ['services/messages/src/tls-reports/**', 'services/delivery-worker/src/tls/**'],
    why: 'a day of TLS sessions, from deliveries to a report that is read, in one process and in several',
  },
  {
    tier: 'full',
    files: [`${WHOLE}/houses.spec.ts`],
    parts: ['opendkim', 'postfix'],
    subject: ['services/local-internet/src/houses/**'],
    why: 'deliveries to every simulated provider',
  },
  {
    tier: 'full',
    files: [`${WHOLE}/migrate.spec.ts`, `${WHOLE}/restore.spec.ts`],
    subject: ['services/all-in-one/src/{backup,migrate}.ts', 'tools/ledger/restore*'],
    why: 'migrations and restores of whole installations',
  },

  // programs of other makers
  {
    tier: 'full',
    files: [
      'libs/testing/src/dns/*.int.spec.ts',
      'services/domains/src/dns/foreign-name-server.int.spec.ts',
      'services/domains/src/managed-zone/*.int.spec.ts',
      `${WHOLE}/contract/domain-dns-foreign.spec.ts`,
    ],
    parts: ['knot'],
    subject: ['services/domains/src/managed-zone/**', 'libs/testing/src/dns/**'],
    why: 'name servers of another maker',
  },
  {
    tier: 'full',
    files: ['libs/message-content/src/golden-messages.spec.ts'],
    parts: ['opendkim'],
    again: true,
    subject: ['libs/mail-format/src/dkim/**'],
    why: 'signatures read by another maker',
  },
  {
    tier: 'full',
    files: [
      'services/gateway/src/smtp/foreign-clients.int.spec.ts',
      `${WHOLE}/contract/{inbound,reports}.spec.ts`,
    ],
    parts: ['postfix', 'swaks', 'opendkim'],
    again: true,
    subject: ['services/gateway/src/smtp/**'],
    why: 'clients and mail hosts of other makers',
  },
  {
    tier: 'full',
    files: [
      'services/gateway/src/smtp/proxy-protocol.int.spec.ts',
      'services/delivery-worker/src/egress/egress-via.int.spec.ts',
    ],
    parts: ['haproxy', 'microsocks'],
    again: true,
    subject: ['services/gateway/src/smtp/prox*', 'services/delivery-worker/src/smtp-client/open-socket.ts'],
    why: 'load balancers and proxies of other makers',
  },
  {
    tier: 'full',
    files: [
      'libs/public-links/src/unsubscribe-browser.int.spec.ts',
      'services/local-internet/src/mailbox/mailbox-page.int.spec.ts',
    ],
    parts: ['chromium'],
    subject: ['libs/public-links/**', 'services/local-internet/src/mailbox/**'],
    why: 'pages in a real browser',
  },
  {
    tier: 'full',
    files: ['services/messages/src/view-in-browser/web-copies.int.spec.ts'],
    parts: ['chromium'],
    again: true,
    subject: ['services/messages/src/view-in-browser/**'],
    why: 'web copies in a real browser',
  },
  {
    tier: 'full',
    files: [`${WHOLE}/contract/console-{browser,walk}.spec.ts`],
    parts: ['chromium'],
    subject: [
      'services/console/**',
      'services/accounts/src/{oidc,passkeys,sessions,sign-in}/**',
      'services/gateway/src/{console,documentation}/**',
    ],
    why: 'pages, cookies and passkeys of the console in a real browser, and the way of a newcomer',
  },
  {
    tier: 'full',
    files: [`${WHOLE}/caddy.spec.ts`],
    parts: ['caddy'],
    subject: [
      'deploy/single/**',
      'services/gateway/src/operator/**',
      'services/domains/src/domain-lookup/**',
    ],
    why: 'certificates at the first request, by a real Caddy',
  },
  {
    tier: 'full',
    files: [`${WHOLE}/contract/snippets.spec.ts`],
    parts: ['languages', 'sdk-python', 'sdk-go'],
    again: true,
    subject: ['docs/guides/{smtp,webhooks}.md', 'tools/{snippets,real/languages}.mjs'],
    why: 'samples of the documentation in languages and programs that not every machine has',
  },
  {
    tier: 'full',
    files: [`${WHOLE}/contract/site-browser.spec.ts`],
    parts: ['chromium'],
    subject: ['docs/**', 'site/**', 'services/gateway/src/documentation/**'],
    why: 'builds the documentation with packages of its own, and opens it in a real browser',
  },
  {
    tier: 'full',
    files: [`${WHOLE}/contract/console-rows.spec.ts`],
    parts: ['chromium'],
    subject: [
      'services/console/src/{api,messages}/**',
      'services/console/src/ui/rows-table.tsx',
      'services/messages/src/search-all/**',
    ],
    why: 'a hundred thousand rows, scrolled through in a real browser: a minute and more',
  },
  {
    tier: 'full',
    files: [`${WHOLE}/first-mail.spec.ts`],
    parts: ['prometheus'],
    again: true,
    subject: ['deploy/observability/**'],
    why: 'every query of the board against a real Prometheus',
  },
  {
    tier: 'full',
    files: [`${WHOLE}/sdks.spec.ts`],
    parts: ['sdk-python', 'sdk-go'],
    subject: ['sdks/**'],
    why: '10,000 sends by each SDK through a proxy that cuts connections',
  },
  {
    tier: 'full',
    files: [`${WHOLE}/contract/dialect-sdks.spec.ts`],
    parts: ['sdk-python', 'sdk-go'],
    subject: ['services/gateway/src/dialects/**', `${WHOLE}/dialect-sdks/**`],
    why: 'the SDKs of other services in Python and Go',
  },
];

/**
 * Tests that are commands, after the files of their tier, one after the other.
 * @typedef {object} Command
 * @property {Tier} tier
 * @property {string} why
 * @property {boolean} [alongside] it runs next to the others, as it and they mostly wait
 * @property {string[]} args of Node, at the root
 * @property {string[]} [subject] globs; a command of the tier `full` without them never runs before
 * @property {'cluster'} [machine] what the machine has to be able to; where it is not, the command is skipped, with the reason
 */

/** A load that two processors bear next to twenty pods. */
const SMALL = [
  ...['--rate', '8', '--burst', '20', '--webhooks', '1'],
  ...['--campaign-recipients', '150', '--import-lines', '500'],
];

/** @type {Command[]} */
export const COMMANDS = [
  {
    tier: 'ci',
    alongside: true,
    why: 'the first steps of a new user, on a fresh clone',
    args: ['tools/smoke.mjs'],
  },
  {
    tier: 'ci',
    why: 'a crash ledger of seconds, embedded',
    args: [
      'tools/ledger.mjs',
      '--mode',
      'embedded',
      '--minutes',
      '0.5',
      '--rate',
      '6',
      '--kills',
      'all-in-one,postgres',
    ],
  },
  {
    tier: 'ci',
    why: 'a crash ledger of seconds, distributed',
    args: [
      ...[
        'tools/ledger.mjs',
        '--mode',
        'distributed',
        '--minutes',
        '0.5',
        '--rate',
        '5',
        '--campaign-recipients',
        '150',
      ],
      ...['--kills', 'messages,kafka'],
    ],
  },
  {
    tier: 'ci',
    why: 'all simulated subjects, the same lives each time as far as half a minute goes',
    args: ['tools/simulate.mjs', '--of', 'all', '--seed', '1', '--lives', '40', '--seconds', '23'],
  },
  {
    tier: 'ci',
    why: 'small models of leases and keys, all states and some traces against the code',
    args: ['tools/models.mjs', '--quick'],
  },
  {
    tier: 'ci',
    why: 'the same seed gives the same trace',
    args: ['tools/simulate/traces.test.mjs'],
  },
  {
    tier: 'full',
    why: 'all simulated subjects, for four minutes, by another seed each time',
    args: ['tools/simulate.mjs', '--of', 'all', '--lives', '1000000', '--seconds', '230'],
  },
  {
    tier: 'full',
    why: 'known faults that the simulator has to find, as many as six minutes allow, others each time',
    args: ['tools/simulate.mjs', '--mutations', '--seconds', '360'],
  },
  {
    tier: 'full',
    why: 'a crash ledger of ten minutes, embedded',
    args: ['tools/ledger.mjs', '--mode', 'embedded', '--minutes', '10', '--accepting', '1'],
  },
  {
    tier: 'full',
    why: 'a crash ledger of ten minutes, distributed',
    args: ['tools/ledger.mjs', '--mode', 'distributed', '--minutes', '10', '--rate', '10'],
  },
  {
    tier: 'full',
    why: 'a crash ledger of a minute, by relays that are killed, too, embedded',
    args: ['tools/ledger.mjs', '--mode', 'embedded', '--minutes', '1', '--relays'],
    subject: ['tools/ledger/relays.mjs', 'services/delivery-worker/src/{attempt,ways}/**'],
  },
  {
    tier: 'full',
    why: 'the same, distributed',
    args: [
      ...['tools/ledger.mjs', '--mode', 'distributed', '--minutes', '1', '--rate', '10', '--relays'],
      ...['--kills', 'relay,delivery-worker,relay,kafka'],
    ],
  },
  {
    tier: 'full',
    why: 'models of leases and keys, all states, and traces against the code with and without known faults',
    args: ['tools/models.mjs'],
    subject: [
      'models/**',
      'tools/models/**',
      'libs/work/src/leased-queue/**',
      'libs/service-host/src/idempotency/**',
    ],
  },
  {
    tier: 'full',
    why: 'a disk that fails, under PostgreSQL alone',
    args: ['tools/ledger/disk/disk.test.mjs'],
    subject: ['tools/ledger/disk/**'],
  },
  {
    tier: 'full',
    why: 'a ledger of a minute and a half on a disk that fails and stalls',
    args: ['tools/ledger.mjs', '--faults', 'disk', '--minutes', '1.5', '--rate', '10'],
  },
  {
    tier: 'full',
    why: 'a ledger of a minute and a half in which packets vanish, and records of Kafka come again',
    args: [
      ...['tools/ledger.mjs', '--faults', 'net,kafka', '--minutes', '1.5', '--rate', '6'],
      ...['--campaign-recipients', '150', '--import-lines', '1000'],
    ],
  },
  {
    tier: 'full',
    why: 'a roll of every service',
    args: ['tools/ledger.mjs', '--mode', 'distributed', '--roll'],
  },
  {
    tier: 'full',
    why: 'from the release before to this one and back, under load',
    args: ['tools/release.mjs', 'upgrade'],
  },
  {
    tier: 'full',
    why: 'twelve jobs by the pages of the documentation alone, an upgrade and a restore among them',
    args: ['tools/walk.mjs'],
  },
  {
    tier: 'full',
    machine: 'cluster',
    why: "the chart's manifests under network namespaces: scale, upgrade, drain",
    args: ['tools/ledger.mjs', '--mode', 'cluster', '--roll', ...SMALL],
  },
  {
    tier: 'full',
    machine: 'cluster',
    why: "a node of the chart's pods that is gone without a word, under load",
    args: ['tools/ledger.mjs', '--mode', 'cluster', '--minutes', '1.5', ...SMALL],
  },
  {
    tier: 'full',
    why: 'a restore drill',
    args: ['tools/ledger.mjs', '--restore'],
    subject: ['tools/ledger/restore*', 'services/all-in-one/src/backup.ts'],
  },
  {
    tier: 'full',
    why: 'ten minutes of requests made from the API document',
    args: ['tools/api-fuzz.mjs', '--seconds', '600', '--examples', '300'],
    subject: ['tools/api-fuzz*', 'tools/api-fuzz/**'],
  },
  {
    tier: 'full',
    why: 'requests made from the document of the dialects',
    args: ['tools/api-fuzz.mjs', '--dialects', '--seconds', '240', '--examples', '100'],
    subject: ['services/gateway/src/dialects/**'],
  },
  {
    tier: 'full',
    why: 'figures and readers of the bench',
    args: ['bench/bench.test.mjs'],
    subject: ['bench/**', 'tools/processes.mjs'],
  },
  {
    tier: 'full',
    why: 'the SDKs are what their generators write',
    args: ['tools/sdks.mjs', '--check'],
    subject: ['sdks/**', 'tools/sdks.mjs', 'tools/sdks/**', 'services/gateway/openapi.json'],
  },
  {
    tier: 'full',
    why: 'the packages of the SDKs, as a release makes them',
    args: ['tools/release.mjs', 'sdks'],
    subject: ['sdks/**', 'tools/release.mjs', 'tools/release/sdks.mjs'],
  },
  {
    tier: 'full',
    why: 'the Helm chart',
    args: ['tools/helm-check.mjs'],
    subject: ['deploy/helm/**', 'tools/helm-check*', 'tools/helm-check/**'],
  },
  {
    tier: 'full',
    why: 'the steps of the image, without an engine',
    args: ['tools/image.mjs'],
    subject: ['deploy/Dockerfile', '.dockerignore', 'tools/image*', 'tools/image/**'],
  },
  {
    tier: 'full',
    why: 'the image of one service',
    args: ['tools/image.mjs', '--service', 'messages'],
    subject: ['deploy/Dockerfile', 'tools/image*', 'tools/image/**'],
  },
];

/** @param {string} path @param {readonly string[]} globs */
const isOf = (path, globs) => globs.some((glob) => matchesGlob(path, glob));
/** @param {string} path @returns {Row[]} the last row that names it decides, the ones of `again` aside */
const rowsOf = (path) => LATER.filter(({ files }) => isOf(path, files));

/** @param {string} path @param {Tier} tier */
export function isInTier(path, tier) {
  const rows = rowsOf(path);
  const home = rows.findLast(({ again }) => !again)?.tier ?? 'first';
  return home === tier || rows.some((row) => row.again && row.tier === tier);
}

/**
 * @param {string[]} globs of folders
 * @param {{ POSTMESH_TEST_TIER?: string, POSTMESH_TEST_ALSO?: string }} env the tier, `all` for every one; globs of files
 *   in addition to those of the tier, as JSON
 * @returns {string[]} spec files, from the root
 */
export function filesOf(globs, { POSTMESH_TEST_TIER: tier = 'first', POSTMESH_TEST_ALSO: more = '[]' }) {
  /** @type {string[]} */
  const also = JSON.parse(more);
  const isWanted = (path) => tier === 'all' || isInTier(path, /** @type {Tier} */ (tier)) || isOf(path, also);
  return globSync(
    globs.map((glob) => `${glob}/*.spec.ts`),
    { cwd: ROOT, exclude: ['**/node_modules/**', '**/dist/**'] },
  )
    .filter(isWanted)
    .toSorted();
}

/**
 * The tests of the tier `full` that a change has to pass before it is merged.
 * @param {readonly string[]} changed paths from the root
 * @returns {{ rows: Row[], commands: Command[] }}
 */
export function touchedBy(changed) {
  const isTouched = (/** @type {Tier} */ tier, /** @type {string[]} */ subject) =>
    tier === 'full' && changed.some((path) => isOf(path, subject));
  return {
    rows: LATER.filter((row) => isTouched(row.tier, subjectOf(row))),
    commands: COMMANDS.filter(({ tier, subject = [] }) => isTouched(tier, subject)),
  };
}

/** @param {Row} row */
const subjectOf = ({ subject, files }) =>
  subject ?? files.map((file) => `${file.slice(0, file.lastIndexOf('/'))}/**`);
