// @ts-check
// The verdict on a book, without I/O. Nothing accepted may be lost; the record of a message that came twice must have
// an attempt with an unknown outcome, and it came by one way; every webhook gets every event, always under one id.
import { eventKey, routeKey } from './book.mjs';
import { FAULTS } from './faults.table.mjs';
import { wrongTrials } from './trials.mjs';

/**
 * @typedef {import('./book.mjs').Book} Book
 * @typedef {import('./book.mjs').Item} Item
 *
 * @typedef {object} Row
 * @property {string} kind
 * @property {number} accepted
 * @property {number} delivered
 * @property {number} lost accepted, but did not arrive or did not end in the right status
 * @property {number} duplicates arrivals beyond the first
 * @property {number} uncertain those of them that the message itself accounts for
 * @property {number} webhooksMissing events that a webhook must get, and route calls, that never came
 *
 * @typedef {{ rows: Row[], total: Row, findings: Record<string, string[]>, isKept: boolean, longestOutageMs: number,
 *   longestRefusedMs: number, repeatedCalls: number }} Verdict `isKept`: no promise was broken
 */

/** While processes start and stop without kills, the next attempt is accepted within this. */
const MAX_REFUSED_MS = 1_000;

const KINDS = /** @type {const} */ ([
  ...['send', 'several', 'sandbox', 'submission', 'campaign', 'trial', 'sign-up', 'inbound'],
]);
/** Sandbox messages are not sent, and inbound ones are not relayed. */
const ARRIVING = new Set(['send', 'several', 'submission', 'campaign', 'trial', 'sign-up']);
const LOAD_DOMAIN = '@mail.test';

/** @param {Book} book @returns {Verdict} */
export function judge(book) {
  const items = [...book.items.values()];
  const rows = KINDS.map((kind) =>
    rowOf(
      book,
      kind,
      items.filter((item) => item.kind === kind),
    ),
  ).filter(({ accepted }) => accepted > 0);
  const findings = {
    lost: lostItems(book, items),
    'duplicate without a record': unrecordedDuplicates(book, items),
    'webhook event missing': missingEvents(book, items),
    'route call missing': missingRouteCalls(book, items),
    'event or route call with several or shared webhook-ids': idConflicts(book),
    'inbound record differs from the sent message': brokenRecords(items),
    'import did not apply each line once': wrongImports(book),
    'campaign did not reach each recipient': wrongCampaigns(book),
    'trial did not give each recipient the right subject once': wrongTrials(book),
    'sign-up was not confirmed exactly once': wrongSignUps(book),
    'chain of consents is not whole': book.chainProblem === null ? [] : [book.chainProblem],
    'arrived, but never accepted': strangers(book),
    'arrived by two ways': [...book.ways]
      .filter(([, ways]) => ways.size > 1)
      .map(([recipient, ways]) => `${recipient} (${[...ways].join(', ')})`),
    'arrived without a signature': [...book.unsigned].filter((recipient) => book.items.has(recipient)),
    'refused for good': book.refusedForGood,
    'answered otherwise than "later", while a store did not work': wrongAnswers(book),
    ...(book.stops.length > 0 ? inOrder(book, items) : {}),
  };
  return {
    rows,
    total: rows.reduce(add, emptyRow('total')),
    findings,
    isKept: Object.values(findings).every((found) => found.length === 0),
    longestOutageMs: Math.round(book.outage?.longest ?? 0),
    longestRefusedMs: longestRefused(book),
    repeatedCalls: [...book.events.values()].reduce((sum, { calls }) => sum + calls - 1, 0),
  };
}

/** Without kills nothing is uncertain, and acceptance continues. @param {Book} book @param {readonly Item[]} items */
const inOrder = (book, items) => ({
  'duplicate without a kill': items.filter((item) => extraArrivals(book, item) > 0).map(describe),
  'process did not stop cleanly': book.stops
    .filter(({ code }) => code !== 0)
    .map(({ what, code, tookMs }) => `${what} ended with ${code} after ${tookMs} ms`),
  'acceptance was refused for longer than a second':
    longestRefused(book) > MAX_REFUSED_MS ? [`${longestRefused(book)} ms`] : [],
});

/** "Later": the store is away, or the first try is still under way. */
const LATER = new Set([409, 503]);
/** The process lives, and so answers. */
const LYING = Object.values(FAULTS).flatMap(({ parts }) => parts);

/** @param {Book} book */
const wrongAnswers = ({ failedTries }) =>
  failedTries
    .filter(({ status, during }) => LYING.includes(during) && !LATER.has(status))
    .map(({ what, tookMs, during }) => `${what} after ${tookMs} ms (${during})`);

/** An outage without an end counts as infinite. @param {Book} book */
const longestRefused = ({ refusedFor }) =>
  refusedFor.since === null ? Math.round(refusedFor.longest) : Number.POSITIVE_INFINITY;

/** Accepted items that did not arrive, or did not end in the status they must. @param {Book} book @param {readonly Item[]} items */
export const lostItems = (book, items) =>
  items.filter((item) => !hasArrived(book, item) || item.ended !== item.status).map(describe);

/** @param {Book} book @param {Item} item */
export const hasArrived = (book, { kind, recipient }) =>
  !ARRIVING.has(kind) || (book.arrivals.get(recipient) ?? 0) > 0;

/** @param {Book} book @param {Item} item */
const extraArrivals = (book, { recipient }) => Math.max(0, (book.arrivals.get(recipient) ?? 0) - 1);

