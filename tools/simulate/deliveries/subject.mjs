// @ts-check
import { OUTBOX_MIGRATIONS } from '../../../libs/events/dist/index.js';
import { DELIVERY_WORKER_SERVICE } from '../../../services/delivery-worker/dist/delivery-worker.definition.js';
import { Life } from './life.mjs';
import { judge } from './oracle.rules.mjs';
import { lineOf, planOf } from './plan.mjs';

/** @type {import('../subjects.mjs').Subject} */
export const SUBJECT = {
  databases: [
    {
      schema: 'delivery_worker',
      migrations: [...OUTBOX_MIGRATIONS, ...(DELIVERY_WORKER_SERVICE.database?.migrations ?? [])],
      tables: [
        ...['deliveries', 'workers', 'account_states', 'intakes', 'inbox', 'log', 'suppressions'],
        ...['egress_budgets', 'egress_sources'],
      ],
      vacuumed: ['deliveries', 'workers'],
      sequences: ['log_position_seq'],
    },
  ],
  planOf,
  lineOf,
  async live(plan, store, options) {
    const history = await new Life(plan, store, options).history();
    return { history, breaches: judge(history), attempts: history.copies.length };
  },
};
