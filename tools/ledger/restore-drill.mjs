// @ts-check
// A restore drill: load, a backup meanwhile, the loss of everything some seconds later, a restore of the backup by the
// commands of docs/operations.md into another data directory, and the ledger of everything that was accepted.
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createTransport } from 'nodemailer';
import { makeFolder, removeFolder, runToEnd, waitUntil } from '../processes.mjs';
import { readDelivered } from '../operator-cli/backup-commands.mjs';
import { Book } from './book.mjs';
import { startEmbedded } from './embedded.mjs';
import { Load } from './load.mjs';
import { startReceiver, startSink } from './outside.mjs';
import { timed } from './report.mjs';
import { judgeRestore } from './restore.rules.mjs';
import { settle } from './settle.mjs';
import { Client } from './system.mjs';

const CLI = join(import.meta.dirname, '..', 'postmesh.mjs');
const LIMIT_MS = 120_000;
const DAY_MS = 86_400_000;
/** Least numbers of messages: before the backup, waiting at the backup, between backup and loss. */
const ENOUGH = { accepted: 80, waiting: 20, later: 20, sentMeanwhile: 8 };
const SENDER = 'news@ledger.test';
const SUPPRESSED = 'never-again@mail.test';

/** The mail host accepts a third of all from the beginning, a third since the backup, a third since the restore. */
const CLASSES = 3;
const classOf = (recipient) => [...recipient].reduce((sum, char) => sum + char.charCodeAt(0), 0) % CLASSES;

/**
 * @typedef {import('./system.mjs').System} System
 * @typedef {{ book: Book, load: Load, say: (line: string) => void }} Drill
 */

/**
 * @param {{ rate?: number, say?: (line: string) => void }} about `rate`: requests a second
 * @returns {Promise<{ verdict: import('./restore.rules.mjs').RestoreVerdict }>}
 * @throws Error when something does not start, or a command fails
 */
export async function runRestoreDrill({ rate = 20, say: tell = () => {} }) {
  const say = timed(tell);
  /** @type {(() => Promise<unknown>)[]} */
  const stops = [];
  const folder = makeFolder('drill');
  const [logFile, backup, keys] = ['postmesh.log', 'backup', 'keys.json'].map((name) => join(folder, name));
  const [lostDir, restoredDir] = [makeFolder('lost'), makeFolder('restored')];
  try {
    const book = new Book();
    const mailHost = { takes: 1 };
    const sink = await startSink(book, { defers: (recipient) => classOf(recipient) >= mailHost.takes });
    stops.push(sink.stop);
    const receiver = await startReceiver(book);
    stops.push(receiver.stop);
    const settings = {
      // the log has the delivered messages
      POSTMESH_LOG_LEVEL: 'info',
      // deferred ones are retried during the drill, and do not expire
      POSTMESH_RETRY_DELAYS_S: '2,4,6,8,10,12,14',
      POSTMESH_DELIVERY: 'on',
    };
    say('starting Postmesh');
    const lost = await startEmbedded({ sinkPort: sink.port, dataDir: lostDir, settings, logFile });
    stops.push(lost.stop);
    const sizes = { rate, burst: 0, campaignRecipients: 0, importLines: 0, webhooks: 1 };
    const load = new Load(lost, book, { sizes, receiverUrl: receiver.url, signsUp: false });
    const drill = { book, load, say };
    await load.prepare();
    const suppression = { email: SUPPRESSED, expires_at: new Date(Date.now() + DAY_MS).toISOString() };
    await new Client(lost).must(201, 'POST', '/suppressions', suppression);

    say('domains, webhooks and a route are created');
    load.start();
    const { required, arrivedBefore } = await untilMuchWaits(drill);
    await command(lostDir, 'backup', backup, '--keys', keys);
    say('backup complete');
    mailHost.takes = 2;
    await untilMoreWasSent(drill, { required, arrivedBefore });
    // process and database at once, and their data is not used again
    for (const part of ['all-in-one', 'postgres']) await lost.kill(part);
    const later = forgetOthers(book, required);
    const arrivedAtLoss = new Map(book.arrivals);
    say(`installation lost, with ${later.length} messages accepted since the backup began; restoring`);

    await command(restoredDir, 'restore', backup, '--keys', keys);
    say('restored; starting without deliveries');
    settings.POSTMESH_DELIVERY = 'off';
    const restored = await startEmbedded({ sinkPort: sink.port, dataDir: restoredDir, settings });
    stops.push(restored.stop);
    const said = await command(restoredDir, 'mark-sent', logFile, '--json');
    const marked = Number(/"ended": (\d+)\s*\}$/.exec(said)?.[1]);
    const { broken, suppressed } = await useOldCredentials(restored, drill);
    const arrivedWhileOff = new Map(book.arrivals);

    mailHost.takes = CLASSES;
    settings.POSTMESH_DELIVERY = 'on';
    say('restarting with deliveries');
    await restored.kill('all-in-one');
    await restored.begin('all-in-one');
    say('waiting for outcomes');
    await settle(restored, book);
    say('every accepted message is accounted for');
    if (!(await staysSuppressed(restored, suppressed))) broken.push('the suppression');
    const logged = await deliveredByLog(logFile, book);
    const arrived = { arrivedBefore, arrivedAtLoss, arrivedWhileOff };
    return { verdict: judgeRestore({ book, ...arrived, logged, later, marked, broken }) };
  } finally {
    for (const stop of stops.reverse()) await stop();
    for (const each of [folder, lostDir, restoredDir]) removeFolder(each);
  }
}

