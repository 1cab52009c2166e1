// @ts-check
import { OUTBOX_MIGRATIONS } from '../../../libs/events/dist/index.js';
import { MARKETING_SERVICE } from '../../../services/marketing/dist/marketing.definition.js';
import { Life } from './life.mjs';
import { judge } from './oracle.rules.mjs';
import { lineOf, planOf } from './plan.mjs';

/** @type {import('../subjects.mjs').Subject} */
export const SUBJECT = {
  databases: [
    {
      schema: 'marketing',
      migrations: [...OUTBOX_MIGRATIONS, ...(MARKETING_SERVICE.database?.migrations ?? [])],
      tables: [
        ...['campaign_batches', 'campaign_recipients', 'campaign_count_deltas', 'campaign_counts'],
        ...[
          'campaign_fetches',
          'campaign_trials',
          'campaign_variants',
          'campaign_lists',
          'campaigns',
          'memberships',
        ],
        ...[
          'contacts',
          'list_count_deltas',
          'lists',
          'marketing_days',
          'workers',
          'inbox',
          'log',
          'dead_letters',
        ],
      ],
      vacuumed: [
        'campaign_batches',
        'campaign_recipients',
        'campaigns',
        'contacts',
        'memberships',
        'workers',
      ],
      sequences: ['log_position_seq'],
    },
  ],
  planOf,
  lineOf,
  async live(plan, store, options) {
    const life = new Life(plan, store, options);
    const history = await life.history();
    return { history, breaches: judge(history), attempts: life.messages.requests };
  },
};
