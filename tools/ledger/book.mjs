// @ts-check
// The records of a run of the ledger: accepted items and their outcomes. The verdict is made by verdict.rules.mjs.

/**
 * @typedef {'send' | 'several' | 'sandbox' | 'submission' | 'campaign' | 'trial' | 'sign-up' | 'inbound'} Kind of load
 *
 * @typedef {object} Item one message that was accepted; its recipient is its key, since none is used twice
 * @property {Kind} kind
 * @property {string} recipient
 * @property {string | null} id of the message in the response, which the recipients of a conversation share; null: a
 *   campaign's, which is read at the end
 * @property {string} [record] uuid of the recipient's own record, read at the end
 * @property {readonly string[]} events that each webhook must get
 * @property {string} status in which it must end
 * @property {string} [campaign] of a trial
 * @property {string | null} [ended] status that was read at the end
 * @property {number | null} [attempts] that the message itself reports
 * @property {boolean} [intact] inbound: the record is of this recipient and has its content
 *
 * @typedef {{ ids: Set<string>, calls: number }} Called the `webhook-id`s of an event or message, and the number of calls
 *
 * @typedef {object} Import
 * @property {'contacts' | 'suppressions'} kind
 * @property {string} id
 * @property {number} lines
 * @property {number} nonsense lines among them without a valid address
 * @property {number} made contacts or suppressions from the other lines
 * @property {{ state: string, lines: number, lines_done: number, created: number, unchanged: number, errors: number }}
 *   [view] read at the end
 *
 * @typedef {{ id: string, recipients: number, status?: string, stats?: Record<string, number>, trial?: { winner: number | null,
 *   tried: number } }} Campaign `trial` is read at the end, of one that has it
 *
 * @typedef {{ what: string, before: string, inFlight: number, downMs: number }} Kill `before`: the event that it waited for
 *
 * @typedef {{ what: string, code: number | null, tookMs: number }} Stop of a process: from SIGTERM until its end
 */

export class Book {
  constructor() {
    /** @type {Map<string, Item>} */
    this.items = new Map();
    /** @type {Set<string>} recipients of requests that were cut off and are not repeated: both outcomes are right */
    this.unanswered = new Set();
    /** @type {Map<string, number>} number of messages at the sink by recipient */
    this.arrivals = new Map();
    /** @type {Map<string, Set<string>>} the ways by which they came, by recipient */
    this.ways = new Map();
    /** @type {Map<string, Called>} by webhook, type and recipient */
    this.events = new Map();
    /** @type {Map<string, Called>} by message id without dashes */
    this.routeCalls = new Map();
    /** @type {string[]} */
    this.webhooks = [];
    /** @type {Import[]} */
    this.imports = [];
    /** @type {Campaign[]} */
    this.campaigns = [];
    /** @type {Map<string, Set<string>>} the subjects that came, by recipient of a trial */
    this.subjects = new Map();
    /** @type {Map<string, string>} the path of the confirmation in a mail, by its recipient */
    this.links = new Map();
    /** @type {Set<string>} recipients whose button was pressed, and answered */
    this.confirmed = new Set();
    /** @type {Map<string, number>} consents by address, read at the end */
    this.consents = new Map();
    /** why the chain of consents is not whole @type {string | null} */
    this.chainProblem = null;
    /** @type {Kill[]} */
    this.kills = [];
    /** @type {Stop[]} */
    this.stops = [];
    /** @type {Set<string>} recipients of messages that came without a DKIM signature */
    this.unsigned = new Set();
    /** from a request that was refused, or cut off, until the next one that was accepted, ms */
    this.refusedFor = { count: 0, since: /** @type {number | null} */ (null), longest: 0 };
    /** @type {{ what: string, status: number, tookMs: number, during: string }[]} first attempts without a 202, and the part that was down */
    this.failedTries = [];
    /** @type {string[]} SMTP transactions that were refused for good, though nothing is wrong with them */
    this.refusedForGood = [];
    this.calls = 0;
    /** @type {{ last: number, longest: number } | null} between two accepted requests, ms */
    this.outage = null;
  }

  /** @param {readonly Item[]} items of one answered request */
  accept(items) {
    for (const item of items) this.items.set(item.recipient, item);
  }

  /** A request of the steady load was answered with 202 or 250. @param {number} at ms */
  answered(at) {
    const { last = at, longest = 0 } = this.outage ?? {};
    this.outage = { last: at, longest: Math.max(longest, at - last) };
    const { refusedFor } = this;
    if (refusedFor.since !== null) refusedFor.longest = Math.max(refusedFor.longest, at - refusedFor.since);
    refusedFor.since = null;
  }

  /** One of them got no 202. @param {number} at ms */
  refused(at) {
    this.refusedFor.count += 1;
    this.refusedFor.since ??= at;
  }

  /** @param {string} recipient @param {boolean} [isSigned] @param {string} [way] a relay; directly unless given */
  arrived(recipient, isSigned = true, way = 'direct') {
    this.ways.set(recipient, (this.ways.get(recipient) ?? new Set()).add(way));
    this.arrivals.set(recipient, (this.arrivals.get(recipient) ?? 0) + 1);
    if (!isSigned) this.unsigned.add(recipient);
  }

  /** @param {string} recipient @param {string} subject of a mail of a trial */
  read(recipient, subject) {
    this.subjects.set(recipient, (this.subjects.get(recipient) ?? new Set()).add(subject));
  }

  /** @param {string} id `webhook-id` @param {{ webhook_id: string, type: string, data: { recipient: string } }} event */
  called(id, { webhook_id, type, data }) {
    this.calls += 1;
    note(this.events, eventKey(webhook_id, type, data.recipient), id);
  }

  /** @param {string} id `webhook-id` @param {{ data: { id: string } }} event */
  routed(id, { data }) {
    note(this.routeCalls, data.id, id);
  }
}

export const eventKey = (webhook, type, recipient) => `${webhook} ${type} ${recipient}`;

/** A message's id in the form of route bodies. @param {Item} item */
export const routeKey = ({ id }) => String(id).replaceAll('-', '');

/** @param {Map<string, Called>} called @param {string} key @param {string} id */
function note(called, key, id) {
  const known = called.get(key) ?? { ids: new Set(), calls: 0 };
  known.ids.add(id);
  known.calls += 1;
  called.set(key, known);
}
