// @ts-check
// The verdict about a life, from what happened in it: what must never be, and what must have come.
import { BUDGET, PLACES, TIMES } from './limits.table.mjs';

/** @typedef {import('./mail-world.mjs').Copy} Copy */
/**
 * @typedef {object} History
 * @property {import('./plan.mjs').Plan} plan
 * @property {{ message: import('./plan.mjs').Message, id: string, acceptedAt: number }[]} messages
 * @property {Copy[]} copies
 * @property {{ id: string, at: number }[]} canceled
 * @property {{ account: string, state: string, revision: number, at: number }[]} accountChanges
 * @property {{ owner: string | undefined, kind: string, from: number, to: number }[]} faults
 * @property {string[]} processes
 * @property {number[]} starts of processes
 * @property {any[]} events of attempts, in the order of their commits
 * @property {{ id: string, state: string, reason: string }[]} left
 * @property {string[]} uncaught
 * @property {number} start
 * @property {number} endedAt
 * @property {number} steps
 * @property {number} hash
 * @property {string[]} trace
 */
/** @typedef {{ rule: string, text: string }} Breach */

const FINAL = new Set(['delivered', 'bounced', 'failed', 'suppressed']);
// One claim is answered, and its attempt begun, within this.
const SLACK_MS = 4_000;
// A worker that lives, with its database, has recorded a result within this.
const RECOVERS_MS = 12_000;
// An outage of the database at its longest, and the periodic task after it.
const RESUMES_MS = 60_000;
const QUIET_MS = 10_000;
const TAKEN_OVER_MS = 12_000;
const MAX_KILLS = 6;

/** @param {History} history @returns {Breach[]} */
export function judge(history) {
  const { messages, canceled, left, uncaught } = history;
  return [
    ...uncaught.map((text) => ({ rule: 'runs', text })),
    ...messages.flatMap((message) =>
      judgeMessage(
        history,
        message,
        canceled.some(({ id }) => id === message.id),
      ),
    ),
    ...left
      .filter(({ state }) => state !== 'canceled')
      .map(({ id, state, reason }) => ({
        rule: 'ends',
        text: `${nameOf(history, id)} still ${state}: ${reason}`,
      })),
    ...overPlaces(history),
    ...overBudget(history),
    ...sentWhileSuspended(history),
    ...takenOverLate(history),
    ...expiredAfterSuspension(history),
  ];
}

/** @param {History} history @param {History['messages'][number]} one @param {boolean} isCanceled @returns {Breach[]} */
function judgeMessage(history, { id, message, acceptedAt }, isCanceled) {
  const { name } = message;
  const copies = history.copies.filter((copy) => copy.id === id);
  const events = history.events.filter(({ message_id }) => message_id === id);
  /** @type {Breach[]} */
  const breaches = [];
  const breach = (/** @type {string} */ rule, /** @type {string} */ text) =>
    breaches.push({ rule, text: `${name} ${text}` });
  if (isCanceled) {
    if (copies.some(({ outcome }) => outcome !== 'postponed')) breach('cancel', 'was canceled, and sent');
    if (events.length > 0) breach('cancel', `was canceled, and has the outcome ${events[0].outcome}`);
    return breaches;
  }
  const ends = events.filter(({ outcome }) => FINAL.has(outcome));
  if (ends.length === 0) breach('lost', 'has no outcome');
  if (ends.length > 1)
    breach('status', `has ${ends.length} outcomes: ${ends.map(({ outcome }) => outcome).join(', ')}`);
  const [first] = ends;
  if (first && events.indexOf(first) < events.length - 1)
    breach('status', `has an attempt recorded after ${first.outcome}`);
  const taken = copies.filter(({ isTaken }) => isTaken).length;
  const attempts = Math.max(0, ...events.map(({ attempt }) => attempt));
  const uncertain = events.filter((event) => event.uncertain).length;
  if (taken > attempts) breach('record', `arrived ${taken} times, and ${attempts} attempts are recorded`);
  if (taken > uncertain + 1)
    breach('record', `arrived ${taken} times, and ${uncertain} are recorded as uncertain`);
  // a worker that ended, or did nothing for a while, may have had a row without an attempt until its lease was over
  const areBrief = history.faults.every(({ kind }) => kind === 'cut');
  const unmade = events
    .filter((event) => event.uncertain)
    .some(({ at }, nth) => copies.filter(({ begunAt }) => begunAt <= at).length <= nth);
  if (areBrief && unmade) breach('record', 'has an uncertain attempt that was not made');
  if (first?.outcome === 'delivered' && taken === 0) breach('record', 'is delivered, and did not arrive');
  const killed = copies.filter(({ kind }) => kind === 'kills').length;
  if (killed > MAX_KILLS) breach('crash-loop', `ended ${killed} workers`);
  // one that a stop cut before its final dot is no attempt
  const firstAttempt = copies.find(({ outcome }) => outcome !== 'postponed');
  const windowEnd = (firstAttempt?.endedAt ?? Infinity) + TIMES.windowSeconds * 1_000;
  const end = Math.min(
    windowEnd,
    message.expiresS === undefined ? Infinity : acceptedAt + message.expiresS * 1_000,
  );
  if (copies.some(({ begunAt }) => begunAt > end + SLACK_MS)) breach('window', 'was sent after its end');
  if (
    message.scheduledS !== undefined &&
    copies.some(({ begunAt }) => begunAt < acceptedAt + Number(message.scheduledS) * 1_000 - SLACK_MS)
  )
    breach('window', 'was sent before its time');
  for (const [nth, copy] of copies.entries())
    for (const later of copies.slice(nth + 1)) breaches.push(...twice(history, name, copy, later));
  return breaches;
}

