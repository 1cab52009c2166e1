import { describe, expect, it } from 'vitest';
import {
  CAMPAIGN_STATUSES,
  CANCEL_REASONS,
  FAIL_REASONS,
  FINAL_STATUSES,
  mayMove,
  PAUSE_REASONS,
  rejectedReason,
  requireTransition,
  REVIEW_REASONS,
  TRANSITIONS,
  type CampaignStatus,
  type CampaignTrigger,
} from './campaign-state.rules.js';

/** Spec 3-marketing §4.1, row by row: the moves and their statuses. */
const TABLE: readonly (readonly [rule: string, from: CampaignStatus, to: CampaignStatus])[] = [
  ['T3', 'draft', 'validating'],
  ['T4', 'validating', 'scheduled'],
  ['T5', 'validating', 'sending'],
  ['T6', 'validating', 'waiting_for_review'],
  ['T7', 'validating', 'failed'],
  ['T8', 'validating', 'draft'],
  ['T8', 'waiting_for_review', 'draft'],
  ['T8', 'scheduled', 'draft'],
  ['T9', 'waiting_for_review', 'scheduled'],
  ['T9', 'waiting_for_review', 'sending'],
  ['T10', 'waiting_for_review', 'draft'],
  ['T11', 'waiting_for_review', 'canceled'],
  ['T12', 'scheduled', 'sending'],
  ['T13', 'scheduled', 'failed'],
  ['T14', 'sending', 'paused'],
  ['T15', 'paused', 'sending'],
  ['T16', 'sending', 'sent'],
  ['T17', 'sending', 'failed'],
  ['T18', 'validating', 'canceled'],
  ['T18', 'waiting_for_review', 'canceled'],
  ['T18', 'scheduled', 'canceled'],
  ['T18', 'sending', 'canceled'],
  ['T18', 'paused', 'canceled'],
  ['T19', 'paused', 'canceled'],
];

const TRIGGERS = Object.keys(TRANSITIONS) as CampaignTrigger[];
const moves = TRIGGERS.flatMap((trigger) => {
  const { rule, from, to } = TRANSITIONS[trigger];
  return from.flatMap((before) => to.map((after) => [rule, before, after].join(' ')));
});

describe('spec 3-marketing §4.1: the state machine of campaigns', () => {
  it('spec 3-marketing §4.1 holds the moves of the contract and no other', () => {
    expect([...new Set(moves)].sort()).toEqual(TABLE.map((row) => row.join(' ')).sort());
  });

  it('spec 3-marketing §4.1 refuses every trigger in every status that its row does not name, with 409', () => {
    for (const trigger of TRIGGERS) {
      for (const status of CAMPAIGN_STATUSES) {
        const known: readonly string[] = TRANSITIONS[trigger].from;
        expect(mayMove(trigger, status)).toBe(known.includes(status));
        if (known.includes(status)) requireTransition(trigger, status);
        else {
          expect(() => requireTransition(trigger, status)).toThrow(
            expect.objectContaining({ status: 409, message: expect.stringMatching(/./) }),
          );
        }
      }
    }
  });

  it('spec 3-marketing §4.1 has no move from sent, canceled, failed or an unknown status', () => {
    for (const trigger of TRIGGERS) {
      for (const status of [...FINAL_STATUSES, 'nonsense', '']) expect(mayMove(trigger, status)).toBe(false);
    }
  });

  it('spec 3-marketing §4.1 ends every sequence of triggers in a status of the contract', () => {
    // a small generator, so that a failed walk can be repeated
    let seed = 20_261_122;
    const random = (below: number) => (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) % below;
    for (let walk = 0; walk < 100; walk += 1) {
      let status: CampaignStatus = 'draft';
      for (let step = 0; step < 60; step += 1) {
        const trigger = TRIGGERS[random(TRIGGERS.length)] as CampaignTrigger;
        const { from, to }: { from: readonly CampaignStatus[]; to: readonly CampaignStatus[] } =
          TRANSITIONS[trigger];
        const before: CampaignStatus = status;
        if (mayMove(trigger, status)) status = to[random(to.length)] as CampaignStatus;
        const isKnown = TABLE.some(([, source, target]) => source === before && target === status);
        expect(status === before || (from.includes(before) && isKnown)).toBe(true);
        if (FINAL_STATUSES.includes(before)) expect(status).toBe(before);
      }
      expect(CAMPAIGN_STATUSES).toContain(status);
    }
  });
});

describe('spec 3-marketing §4.3: reasons', () => {
  it('spec 3-marketing §4.3 has the fixed texts of the contract, and ours for the credit of the month and for members', () => {
    expect(
      [REVIEW_REASONS, PAUSE_REASONS, CANCEL_REASONS, FAIL_REASONS].map((all) => Object.values(all)),
    ).toEqual([
      [
        "the account's campaigns are reviewed before sending",
        'too many of the checked contacts may bounce',
        'the content needs a review',
      ],
      [
        'daily marketing limit reached',
        "sending from the sender's domain is paused",
        "the sender's domain has no valid DNS records",
        'the account is suspended',
        'too many messages bounced',
        'too many recipients complained',
        'paused by an operator',
        'paused by a member',
        'monthly sending limit reached',
      ],
      [
        'canceled by an operator',
        'canceled by a member',
        'rejected in review',
        'paused for too long',
        "the sender's domain was deleted",
        'the account was closed',
      ],
      [
        'no subscribers to send to',
        "the sender's domain was deleted",
        "sending from the sender's domain is paused",
        "the sender's domain has no valid DNS records",
        'the content cannot be rendered',
        'internal error',
      ],
    ]);
    expect([rejectedReason(null), rejectedReason('no imprint')]).toEqual([
      'rejected in review',
      'rejected in review: no imprint',
    ]);
  });
});