/** @param {Drill} drill accepted and arrived messages at the begin of the backup */
async function untilMuchWaits({ book, say }) {
  await enough('messages that wait', () => {
    const waiting = [...book.items.values()].filter(
      (item) => isLeaving(item) && !book.arrivals.has(item.recipient),
    );
    return book.items.size >= ENOUGH.accepted && waiting.length >= ENOUGH.waiting;
  });
  say(`starting the backup: ${book.items.size} messages accepted, ${book.arrivals.size} arrived`);
  return { required: new Set(book.items.keys()), arrivedBefore: new Map(book.arrivals) };
}

/** @param {Drill} drill @param {{ required: ReadonlySet<string>, arrivedBefore: ReadonlyMap<string, number> }} backup */
async function untilMoreWasSent({ book, load }, { required, arrivedBefore }) {
  await enough('messages after the backup', () => book.items.size >= required.size + ENOUGH.later);
  // more of them would prove no more
  await load.end();
  await enough('messages sent after the backup', () => {
    const sent = [...required].filter((each) => book.arrivals.has(each) && !arrivedBefore.has(each));
    return sent.length >= ENOUGH.sentMeanwhile;
  });
}

/** @param {string} what @param {() => boolean} condition */
async function enough(what, condition) {
  if ((await waitUntil(condition, { limitMs: LIMIT_MS })) !== true)
    throw new Error(`not enough ${what} in time`);
}

/** Items that can no longer be required. @param {Book} book @param {ReadonlySet<string>} required @returns {string[]} recipients */
function forgetOthers(book, required) {
  const later = [...book.items.keys()].filter((recipient) => !required.has(recipient));
  for (const recipient of later) {
    book.items.delete(recipient);
    book.unanswered.add(recipient);
  }
  return later;
}

/**
 * Uses the key, the login and the suppression from before. A message that is accepted now must arrive, too.
 * @param {System} system @param {Drill} drill
 */
async function useOldCredentials(system, { book, load }) {
  /** @type {string[]} */
  const broken = [];
  const client = new Client(system);
  const { status } = await client.api('GET', '/domains');
  if (status !== 200) broken.push(`the API key: ${status}`);
  try {
    book.accept([await submit(system, load)]);
  } catch (error) {
    broken.push(`the SMTP login: ${error.message}`);
  }
  const accepted = await client.must(202, 'POST', '/messages/conversation', {
    from: { email: SENDER },
    to: [{ email: SUPPRESSED }],
    subject: 'After the restore',
    text_content: 'x',
  });
  return { broken, suppressed: accepted.data[0].id };
}

/** @param {System} system @param {Load} load @returns {Promise<import('./book.mjs').Item>} */
async function submit(system, { auth }) {
  const recipient = 'after-the-restore@mail.test';
  const { submission: port } = system.addresses();
  const transport = createTransport({
    host: '127.0.0.1',
    port,
    requireTLS: true,
    tls: { rejectUnauthorized: false },
    auth,
  });
  const { response } = await transport.sendMail({ from: SENDER, to: recipient, subject: 'Mail', text: 'x' });
  transport.close();
  const id = /^250 2\.0\.0 OK (\S+)$/.exec(response)?.[1] ?? null;
  return { kind: 'submission', recipient, id, events: [], status: 'Delivered' };
}

/** @param {System} system @param {string} id of a message to an address that was suppressed before the backup */
async function staysSuppressed(system, id) {
  const client = new Client(system);
  const isSuppressed = async () =>
    (await client.api('GET', `/messages/${encodeURIComponent(id)}`)).body.status === 'Suppressed';
  return (await waitUntil(isSuppressed, { limitMs: LIMIT_MS, everyMs: 200 })) === true;
}

/** @param {string} file @param {Book} book @returns {Promise<Set<string>>} recipients whose delivery the log knows */
async function deliveredByLog(file, book) {
  const ids = new Set();
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const delivered = readDelivered(line);
    if (delivered) ids.add(delivered.id);
  }
  const logged = [...book.items.values()].filter(({ record }) => ids.has(record));
  return new Set(logged.map(({ recipient }) => recipient));
}

/** Runs a command like an operator. @param {string} dataDir @param {string[]} words @returns {Promise<string>} its output */
function command(dataDir, ...words) {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, POSTMESH_DATA_DIR: dataDir };
  return runToEnd(process.execPath, [CLI, ...words], { env, limitMs: LIMIT_MS });
}

/** @param {import('./book.mjs').Item} item */
const isLeaving = ({ kind }) => kind === 'send' || kind === 'several' || kind === 'submission';
