// @ts-check
// After the load: waits until everything that was accepted is accounted for, or until nothing changes any more, and
// reads the record of each message.
import { eachBounded } from '@postmesh/concurrency';
import { waitUntil } from '../processes.mjs';
import { importPath } from './load.mjs';
import { Client } from './system.mjs';
import { readTrial } from './trials.mjs';
import { hasArrived, lostItems, missingEvents, missingRouteCalls, wrongSignUps } from './verdict.rules.mjs';

/** After this time without a change no more will come: leases, backoffs and the sweep are shorter. */
const QUIET_MS = 90_000;
/** Limit for the backlog of a run. */
const LIMIT_MS = 3_600_000;
const READERS = 6;
const PAGE = 100;
/** Campaign counters lag 10 s at most (spec 3-marketing §8.1 rule 3); a busy machine takes longer for the rest. */
const STATUS_LIMIT_MS = 120_000;

/**
 * @param {import('./system.mjs').System} system @param {import('./book.mjs').Book} book
 * @param {Partial<Pick<import('./load.mjs').Load, 'session' | 'signUps'>>} [load] what needs a session of the console
 */
export async function settle(system, book, { session, signUps } = {}) {
  const client = new Client(system);
  await untilNothingIsMissing(book);
  const readJoined = async () => {
    await signUps?.confirmAll();
    await signUps?.read();
    return wrongSignUps(book).length === 0;
  };
  const readTrials = async () => {
    const trials = book.campaigns.filter(({ trial }) => trial !== undefined);
    if (session) for (const campaign of trials) await readTrial(session, campaign);
    return trials.every(({ trial }) => trial?.winner !== null);
  };
  const reads = [readCampaigns, readTrials, readImports, findSignUpMails, readJoined, readMessages];
  for (const read of [...reads, readRepeatedCampaignMessages]) {
    // records that cannot be read in the end count as missing
    await waitUntil(() => read(client, book).catch(sayWhy), { limitMs: STATUS_LIMIT_MS, everyMs: 500 });
  }
}

/** @param {Error} error @returns {boolean} not yet */
function sayWhy(error) {
  console.error(`  reading outcomes failed, will retry: ${error.message}`);
  return false;
}

/** Messages at the sink, events at the receiver. @param {import('./book.mjs').Book} book */
async function untilNothingIsMissing(book) {
  const missing = () => {
    const items = [...book.items.values()];
    const arriving = items.filter((item) => !hasArrived(book, item)).length;
    return arriving + missingEvents(book, items).length + missingRouteCalls(book, items).length;
  };
  let best = { missing: Infinity, at: Date.now() };
  const over = () => {
    const now = missing();
    if (now < best.missing) best = { missing: now, at: Date.now() };
    return now === 0 || Date.now() - best.at > QUIET_MS;
  };
  await waitUntil(over, { limitMs: LIMIT_MS, everyMs: 500 });
}

/** @param {Client} client @param {import('./book.mjs').Book} book @returns {Promise<boolean>} whether all ended */
async function readImports(client, book) {
  for (const one of book.imports.filter(({ view }) => view?.state !== 'done')) {
    one.view = (await client.operator('GET', importPath(one.kind, one.id))).body;
  }
  return book.imports.every(({ view }) => view?.state === 'done');
}

/** Each recipient's own record: a conversation shares its id. @param {Client} client @param {import('./book.mjs').Book} book */
async function readMessages(client, book) {
  const open = () => lostItems(book, [...book.items.values()]).length > 0;
  const unread = [...book.items.values()].filter(({ id, ended, status }) => id !== null && ended !== status);
  await eachBounded(unread, READERS, async (item) => {
    const [id, recipient] = [String(item.id), item.recipient].map(encodeURIComponent);
    const { status, body } = await client.api('GET', `/messages/${id}?recipient=${recipient}`);
    if (status !== 200) return void (item.ended = `HTTP ${status}`);
    item.record = body.id;
    item.ended = body.status;
    item.attempts = body.num_attempts;
    if (item.kind === 'inbound') {
      const isIts = body.direction === 'inbound' && body.recipient === item.recipient;
      item.intact = isIts && String(body.content).includes('Subject: Mail ');
    }
  });
  return !open();
}

/** @param {Client} client @param {import('./book.mjs').Book} book @returns {Promise<boolean>} whether all are through */
async function readCampaigns(client, book) {
  for (const campaign of book.campaigns) {
    campaign.status = (await client.must(200, 'GET', `/campaigns/${campaign.id}`)).status;
    campaign.stats = await client.must(200, 'GET', `/campaigns/${campaign.id}/stats`);
  }
  const through = book.campaigns.every(
    ({ status, stats, recipients }) => status === 'sent' && stats?.['delivered'] === recipients,
  );
  if (through) for (const campaign of book.campaigns) await readRecipients(client, book, campaign.id);
  return through;
}

/** @param {Client} client @param {import('./book.mjs').Book} book @param {string} id */
async function readRecipients(client, book, id) {
  for (let after = ''; ;) {
    const page = await client.must(200, 'GET', `/campaigns/${id}/recipients?limit=${PAGE}${after}`);
    for (const { email, status, message_id: messageId } of page.data) {
      const item = book.items.get(email);
      if (item) Object.assign(item, { ended: status, id: messageId });
    }
    if (!page.pagination.has_more) return;
    after = `&after=${encodeURIComponent(page.pagination.next_cursor)}`;
  }
}

/** One message for each sign-up. @param {Client} client @param {import('./book.mjs').Book} book @returns {Promise<boolean>} whether all are found */
async function findSignUpMails(client, book) {
  const unknown = [...book.items.values()].filter(({ kind, id }) => kind === 'sign-up' && id === null);
  await eachBounded(unknown, READERS, async (item) => {
    const path = `/messages?recipient=${encodeURIComponent(item.recipient)}`;
    const { data } = await client.must(200, 'GET', path);
    if (data.length > 1) item.ended = `${data.length} messages`;
    else if (data.length === 1) item.id = data[0].id;
  });
  return unknown.every(({ id }) => id !== null);
}

/** Only the operator interface has the attempts of campaign messages. @param {Client} client @param {import('./book.mjs').Book} book */
async function readRepeatedCampaignMessages(client, book) {
  const repeated = [...book.items.values()].filter(
    ({ kind, recipient, id }) =>
      (kind === 'campaign' || kind === 'trial') && id !== null && (book.arrivals.get(recipient) ?? 0) > 1,
  );
  await eachBounded(repeated, READERS, async (item) => {
    const id = String(item.id);
    const path = `/messages/messages/${id.slice(1, id.indexOf('@'))}`;
    const { body } = await client.operator('GET', path);
    item.attempts = body.num_attempts ?? body.attempts?.length ?? null;
  });
  return true;
}
