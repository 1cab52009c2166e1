// @ts-check
// The verdict about a life of webhooks, from what happened in it.
import { KEPT_MS, LIMITS, MIN_FAILURES } from './limits.table.mjs';

/** @typedef {import('../subjects.mjs').Breach} Breach */
/** @typedef {{ type: string, data: any, at: number }} Logged an event of a service, in the order of the commits */
/**
 * @typedef {object} History
 * @property {import('./plan.mjs').Plan} plan
 * @property {import('./plan.mjs').Endpoint[]} endpoints
 * @property {import('./life.mjs').Operation[]} operations
 * @property {(import('./plan.mjs').Happening & { at: number })[]} happenings
 * @property {import('./http-world.mjs').Call[]} calls
 * @property {Logged[]} published by webhooks
 * @property {Logged[]} attempted by dispatchers
 * @property {{ id: string, enabled: boolean, successes: number, errors: number }[]} webhooks rows at the end
 * @property {{ id: string, message: string }[]} kept ended deliveries, with their header `webhook-id`
 * @property {{ what: string, text: string }[]} left
 * @property {{ owner: string | undefined, kind: string, from: number, to: number }[]} faults
 * @property {string[]} uncaught
 * @property {number} start
 * @property {number} endedAt
 * @property {number} steps
 * @property {number} hash
 * @property {string[]} trace
 */
/** @typedef {{ id: string, message: string, deliveryId: string, event: string, about: string, isMissed: boolean, body: string, at: number, dueAt: number }} Request `dueAt`: the time by which a recovery selects a missed one */

// A dispatcher that lives, with its database, has recorded a result within this.
const RECOVERS_MS = 15_000;
const SLACK_MS = 1_000;

/** @param {History} history @returns {Breach[]} */
export function judge(history) {
  const requests = history.published
    .filter(({ type }) => type === 'webhook-delivery-requested')
    .map(({ data, at }) => requestOf(data, at));
  const created = history.operations.filter(({ kind, isDone }) => kind === 'create' && isDone);
  return [
    ...history.uncaught.map((text) => ({ rule: 'runs', text })),
    ...history.left.map(({ what, text }) => ({ rule: 'ends', text: `a ${what} is left: ${text}` })),
    ...created.flatMap((one) =>
      judgeMatching(
        history,
        one,
        requests.filter(({ id }) => id === one.id),
      ),
    ),
    ...requests.flatMap((request) => judgeDelivery(history, request)),
    ...judgeCalls(history, requests),
    ...history.webhooks.flatMap((webhook) => judgeCounts(history, webhook)),
    ...judgeDisabled(history),
  ];
}

/** @param {any} data @param {number} at @returns {Request} */
function requestOf(data, at) {
  const { data: about } = JSON.parse(data.body);
  return {
    ...{ id: data.webhook_id, message: data.webhook_message_id, deliveryId: data.delivery_id, at },
    ...{ event: about.subject, about: about.id, isMissed: data.missed === true },
    ...{ body: data.body, dueAt: Date.parse(data.due_at) },
  };
}

/**
 * Each event of a message has one request for each endpoint that wants it, in the order of the events, and as missed where the
 * endpoint is disabled.
 * @param {History} history @param {import('./life.mjs').Operation} created @param {Request[]} requests of the endpoint
 * @returns {Breach[]}
 */
function judgeMatching(history, created, requests) {
  const { happenings, endpoints, endedAt } = history;
  const endpoint = endpoints.find(({ name }) => name === created.name);
  if (endpoint === undefined) return [];
  const { name } = endpoint;
  /** @type {Breach[]} */
  const breaches = [];
  const breach = (/** @type {string} */ rule, /** @type {string} */ text) => breaches.push({ rule, text });
  for (const { name: event, account, change, domain, at } of happenings) {
    const isWanted =
      account === endpoint.account &&
      endpoint.changes.includes(change) &&
      (endpoint.domain === undefined || endpoint.domain === domain);
    const of = requests.filter((request) => request.event === event);
    if (!isWanted && of.length > 0) breach('wanted', `${name} gets ${event}, which it does not want`);
    if (of.length > 1) breach('once', `${event} is requested ${of.length} times of ${name}`);
    const [request] = of;
    const state = stateOf(history, created.id, at, request?.at ?? endedAt);
    if (isWanted && request === undefined && created.to < at && mayNotBeDeleted(history, created.id))
      breach('lost', `${event} is not requested of ${name}`);
    if (request && state === 'enabled' && request.isMissed)
      breach('missed', `${event} counts as missed, though ${name} is enabled`);
    if (request && state === 'disabled' && !request.isMissed)
      breach('missed', `${event} is to be sent, though ${name} is disabled`);
  }
  const order = new Map(happenings.map(({ name: event }, nth) => [event, nth]));
  for (const message of new Set(requests.map(({ about }) => about))) {
    const places = requests
      .filter(({ about }) => about === message)
      .map(({ event }) => order.get(event) ?? -1);
    if (places.some((place, nth) => nth > 0 && place < (places[nth - 1] ?? 0)))
      breach('order', `events of one message are requested of ${name} out of their order`);
  }
  return breaches;
}

