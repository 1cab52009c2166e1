// @ts-check
// Webhooks and routes as they are called: how they stand, what was tried, and what is tried once more.
import { OperatorTrouble, queryOf, readTime } from './requests.mjs';

const DISPATCHER = '/operator/webhook-dispatcher';
const OUTCOMES = ['succeeded', 'dropped', 'stopped', 'set-aside'];

/** @param {string} text @returns {string} */
function readOutcome(text) {
  if (OUTCOMES.includes(text)) return text;
  throw new OperatorTrouble(`--outcome must be one of ${OUTCOMES.join(', ')}, not '${text}'`);
}

const ENDPOINT_FIELDS = [
  'endpoint_id',
  'target',
  'host',
  'state',
  'in_flight',
  'deliveries',
  'oldest_at',
  'next_due_at',
  'unanswered',
  'opened_at',
  'last_failure_at',
  'last_failure',
];

/** @param {Record<string, unknown>} body @returns {import('./requests.mjs').OperatorRequest} */
const replays = (body) => ({ method: 'POST', path: `${DISPATCHER}/replays`, body });

/** @type {import('./requests.mjs').Commands} */
export const WEBHOOK_COMMANDS = {
  webhooks: {
    help: 'webhooks and routes that wait or do not answer, and why',
    about: [
      'An endpoint is a webhook or a route. One that did not answer several times in a row is open: it is called by one',
      'attempt at a time until it answers, whatever it says. Each of its deliveries keeps its number of tries.',
    ].join('\n'),
    options: {
      account: { value: '<account id>', help: 'of this account only' },
      open: { help: 'only those that are open' },
    },
    examples: ['webhooks --open'],
    request: (_, { account, open }) => ({
      path: `${DISPATCHER}/endpoints${queryOf({ account_id: account, open: open ? 'true' : undefined })}`,
    }),
    tables: { endpoints: ENDPOINT_FIELDS },
  },
  'webhook-attempts': {
    usage: '<webhook or route id>',
    help: 'the last attempts of one webhook or route, and how it stands',
    options: { failed: { help: 'only those that failed' } },
    least: 1,
    most: 1,
    request: ([id = ''], { failed }) => ({
      path: `${DISPATCHER}/endpoints/${encodeURIComponent(id)}${queryOf({ failed: failed ? 'true' : undefined })}`,
    }),
    fields: ENDPOINT_FIELDS,
    tables: {
      attempts: [
        'started_at',
        'delivery_id',
        'attempt',
        'event_type',
        'duration_ms',
        'outcome',
        'status',
        'reason',
        'response',
      ],
    },
  },
  'webhook-test': {
    usage: '<webhook id> [event type…]',
    help: 'call a webhook with made-up events, to see whether it answers',
    about: 'One call per type, else one of message.delivered; then see webhook-attempts.',
    examples: ['webhook-test 5d0c6c3e-2f6b-4a58-9a54-0d1f5b7c9e10 message.bounced suppression.created'],
    least: 1,
    most: 11,
    request: ([id = '', ...events]) => ({
      method: 'POST',
      path: `/operator/webhooks/webhooks/${encodeURIComponent(id)}/test`,
      body: events.length === 0 ? {} : { events },
    }),
    fields: ['webhook_id', 'events'],
  },
  'webhook-replay': {
    usage: '<delivery id>',
    help: 'call a webhook or route once more with a delivery that ended',
    about: 'With the same header `webhook-id`, so that a receiver that has it already can leave it out.',
    least: 1,
    most: 1,
    request: ([id = '']) => ({
      method: 'POST',
      path: `${DISPATCHER}/deliveries/${encodeURIComponent(id)}/replay`,
    }),
    fields: ['delivery_id', 'replay_of'],
  },
  'webhook-replay-all': {
    usage: '<webhook or route id>',
    help: 'the same with all of its deliveries of a time, by event type and outcome',
    about: [
      'Goes on in batches until all of them are pending, and waits while too many of them are.',
      'When it ends before, `next` says where: go on with --after.',
    ].join('\n'),
    options: {
      from: { value: '<time>', help: 'events from then on: RFC 3339, a day, or 24h ago', needed: true },
      to: { value: '<time>', help: 'and before then (now)' },
      type: { value: '<event type>', help: 'only of this type, such as message.bounced' },
      outcome: { value: '<succeeded|dropped|stopped|set-aside>', help: 'only those that ended so' },
      after: { value: '<next>', help: 'where the last run ended' },
    },
    examples: ['webhook-replay-all 5d0c6c3e-2f6b-4a58-9a54-0d1f5b7c9e10 --outcome dropped --from 24h'],
    least: 1,
    most: 1,
    request: ([id = ''], { from, to, type, outcome, after }) =>
      replays({
        endpoint_id: id,
        event_type: type,
        outcome: outcome === undefined ? undefined : readOutcome(outcome),
        from: readTime(from),
        to: readTime(to),
        after,
      }),
    fields: ['replayed', 'skipped', 'next'],
    progress: ({ replayed }) => ({ done: replayed, unit: 'deliveries' }),
    // the range is one from its first batch on, whatever ends meanwhile
    next: ({ next, range }) => (next === null ? undefined : replays({ ...range, after: next })),
  },
};
