import { backoffMs } from '@postmesh/concurrency';
import type { CampaignSendOutcome } from '@postmesh/messages-contract';
import type { Ending } from '@postmesh/work';
import { FINAL_STATUSES, pauseCauseOf, type PauseCause } from '../campaign-states/campaign-state.rules.js';
import { PENDING, type CampaignBatch } from './campaign-batches.table.js';
import type { HandOverProblem } from './hand-over.js';
import type { Taken, TakenRecipient } from './take-recipients.js';

const BACKOFF = { firstMs: 500, maxMs: 60_000 };
/** The messages service rejects the request itself: after some five minutes its recipients are given up. */
export const MAX_REJECTIONS = 12;
// The wait for the needs of a campaign that began earlier, or for refunds of batches in flight.
const OTHERS_FIRST_MS = 1_000;
// The sender or the account is deleted: the wait until the state machine has ended the campaign.
const ENDING_MS = 30_000;

/** The outcome of a recipient that was taken. */
export interface RecipientOutcome {
  readonly position: number;
  readonly messageId: string;
  /** `queued`: it is a message now */
  readonly status: 'queued' | 'suppressed' | 'failed';
  readonly reason: string | null;
}

/** The next step of a batch after an attempt. `now` below is the database's clock, Unix ms. */
export interface BatchDecision {
  /** `handed_over`, or the reason why not; for metrics */
  readonly result: string;
  readonly outcomes: readonly RecipientOutcome[];
  /** it has no taken, unrecorded recipient */
  readonly isClear: boolean;
  readonly pause: PauseCause | null;
  /** makes the campaign due for the state machine */
  readonly raises: boolean;
  readonly next: Ending['next'];
}

const NOTHING = { outcomes: [], isClear: false, pause: null, raises: false };

/** The messages service has reported the outcome of each recipient. */
export function decide(taken: Taken, results: readonly CampaignSendOutcome[], now: number): BatchDecision {
  const made = { ...NOTHING, result: 'handed_over', outcomes: outcomesOf(taken, results), isClear: true };
  if (!taken.hasMore) return { ...made, next: null };
  if (taken.short === 'others_first')
    return { ...made, next: after(now + OTHERS_FIRST_MS, 'the rest of the day is for an earlier campaign') };
  // suppressed recipients do not count: their refund is available to the others (spec 3-marketing §4.4 rule 2)
  const isRefunded = made.outcomes.some(({ status }) => status !== 'queued');
  if (taken.short === null || isRefunded) return { ...made, next: after(now, 'its other recipients follow') };
  if (taken.short === 'in_flight')
    return { ...made, next: after(now + OTHERS_FIRST_MS, 'the rest of the day is in flight') };
  return {
    ...made,
    result: 'limit_used_up',
    pause: 'daily_limit',
    next: pending(now, 'the daily limit is used up'),
  };
}

/** No further message was stored, nor will be until the problem is solved. */
export function decideProblem(
  taken: Taken,
  results: readonly CampaignSendOutcome[],
  problem: HandOverProblem,
  now: number,
): BatchDecision {
  const outcomes = outcomesOf(taken, results);
  const made = { ...NOTHING, result: problem, outcomes };
  if (FINAL_STATUSES.includes(taken.campaign.status)) {
    const lost = failedAll(taken, outcomes, 'campaign_canceled');
    return { ...made, outcomes: [...outcomes, ...lost], isClear: true, next: null };
  }
  const pause = problem === 'account_deleted' ? undefined : pauseCauseOf(problem);
  if (pause) return { ...made, pause, next: pending(now, `the messages service said ${problem}`) };
  return { ...made, raises: true, next: after(now + ENDING_MS, `the messages service said ${problem}`) };
}

/**
 * The attempt failed without an outcome. A rejected request (a bug) is given up in the end, since nothing of it was
 * stored; any other failure is retried without an end, since its messages may be stored.
 */
export function notAnswered(
  batch: CampaignBatch,
  taken: Taken | undefined,
  isRefused: boolean,
  now: number,
): BatchDecision {
  if (taken && isRefused && batch.attempt >= MAX_REJECTIONS) {
    const rest = decide(taken, [], now);
    return { ...rest, result: 'given_up', outcomes: failedAll(taken, [], 'internal_error') };
  }
  const { attempt: attempts, firstAttemptAt } = batch;
  const dueAt = new Date(now + backoffMs(attempts, BACKOFF));
  const reason = isRefused ? 'the messages service refused it' : 'the attempt failed';
  return {
    ...NOTHING,
    result: isRefused ? 'refused' : 'not_answered',
    next: { dueAt, reason, attempts, firstAttemptAt },
  };
}

export const notSending = (now: number): BatchDecision => ({
  ...NOTHING,
  result: 'not_sending',
  next: pending(now, 'its campaign does not send'),
});

/** The batch as before its claim. */
export const givenBack = (batch: CampaignBatch, now: number): BatchDecision => ({
  ...NOTHING,
  result: 'given_back',
  next: { ...after(now, 'its worker stopped'), attempts: batch.attempt - 1 },
});

const after = (dueMs: number, reason: string) => ({
  dueAt: new Date(dueMs),
  reason,
  attempts: 0,
  firstAttemptAt: null,
});
const pending = (now: number, reason: string) => ({ ...after(now, reason), state: PENDING });

const STATUS = { accepted: 'queued', suppressed: 'suppressed', failed: 'failed' } as const;

function outcomesOf({ recipients }: Taken, results: readonly CampaignSendOutcome[]): RecipientOutcome[] {
  const of = new Map(results.map((outcome) => [outcome.message_id, outcome.outcome]));
  return recipients.flatMap(({ position, message_id: messageId }) => {
    const outcome = of.get(messageId);
    if (outcome === undefined) return [];
    const reason = outcome === 'failed' ? 'render_error' : null;
    return [{ position, messageId, status: STATUS[outcome], reason }];
  });
}

function failedAll(
  { recipients }: Taken,
  known: readonly RecipientOutcome[],
  reason: string,
): RecipientOutcome[] {
  const done = new Set(known.map(({ messageId }) => messageId));
  const isOpen = ({ message_id }: TakenRecipient) => !done.has(message_id);
  return recipients
    .filter(isOpen)
    .map(({ position, message_id: messageId }) => ({ position, messageId, status: 'failed', reason }));
}
