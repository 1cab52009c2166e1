// @ts-check
// The verdict about a life of campaigns, from what happened in it.
import { LIMITS } from './limits.table.mjs';
import { kindOf, subjectOf } from './plan.mjs';

/** @typedef {import('../subjects.mjs').Breach} Breach */
/** @typedef {import('./messages-world.mjs').Stored} Stored */
/** @typedef {{ id: string, status: string, cause: string | null, size: number | null, winner: number | null, counts: Record<string, number> }} Row */
/** @typedef {{ campaign: string, position: number, contact: string, status: string, message: string | null }} Recipient */
/**
 * @typedef {object} History
 * @property {import('./plan.mjs').Plan} plan
 * @property {(import('./plan.mjs').Campaign & { id: string, at: number })[]} campaigns
 * @property {import('./life.mjs').Operation[]} operations
 * @property {Stored[]} stored by the messages service
 * @property {boolean} isActive the account, at the end
 * @property {Row[]} rows
 * @property {Recipient[]} recipients
 * @property {{ id: string, status: string, cause: string | null }[]} left
 * @property {{ owner: string | undefined, kind: string, from: number, to: number }[]} faults
 * @property {string[]} uncaught
 * @property {number} start
 * @property {number} endedAt
 * @property {number} steps
 * @property {number} hash
 * @property {string[]} trace
 */

/** The recipient has a message. */
const MADE = new Set(['queued', 'deferred', 'delivered', 'bounced']);
const FINAL = new Set(['sent', 'canceled', 'failed']);
const DAY_MS = 86_400_000;

/** @param {History} history @returns {Breach[]} */
export function judge(history) {
  const { uncaught, left, campaigns, isActive } = history;
  return [
    ...uncaught.map((text) => ({ rule: 'runs', text })),
    ...left
      .filter(({ cause }) => isActive || cause !== 'suspended')
      .map(({ id, status, cause }) => ({
        rule: 'ends',
        text: `${nameOf(history, id)} is still ${status}${cause === null ? '' : `, by ${cause}`}, or has batches`,
      })),
    ...campaigns.flatMap((campaign) => judgeCampaign(history, campaign)),
    ...overLimit(history),
  ];
}

/** @param {History} history @param {History['campaigns'][number]} campaign @returns {Breach[]} */
function judgeCampaign(history, { id, name, members, at }) {
  const row = /** @type {Row} */ (history.rows.find((one) => one.id === id));
  const recipients = history.recipients.filter(({ campaign }) => campaign === id);
  const stored = history.stored.filter(({ campaignId }) => campaignId === id);
  /** @type {Breach[]} */
  const breaches = [];
  const breach = (/** @type {string} */ rule, /** @type {string} */ text) =>
    breaches.push({ rule, text: `${name}: ${text}` });
  const isCanceledBefore = row.status === 'canceled' && recipients.length === 0;
  if (row.status !== 'scheduled' && !isCanceledBefore && recipients.length !== members)
    breach('audience', `${recipients.length} recipients of ${members} contacts`);
  if (new Set(recipients.map(({ contact }) => contact)).size < recipients.length)
    breach('audience', 'a contact is there twice');
  for (const { contact, status, message, position } of recipients) {
    const of = stored.filter(({ contactId }) => contactId === contact);
    const about = `recipient ${position}, which is ${status},`;
    if (of.length > 1) breach('once', `${about} has ${of.length} messages`);
    if (MADE.has(status) && !of.some((one) => one.id === message && one.outcome === 'accepted')) {
      // what is taken and paused may not be handed over yet
      if (status !== 'queued' || FINAL.has(row.status)) breach('record', `${about} has no message`);
    }
    if (status === 'suppressed' && !of.some(({ outcome }) => outcome === 'suppressed'))
      breach('record', `${about} was not suppressed`);
    if (['pending', 'canceled', 'failed', 'skipped'].includes(status) && of.length > 0)
      breach('record', `${about} has a message`);
    if (status === 'pending' && FINAL.has(row.status)) breach('lost', `${about} is left`);
    const isRefused = kindOf(history.plan, name, Number(contact.slice(-3))) === 'failed';
    if (status === 'failed' && !isRefused && row.status !== 'canceled')
      breach('lost', `${about} was given up`);
    if (status === 'canceled' && row.status !== 'canceled') breach('lost', `${about} was left out`);
  }
  for (const [status, count] of Object.entries(row.counts)) {
    const real = recipients.filter((one) => one.status === status).length;
    if (real !== Number(count)) breach('counts', `${real} are ${status}, ${count} are counted`);
  }
  if (stored.some((one) => one.at < at)) breach('time', 'a message is stored before its time');
  breaches.push(...judgeHolds(history, id, name), ...judgeVariants(row, name, recipients, stored));
  const most = Math.max(0, ...stored.map((one) => stored.filter((other) => isOpen(other, one.at)).length));
  if (most > LIMITS.window) breach('window', `${most} messages are without an outcome at once`);
  return breaches;
}