/** A message that arrived n times must have n attempts: all but one with an unknown outcome. @param {Book} book @param {Item} item */
const isRecorded = (book, { recipient, attempts }) => (attempts ?? 0) >= (book.arrivals.get(recipient) ?? 0);

/** @param {Book} book @param {readonly Item[]} items */
const unrecordedDuplicates = (book, items) =>
  items.filter((item) => extraArrivals(book, item) > 0 && !isRecorded(book, item)).map(describe);

/** Item → keys of its events without a webhook call. @param {Book} book @param {Item} item */
const missingEventsOf = (book, { recipient, events }) =>
  book.webhooks
    .flatMap((webhook) => events.map((type) => eventKey(webhook, type, recipient)))
    .filter((key) => !book.events.has(key));

/** @param {Book} book @param {readonly Item[]} items */
export const missingEvents = (book, items) => items.flatMap((item) => missingEventsOf(book, item));

/** @param {Book} book @param {Item} item */
const isRouteCallMissing = (book, item) => item.kind === 'inbound' && !book.routeCalls.has(routeKey(item));

/** @param {Book} book @param {readonly Item[]} items */
export const missingRouteCalls = (book, items) =>
  items.filter((item) => isRouteCallMissing(book, item)).map(describe);

/** Every event, and every route call, has one id in all its calls, and shares it with no other. @param {Book} book */
function idConflicts(book) {
  const seen = new Set();
  return [...book.events, ...book.routeCalls]
    .filter(([, { ids }]) => {
      const isShared = [...ids].some((id) => seen.has(id));
      for (const id of ids) seen.add(id);
      return ids.size !== 1 || isShared;
    })
    .map(([key]) => key);
}

/** @param {readonly Item[]} items */
export const brokenRecords = (items) =>
  items.filter(({ kind, intact }) => kind === 'inbound' && intact !== true).map(describe);

/** Every line is imported exactly once: a second time would count as unchanged. @param {Book} book */
const wrongImports = ({ imports }) =>
  imports
    .filter(({ lines, nonsense, made, view }) => {
      const wanted = { state: 'done', lines, lines_done: lines, created: made };
      return Object.entries({ ...wanted, unchanged: 0, errors: nonsense }).some(
        ([field, value]) => view?.[field] !== value,
      );
    })
    .map(({ kind, id, view }) => `${kind} ${id}: ${JSON.stringify(view ?? null)}`);

/** @param {Book} book */
const wrongCampaigns = ({ campaigns }) =>
  campaigns
    .filter(
      ({ status, stats, recipients }) =>
        status !== 'sent' || stats?.['recipients'] !== recipients || stats?.['delivered'] !== recipients,
    )
    .map(({ id, status, stats }) => `${id}: ${status} ${JSON.stringify(stats ?? null)}`);

/** Each address whose button was pressed has one consent, and no other has one. @param {Book} book */
export const wrongSignUps = ({ items, confirmed, consents }) => [
  ...[...items.values()]
    .filter(({ kind, recipient }) => kind === 'sign-up' && !confirmed.has(recipient))
    .map(({ recipient }) => `${recipient} was not confirmed`),
  ...[...confirmed]
    .filter((recipient) => consents.get(recipient) !== 1)
    .map((recipient) => `${recipient} has ${consents.get(recipient) ?? 0} consents`),
  ...[...consents.keys()]
    .filter((recipient) => !confirmed.has(recipient))
    .map((recipient) => `${recipient} has a consent, and pressed no button`),
];

/** Only addresses of the load: the system writes to the owner of the account, too. @param {Book} book */
export const strangers = ({ items, arrivals, unanswered }) =>
  [...arrivals.keys()].filter(
    (recipient) => recipient.endsWith(LOAD_DOMAIN) && !items.has(recipient) && !unanswered.has(recipient),
  );

/** @param {Book} book @param {string} kind @param {readonly Item[]} items of it @returns {Row} */
function rowOf(book, kind, items) {
  const repeated = items.filter((item) => extraArrivals(book, item) > 0);
  const extra = (of) => of.reduce((sum, item) => sum + extraArrivals(book, item), 0);
  const lost = lostItems(book, items).length;
  return {
    kind,
    accepted: items.length,
    delivered: items.length - lost,
    lost,
    duplicates: extra(repeated),
    uncertain: extra(repeated.filter((item) => isRecorded(book, item))),
    webhooksMissing: missingEvents(book, items).length + missingRouteCalls(book, items).length,
  };
}

/** @returns {Row} */
const emptyRow = (kind) => ({
  ...{ kind, accepted: 0, delivered: 0, lost: 0 },
  ...{ duplicates: 0, uncertain: 0, webhooksMissing: 0 },
});

/** @param {Row} sum @param {Row} row @returns {Row} */
const add = (sum, row) => ({
  kind: sum.kind,
  accepted: sum.accepted + row.accepted,
  delivered: sum.delivered + row.delivered,
  lost: sum.lost + row.lost,
  duplicates: sum.duplicates + row.duplicates,
  uncertain: sum.uncertain + row.uncertain,
  webhooksMissing: sum.webhooksMissing + row.webhooksMissing,
});

/** @param {Item} item */
const describe = ({ kind, recipient, id, ended, attempts }) =>
  `${kind} ${recipient} ${id ?? '-'} (${ended ?? 'not read'}, ${attempts ?? '?'} attempts)`;