/** @param {History} history @param {string} id */
const mayNotBeDeleted = ({ operations }, id) =>
  !operations.some((one) => one.kind === 'delete' && one.id === id);

/**
 * The certain state of an endpoint during a time.
 * @param {History} history @param {string} id @param {number} from @param {number} to
 * @returns {'enabled' | 'disabled' | 'deleted' | undefined}
 */
function stateOf({ operations, published }, id, from, to) {
  const changes = [
    ...operations
      .filter((one) => one.id === id && ['create', 'enable', 'disable', 'delete'].includes(one.kind))
      .map(({ kind, from: begun, to: ended }) => ({ kind, begun, ended })),
    ...published
      .filter(({ type, data }) => type === 'webhook-disabled' && data.webhook_id === id)
      .map(({ at }) => ({ kind: 'disable', begun: at - SLACK_MS, ended: at + SLACK_MS })),
  ].filter(({ begun }) => begun <= to);
  if (changes.length === 0 || changes.some(({ ended }) => ended >= from)) return undefined;
  const last = changes.reduce((one, other) => (other.ended > one.ended ? other : one));
  if (changes.some((one) => one !== last && one.ended >= last.begun)) return undefined;
  if (last.kind === 'delete') return 'deleted';
  return last.kind === 'disable' ? 'disabled' : 'enabled';
}

/** When an endpoint was stopped, as the log says. @param {History} history @param {string} id */
const stopsOf = ({ published }, id) =>
  published
    .filter(({ type, data }) => type === 'webhook-stopped' && data.webhook_id === id)
    .map(({ at }) => at);

/**
 * Each requested call succeeds in the end, unless its endpoint was stopped or its tries are used up; a recovery makes all of these again.
 * @param {History} history @param {Request} request @returns {Breach[]}
 */
function judgeDelivery(history, request) {
  const { id, message, event, at, dueAt, isMissed } = request;
  const calls = history.calls.filter((call) => call.id === message);
  if (calls.some(({ isTaken }) => isTaken)) return [];
  const name = history.operations.find((one) => one.kind === 'create' && one.id === id)?.name ?? id;
  const stops = stopsOf(history, id);
  const gaveUp = givenUp(history, request);
  const isStopped = (/** @type {number} */ since) => stops.some((stop) => stop >= since - SLACK_MS);
  const hasGivenUp = (/** @type {number} */ since) => gaveUp.some((end) => end >= since);
  if (!isMissed && !isStopped(at) && !hasGivenUp(at))
    return [{ rule: 'delivered', text: `${event} never reaches ${name}` }];
  // A recovery that comes while all events are being replayed is dropped (docs/reliability.md, known defects).
  const isReplayed = history.operations.some((one) => one.kind === 'replay' && one.id === id);
  const recoveries = history.operations.filter(
    (one) => one.kind === 'recover' && one.id === id && one.isDone && !isReplayed && one.from > at + SLACK_MS,
  );
  const missing = recoveries.find(
    ({ since, to, from }) => dueAt >= since + SLACK_MS && !isStopped(from) && !hasGivenUp(to),
  );
  return missing === undefined
    ? []
    : [{ rule: 'recovered', text: `${event} never reaches ${name}, which has recovered` }];
}

/** The ends of its deliveries without success. @param {History} history @param {Request} request */
function givenUp({ attempted, kept }, { message, deliveryId }) {
  const ids = new Set([deliveryId, ...kept.filter((one) => one.message === message).map(({ id }) => id)]);
  return attempted
    .filter(({ data }) => ids.has(data.delivery_id) && !data.success && data.next_attempt_at === null)
    .map(({ at }) => at);
}