/** @param {Stored} stored @param {number} at */
const isOpen = ({ outcome, at: from, outcomeAt }, at) =>
  outcome === 'accepted' && from <= at && at < outcomeAt;

/**
 * A recipient is not taken while its campaign is paused, nor behind its cancel. The id of its message has the time at which it was taken, by
 * the time of day of its process.
 * @param {History} history @param {string} id @param {string} name @returns {Breach[]}
 */
function judgeHolds({ operations, stored, faults, plan, rows, endedAt }, id, name) {
  if (plan.steps.some(({ kind }) => kind === 'clock') || faults.some(({ kind }) => kind === 'stall'))
    return [];
  const own = operations.filter((one) => one.id === id);
  const taken = stored
    .filter(({ campaignId }) => campaignId === id)
    .map((one) => Number.parseInt(one.id.replaceAll('-', '').slice(0, 12), 16));
  const status = rows.find((one) => one.id === id)?.status ?? '';
  /** @type {Breach[]} */
  const breaches = [];
  for (const { kind, from, to, isDone } of own) {
    if (!isDone || kind === 'resume') continue;
    if (kind === 'cancel' && status !== 'canceled')
      breaches.push({ rule: 'held', text: `${name} is ${status}, though its cancel was answered` });
    const until =
      kind === 'cancel'
        ? endedAt
        : Math.min(
            endedAt,
            // one that was under way together with the pause may have come behind it
            ...own.filter((one) => one.kind === 'resume' && one.to > from).map((one) => one.from),
          );
    if (taken.some((at) => at > to + 1 && at < until))
      breaches.push({ rule: 'held', text: `${name}: a recipient is taken behind its ${kind}` });
  }
  return breaches;
}

/** @param {Row} row @param {string} name @param {Recipient[]} recipients @param {Stored[]} stored @returns {Breach[]} */
function judgeVariants({ size, winner }, name, recipients, stored) {
  if (size === null) return [];
  return stored.flatMap(({ contactId, subject }) => {
    const position = recipients.find(({ contact }) => contact === contactId)?.position ?? 0;
    const variant = position < size ? position % 2 : winner;
    if (variant !== null && subject === subjectOf(variant)) return [];
    const text = `${name}: recipient ${position} of a trial of ${size} has ${subject}, the winner is ${winner}`;
    return [{ rule: 'variant', text }];
  });
}

/** Messages of one day. @param {History} history @returns {Breach[]} */
function overLimit({ stored, plan: { dailyLimit }, start, endedAt }) {
  if (dailyLimit === undefined || Math.floor(start / DAY_MS) !== Math.floor(endedAt / DAY_MS)) return [];
  const made = stored.filter(({ outcome }) => outcome === 'accepted').length;
  return made > dailyLimit ? [{ rule: 'limit', text: `${made} messages of ${dailyLimit} a day` }] : [];
}

/** @param {History} history @param {string} id */
const nameOf = ({ campaigns }, id) => campaigns.find((one) => one.id === id)?.name ?? id;