/**
 * A second attempt of a message, against what was known of the one before.
 * @param {History} history @param {string} name @param {Copy} copy @param {Copy} later @returns {Breach[]}
 */
function twice(history, name, copy, later) {
  const { begunAt, endedAt, owner, kind } = copy;
  const at = later.begunAt;
  const by = `${name} was sent by ${later.owner}`;
  if (endedAt === undefined ? !hasEnded(history, owner, begunAt, at) : endedAt > at) {
    if (at - begunAt < TIMES.leaseSeconds * 1_000 - SLACK_MS)
      return [{ rule: 'lease', text: `${by} while ${owner} had its lease` }];
    if (mayKeepLease(history, copy, at))
      return [{ rule: 'lease', text: `${by} while ${owner} lives and sends it` }];
    return [];
  }
  if (endedAt === undefined || (kind !== 'accepted' && kind !== 'rejected')) return [];
  const isCalm = !hasEnded(history, owner, begunAt, at) && calmMs(history, owner, endedAt, at) > RECOVERS_MS;
  const isUndisturbed =
    at > endedAt && !history.faults.some((fault) => isAt(fault, owner, endedAt - SLACK_MS, at));
  if (!isCalm && !isUndisturbed) return [];
  return [{ rule: 'result', text: `${by} though ${owner} knows that it was ${kind}` }];
}

/**
 * Whether a worker that sends can have renewed its lease all the time. One that did nothing for a while cannot; nor can one from which
 * a worker took it that started during an outage, and so does not know of it.
 * @param {History} history @param {Copy} copy @param {number} at
 */
function mayKeepLease({ faults, starts }, { owner, begunAt }, at) {
  const here = faults.filter((fault) => isAt(fault, owner, begunAt - SLACK_MS, at));
  const outages = here.filter(({ kind }) => kind === 'outage').length;
  if (here.some(({ kind }) => kind === 'stall' || kind === 'stop') || outages > 1) return false;
  return outages === 0 || !starts.some((start) => start >= begunAt - SLACK_MS && start <= at);
}

/** @param {History} history @param {string} owner @param {number} from @param {number} to */
const hasEnded = ({ faults }, owner, from, to) =>
  faults.some(
    (fault) => fault.owner === owner && fault.kind === 'end' && fault.from >= from && fault.from <= to,
  );

/** @param {History['faults'][number]} fault @param {string} owner @param {number} from @param {number} to */
const isAt = (fault, owner, from, to) =>
  (fault.owner === undefined || fault.owner === owner) && fault.from <= to && fault.to >= from;

/** Time without outages and stalls. @param {History} history @param {string} owner @param {number} from @param {number} to */
const calmMs = ({ faults }, owner, from, to) =>
  faults
    .filter((fault) => isAt(fault, owner, from, to))
    .reduce((ms, fault) => ms - (Math.min(to, fault.to) - Math.max(from, fault.from)), to - from);

/**
 * The rows of a killed worker are taken over within seconds by one that lives.
 * @param {History} history @returns {Breach[]}
 */
