// @ts-check
// Faults of campaigns that decisions tell of, put back in the built code.

const SENDING = 'services/marketing/dist/sending';
const STATES = 'services/marketing/dist/campaign-states';

/** @type {readonly import('../module-hooks.mjs').Mutation[]} */
export const MUTATIONS = [
  {
    name: 'taken-again',
    decision: 57,
    fault: 'a further attempt takes its recipients again, under other ids',
    file: `${SENDING}/take-recipients.js`,
    changes: [
      [
        'const repeated = rows.filter(({ messageId }) => messageId !== null);',
        'const repeated = isOver ? rows.filter(({ messageId }) => messageId !== null) : [];',
      ],
      [
        'const pending = rows.filter(({ messageId }) => messageId === null);',
        'const pending = isOver ? rows.filter(({ messageId }) => messageId === null) : rows;',
      ],
    ],
  },
  {
    name: 'unanswered-is-over',
    decision: 57,
    fault: 'an attempt without an answer ends its batch',
    file: `${SENDING}/batch-decision.rules.js`,
    changes: [['next: { dueAt, reason, attempts, firstAttemptAt },', 'next: null,']],
  },
  {
    name: 'refused-is-given-up',
    decision: 57,
    fault: 'recipients of a request that was rejected once are given up',
    file: `${SENDING}/batch-decision.rules.js`,
    changes: [['MAX_REJECTIONS = 12', 'MAX_REJECTIONS = 1']],
  },
  {
    name: 'sent-with-batches',
    decision: 57,
    fault: 'a campaign is complete though it has batches',
    file: `${STATES}/watch-campaign.js`,
    changes: [['if (left?.batches)', 'if (left === undefined)']],
  },
  {
    name: 'overtaken-outcomes',
    decision: 59,
    fault: 'the end of a batch sets an outcome back that was faster',
    file: `${SENDING}/batch-recorder.js`,
    changes: [["status = case r.status when 'queued'", 'status = case r.status when r.status']],
  },
  {
    name: 'pauses-are-not-seen',
    decision: 56,
    fault: 'a batch does not look whether its campaign sends',
    file: `${SENDING}/take-recipients.js`,
    changes: [["if (!isOver && campaign.status !== 'sending')", "if (campaign.status === 'draft')"]],
  },
  {
    name: 'leases-are-not-checked',
    decision: 56,
    fault: 'a look of the machine applies what it decided before its lease was lost',
    survives: 'what a look decides it reads again under the lock of the campaign',
    file: `${STATES}/campaign-claims.js`,
    changes: [['if (now?.leaseToken !== campaign.leaseToken)', 'if (now === undefined)']],
  },
  {
    name: 'a-cancel-forgets-the-taken',
    decision: 57,
    fault: 'a cancel removes batches whose recipients may have messages',
    survives: 'too rare: not found in 88 lives',
    file: `${SENDING}/cancel-recipients.js`,
    changes: [['where b.id = piece.id and piece.reserved_day is null)', 'where b.id = piece.id)']],
  },
  {
    name: 'no-window',
    decision: 61,
    fault: 'all batches of a campaign are due at once',
    file: `${SENDING}/campaign-feeder.js`,
    changes: [['limit least(greatest(room.batches, 0), ${MAX_FED})', 'limit ${MAX_FED}']],
  },
  {
    name: 'two-fill-one-window',
    decision: 61,
    fault: 'two processes fill the window of a campaign at the same time',
    survives: 'the second statement waits for the rows of the first and finds them due',
    file: `${SENDING}/campaign-feeder.js`,
    changes: [["await tx.query(`select pg_advisory_xact_lock(hashtext('campaign feeder'))`);", '']],
  },
  {
    name: 'all-is-refunded',
    decision: 57,
    fault: 'the day gets messages back that were made',
    file: `${SENDING}/batch-recorder.js`,
    changes: [
      [
        "const unused = outcomes.filter(({ status }) => status !== 'queued').length;",
        'const unused = outcomes.length;',
      ],
    ],
  },
  {
    name: 'the-rest-does-not-wait',
    decision: 163,
    fault: 'the rest of a campaign is sent before its trial is decided',
    file: `${SENDING}/start-campaign.js`,
    changes: [
      ["'held', 'waits for the winner of the trial'", "'pending', 'waits for the winner of the trial'"],
    ],
  },
];
