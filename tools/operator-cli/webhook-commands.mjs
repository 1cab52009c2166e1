// @ts-check
// Webhooks and routes: their state, their attempts, and replays.
import { queryOf, readTime } from './requests.mjs';

const DISPATCHER = '/operator/webhook-dispatcher';
const ENDPOINT_FIELDS = [
  'endpoint_id',
  'target',
  'name',
  'host',
  'state',
  'in_flight',
  'deliveries',
  'oldest_at',
  'next_call_at',
  'failures',
  'failing_since',
  'last_failure',
];

const REPLAY_FIELDS = [
  'replay_id',
  'endpoint_id',
  'kind',
  'event_type',
  'since',
  'state',
  'replayed',
  'skipped',
  'pending',
  'succeeded',
  'created_at',
  'finished_at',
];

/** @param {'recover' | 'all'} kind @param {string} id @param {import('./requests.mjs').Options} options @returns {import('./requests.mjs').OperatorRequest} */
const startReplay = (kind, id, { since, type }) => ({
  method: 'POST',
  path: `${DISPATCHER}/replays`,
  body: { endpoint_id: id, kind, since: readTime(since), event_type: type },
});

/** Shows the progress until every call of the first pass is made; the second one needs no one to watch it. */
const followReplay = ({ replay_id, state, pass, pending }) =>
  state === 'running' && (pass === 1 || pending > 0)
    ? { path: `${DISPATCHER}/replays/${replay_id}` }
    : undefined;

/** @returns {import('./requests.mjs').Progress} */
const replayProgress = ({ replayed }) => ({ done: replayed, unit: 'deliveries' });

/** @type {Record<string, import('./requests.mjs').Option>} */
const REPLAY_OPTIONS = {
  since: { value: '<time>', help: 'earliest time of the events: RFC 3339, a day, or 24h ago', needed: true },
  type: { value: '<event type>', help: 'only of this type, such as message.bounced' },
};

/** @type {import('./requests.mjs').Commands} */
export const WEBHOOK_COMMANDS = {
  webhooks: {
    help: 'webhooks and routes that are disabled, failing, or have waiting calls, with reason and remedy',
    about: [
      'An endpoint is a webhook or a route. It is failing when every call of it fails: it is then called at a low rate, one call',
      'at a time, and each call keeps its tries. It is disabled when every call failed for days; missed calls can be recovered.',
    ].join('\n'),
    options: {
      account: { value: '<account id>', help: 'of this account only' },
      troubled: { help: 'only those that are disabled or failing' },
    },
    examples: ['webhooks --troubled'],
    request: (_, { account, troubled }) => ({
      path: `${DISPATCHER}/endpoints${queryOf({ account_id: account, troubled: troubled ? 'true' : undefined })}`,
    }),
    present: ({ endpoints }) => ({ endpoints, to_do: endpoints.filter((endpoint) => endpoint.to_do) }),
    tables: { endpoints: ENDPOINT_FIELDS, to_do: ['endpoint_id', 'standing', 'to_do'] },
    whole: true,
  },
  'webhook-attempts': {
    usage: '<webhook or route id>',
    help: 'the last attempts of one webhook or route, its state, and the remedy',
    options: { failed: { help: 'only those that failed' } },
    least: 1,
    most: 1,
    request: ([id = ''], { failed }) => ({
      path: `${DISPATCHER}/endpoints/${encodeURIComponent(id)}${queryOf({ failed: failed ? 'true' : undefined })}`,
    }),
    fields: [...ENDPOINT_FIELDS, 'standing', 'to_do'],
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
  'webhook-enable': {
    usage: '<webhook or route id>',
    help: 'enable a webhook or a route that was disabled',
    about: 'Missed events are sent only by webhook-recover.',
    least: 1,
    most: 1,
    request: ([id = '']) => ({
      method: 'POST',
      path: `/operator/webhooks/endpoints/${encodeURIComponent(id)}/enable`,
    }),
    fields: ['endpoint_id', 'account_id', 'name', 'url', 'enabled'],
  },
  'webhook-test': {
    usage: '<webhook id> [event type…]',
    help: 'call a webhook with sample events, to test its receiver',
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
    about: 'With the same header `webhook-id`, by which a receiver recognises a repetition.',
    least: 1,
    most: 1,
    request: ([id = '']) => ({
      method: 'POST',
      path: `${DISPATCHER}/deliveries/${encodeURIComponent(id)}/replay`,
    }),
    fields: ['delivery_id', 'replay_of'],
  },
  'webhook-recover': {
    usage: '<webhook or route id>',
    help: 'repeat the missed calls of a webhook or route since a time',
    about: [
      'Calls without tries left, calls that ended because the endpoint was disabled, calls set aside, and events from the time',
      'while it was disabled; no successful calls. The endpoint is called at once, also while it is failing. Runs in the background:',
      'webhook-replays shows the progress.',
    ].join('\n'),
    options: REPLAY_OPTIONS,
    examples: ['webhook-recover 5d0c6c3e-2f6b-4a58-9a54-0d1f5b7c9e10 --since 24h'],
    least: 1,
    most: 1,
    request: ([id = ''], options) => startReplay('recover', id, options),
    fields: REPLAY_FIELDS,
    progress: replayProgress,
    next: followReplay,
  },
  'webhook-replay-all': {
    usage: '<webhook or route id>',
    help: 'repeat all of its calls since a time, also successful ones',
    about:
      'A receiver gets events twice, under the same `webhook-id`. For missed events alone: webhook-recover.',
    options: REPLAY_OPTIONS,
    examples: ['webhook-replay-all 5d0c6c3e-2f6b-4a58-9a54-0d1f5b7c9e10 --since 24h --type message.bounced'],
    least: 1,
    most: 1,
    request: ([id = ''], options) => startReplay('all', id, options),
    fields: REPLAY_FIELDS,
    progress: replayProgress,
    next: followReplay,
  },
  'webhook-replays': {
    usage: '[replay id]',
    help: 'the last replays and their progress',
    about: 'A replay takes at least two minutes: it ends with a second search for late events.',
    options: { endpoint: { value: '<webhook or route id>', help: 'of this webhook or route only' } },
    most: 1,
    request: ([id], { endpoint }) => ({
      path: `${DISPATCHER}/replays${id === undefined ? queryOf({ endpoint_id: endpoint }) : `/${encodeURIComponent(id)}`}`,
    }),
    present: (response) => (response.replays ? response : { replays: [response] }),
    tables: { replays: REPLAY_FIELDS },
  },
};