/** @param {History} history @param {Request[]} requests @returns {Breach[]} */
function judgeCalls(history, requests) {
  const { calls, operations, faults } = history;
  return calls.flatMap((call, nth) => {
    const request = requests.find(({ message }) => message === call.id);
    if (request === undefined || request.body !== call.body)
      return [{ rule: 'body', text: `${call.owner} calls ${call.host} with what was not requested` }];
    const { id, event } = request;
    const isStalled = faults.some(
      ({ kind, from, to }) => kind === 'stall' && from <= call.begunAt && to >= call.begunAt - KEPT_MS,
    );
    const state = stateOf(history, id, call.begunAt - KEPT_MS, call.begunAt);
    if (!isStalled && (state === 'disabled' || state === 'deleted'))
      return [
        { rule: 'stopped', text: `${call.owner} calls ${call.host} with ${event}, though it is ${state}` },
      ];
    const isWanted = operations.some(
      (one) => one.kind === 'replay' && one.id === id && one.from < call.begunAt,
    );
    const before = calls.slice(0, nth).find((one) => one.id === call.id && one.isKnown);
    if (before === undefined || isWanted || !isCalm(history, before, call.begunAt)) return [];
    return [
      {
        rule: 'again',
        text: `${call.owner} calls ${call.host} with ${event}, though ${before.owner} knows its success`,
      },
    ];
  });
}

/**
 * Whether a process had the time to record a result: it lives, and nothing stops it.
 * @param {History} history @param {import('./http-world.mjs').Call} call @param {number} until
 */
function isCalm(history, { owner, id, endedAt = Infinity }, until) {
  const here = history.faults.filter((fault) => fault.owner === undefined || fault.owner === owner);
  const end = Math.min(until, endedAt + RECOVERS_MS);
  if (end < endedAt + RECOVERS_MS) return false;
  if (here.some(({ from, to }) => from <= end && to >= endedAt - SLACK_MS)) return false;
  // the row of a call that is under way ends with its endpoint
  const request = history.published.find(({ data }) => data.webhook_message_id === id);
  return !stopsOf(history, request?.data.webhook_id).some(
    (stop) => stop >= endedAt - RECOVERS_MS && stop <= end,
  );
}

/** Each recorded attempt is counted once. @param {History} history @param {History['webhooks'][number]} webhook @returns {Breach[]} */
function judgeCounts({ attempted }, { id, successes, errors }) {
  const of = attempted.filter(({ data }) => data.webhook_id === id);
  const made = of.filter(({ data }) => data.success).length;
  const failed = of.length - made;
  if (made === successes && failed === errors) return [];
  const text = `${made} successes and ${failed} failures are recorded, ${successes} and ${errors} are counted`;
  return [{ rule: 'counts', text }];
}

/** An endpoint is disabled when all of its attempts failed for long enough, and then only. @param {History} history @returns {Breach[]} */
function judgeDisabled(history) {
  const { attempted, published, webhooks, operations } = history;
  const limit = LIMITS.disableSeconds * 1_000;
  const early = published
    .filter(({ type }) => type === 'webhook-disabled')
    .filter(({ data: { webhook_id: id }, at }) => {
      const before = attempted.filter(
        (one) => one.at <= at && one.at > enabledAt(history, id, at) - RECOVERS_MS,
      );
      return !hasFailed(before, id, limit - SLACK_MS);
    })
    .map(({ data }) => ({ rule: 'disabled', text: `${data.name} is disabled without cause` }));
  const late = webhooks
    .filter(({ id, enabled }) => enabled && !operations.some((one) => one.id === id && one.kind === 'enable'))
    .filter(({ id }) => hasFailed(attempted, id, limit + SLACK_MS))
    .map(({ id }) => ({ rule: 'disabled', text: `${id} is enabled, though each of its calls has failed` }));
  return [...early, ...late];
}

/** When a disabled endpoint was certainly enabled, for the last time. @param {History} history @param {string} id @param {number} until */
const enabledAt = (history, id, until) =>
  Math.max(
    0,
    ...history.operations
      .filter((one) => one.kind === 'enable' && one.id === id && one.isDone && one.to < until)
      .filter(({ from }) => stateOf(history, id, from - 1, from - 1) === 'disabled')
      .map(({ from }) => from),
  );

/** Whether there were enough failures in a row, for so long. @param {Logged[]} attempted @param {string} id @param {number} leastMs */
function hasFailed(attempted, id, leastMs) {
  let first = 0;
  let count = 0;
  return attempted
    .filter(({ data }) => data.webhook_id === id)
    .some(({ data }) => {
      const at = Date.parse(data.attempted_at);
      if (data.success) count = 0;
      else if (count++ === 0) first = at;
      return count >= MIN_FAILURES && at - first >= leastMs;
    });
}
