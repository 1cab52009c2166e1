// @ts-check
import { OUTBOX_MIGRATIONS } from '../../../libs/events/dist/index.js';
import { WEBHOOK_DISPATCHER_SERVICE } from '../../../services/webhook-dispatcher/dist/webhook-dispatcher.definition.js';
import { WEBHOOKS_SERVICE } from '../../../services/webhooks/dist/webhooks.definition.js';
import { Life } from './life.mjs';
import { judge } from './oracle.rules.mjs';
import { lineOf, planOf } from './plan.mjs';

/** @type {import('../subjects.mjs').Subject} */
export const SUBJECT = {
  databases: [
    {
      schema: 'webhooks',
      migrations: [...OUTBOX_MIGRATIONS, ...(WEBHOOKS_SERVICE.database?.migrations ?? [])],
      tables: ['webhooks', 'fan_outs', 'inbox', 'log', 'dead_letters'],
      vacuumed: ['webhooks', 'fan_outs'],
      sequences: ['log_position_seq', 'fan_outs_id_seq'],
    },
    {
      schema: 'webhook_dispatcher',
      migrations: [...OUTBOX_MIGRATIONS, ...(WEBHOOK_DISPATCHER_SERVICE.database?.migrations ?? [])],
      tables: [
        ...['webhook_deliveries', 'workers', 'webhook_attempts', 'ended_deliveries', 'endpoint_states'],
        ...['replays', 'set_aside_endpoints', 'inbox', 'log', 'dead_letters'],
      ],
      vacuumed: [
        'webhook_deliveries',
        'workers',
        'endpoint_states',
        'replays',
        'set_aside_endpoints',
        'ended_deliveries',
      ],
      sequences: ['log_position_seq'],
    },
  ],
  planOf,
  lineOf,
  async live(plan, store, options) {
    const history = await new Life(plan, store, options).history();
    return { history, breaches: judge(history), attempts: history.calls.length };
  },
};