function takenOverLate(history) {
  const { faults, copies, events, starts, plan } = history;
  const ends = faults.filter(({ kind }) => kind === 'end');
  return ends.flatMap((end) => {
    const { owner, from: at } = end;
    // from another machine it cannot be seen that it is dead: the lease has to end
    const isSeen = plan.apart === undefined;
    const within = isSeen ? TAKEN_OVER_MS : TAKEN_OVER_MS + TIMES.leaseSeconds * 1_000;
    const isAlone = faults.every(
      (other) => other === end || other.to < at - QUIET_MS || other.from > at + within,
    );
    const others =
      starts.filter((start) => start < at - QUIET_MS).length -
      ends.filter(({ from }) => from < at).length -
      1;
    if (!isAlone || others < 1) return [];
    return copies
      .filter((copy) => copy.owner === owner && copy.endedAt === undefined)
      .filter(
        ({ id }) =>
          !events.some(
            (event) =>
              event.message_id === id && event.uncertain && event.at >= at && event.at <= at + within,
          ),
      )
      .map(({ id }) => ({ rule: 'takeover', text: `${nameOf(history, id)} waits though ${owner} is dead` }));
  });
}

/** Messages of a new address to one group, in the one hour of a life. @param {History} history @returns {Breach[]} */
function overBudget({ copies }) {
  const asked = copies.filter(({ source, outcome }) => source === 'new' && outcome !== 'postponed');
  return [...new Set(asked.map(({ key }) => key))].flatMap((key) => {
    const count = asked.filter((copy) => copy.key === key).length;
    return count > BUDGET ? [{ rule: 'budget', text: `${count} messages of the new address to ${key}` }] : [];
  });
}

/** @param {History} history @returns {Breach[]} */
function overPlaces({ copies, processes, endedAt, faults }) {
  const endOf = (/** @type {Copy} */ copy) =>
    copy.endedAt ?? faults.find(({ owner, kind }) => owner === copy.owner && kind === 'end')?.from ?? endedAt;
  return processes.flatMap((owner) => {
    const own = copies.filter((copy) => copy.owner === owner);
    return own.flatMap((copy) => {
      const at = copy.begunAt;
      const now = own.filter((other) => other.begunAt <= at && endOf(other) > at);
      const inGroup = now.filter(({ key }) => key === copy.key).length;
      const ofAccount = now.filter(({ accountId }) => accountId === copy.accountId).length;
      return [
        ...(now.length > PLACES.worker
          ? [{ rule: 'places', text: `${owner} sends ${now.length} at once` }]
          : []),
        ...(inGroup > PLACES.group
          ? [{ rule: 'places', text: `${owner} sends ${inGroup} of one group at once` }]
          : []),
        ...(ofAccount > PLACES.account
          ? [{ rule: 'places', text: `${owner} sends ${ofAccount} of one account at once` }]
          : []),
      ];
    });
  });
}

/** @param {History} history @returns {Breach[]} */
function sentWhileSuspended(history) {
  const { accountChanges, copies, messages, faults } = history;
  return copies.flatMap(({ id, begunAt, owner }) => {
    const { message } = /** @type {History['messages'][number]} */ (messages.find((one) => one.id === id));
    const known = accountChanges
      .filter(({ account, at }) => account === message.account && at + SLACK_MS < begunAt)
      .sort((one, other) => one.revision - other.revision)
      .at(-1);
    const changed = accountChanges.some(
      ({ account, at }) => account === message.account && at >= begunAt - SLACK_MS && at <= begunAt,
    );
    const stalled = faults.some(
      (fault) =>
        fault.owner === owner &&
        fault.kind === 'stall' &&
        fault.from <= begunAt &&
        fault.to >= begunAt - SLACK_MS,
    );
    if (known?.state !== 'suspended' || changed || stalled) return [];
    return [{ rule: 'suspended', text: `${message.name} was sent while its account is suspended` }];
  });
}

/**
 * A message whose account may send again is tried.
 * @param {History} history @returns {Breach[]}
 */
function expiredAfterSuspension({ accountChanges, copies, events, messages }) {
  return messages.flatMap(({ id, message }) => {
    const resumed = accountChanges.find(
      ({ account, state }) => account === message.account && state === 'active',
    );
    const end = events.find((event) => event.message_id === id && event.outcome === 'failed');
    const isTried = copies.some((copy) => copy.id === id);
    if (!resumed || !end || isTried || end.at - resumed.at < RESUMES_MS) return [];
    return [{ rule: 'resumed', text: `${message.name} ended untried though its account may send again` }];
  });
}

/** @param {History} history @param {string} id */
const nameOf = ({ messages }, id) => messages.find((one) => one.id === id)?.message.name ?? id;
