// @ts-check
// Bounds of the product that no life reaches: it is loaded with smaller ones.

/** @type {readonly Pick<import('./module-hooks.mjs').Mutation, 'file' | 'changes'>[]} */
export const SMALLER = [
  {
    file: 'services/webhooks/dist/request-calls/matching.rules.js',
    changes: [['perAccount: 2_000', 'perAccount: 4']],
  },
  {
    file: 'services/webhooks/dist/fan-outs/fan-out-turns.js',
    changes: [
      ['CALLS_PER_TURN = 1_000', 'CALLS_PER_TURN = 2'],
      ['EVENTS_PER_TURN = 200', 'EVENTS_PER_TURN = 3'],
    ],
  },
  {
    file: 'services/webhook-dispatcher/dist/replay/replay-deliveries.js',
    changes: [['REPLAY_BATCH = 500', 'REPLAY_BATCH = 3']],
  },
  {
    file: 'services/webhook-dispatcher/dist/replay/replays.js',
    changes: [['SETTLED_S = 120', 'SETTLED_S = 45']],
  },
  {
    file: 'services/messages/contract/dist/internal/campaign-sends.js',
    changes: [['MAX_CAMPAIGN_RECIPIENTS = 100', 'MAX_CAMPAIGN_RECIPIENTS = 3']],
  },
  {
    file: 'libs/events/dist/log/batch-limits.js',
    changes: [['MAX_BATCH_CHARACTERS = 2_000_000', 'MAX_BATCH_CHARACTERS = 1_500']],
  },
  {
    file: 'libs/events/dist/log/trim-log.js',
    changes: [['ROWS_AT_ONCE = 10_000', 'ROWS_AT_ONCE = 3']],
  },
  {
    file: 'libs/events/dist/embedded/embedded-bus.js',
    changes: [['TRIM_MS = 60_000', 'TRIM_MS = 15_000']],
  },
  {
    // not smaller: each try is two statements
    file: 'libs/events/dist/log/group-turn.js',
    changes: [['TRY_AGAIN_MS = 500', 'TRY_AGAIN_MS = 2_000']],
  },
  {
    file: 'services/delivery-worker/dist/warm-up/warm-up.table.js',
    changes: [
      [
        'first: 100,\n        growth: 1.5,\n        full: 50_000',
        'first: 16,\n        growth: 1.5,\n        full: 50_000',
      ],
    ],
  },
];
