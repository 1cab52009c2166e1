import { describe, expect, it } from 'vitest';
import { changeByAttempt } from '@postmesh/messages-contract';
import { DeliveryAttempted, type DeliveryOutcome } from '@postmesh/delivery-worker-contract';
import {
  accepts,
  outcomesOf,
  RECIPIENT_STATUSES,
  settle,
  type RecipientOutcome,
} from './recipient-outcomes.rules.js';

const OUTCOMES: readonly DeliveryOutcome[] = ['delivered', 'deferred', 'bounced', 'failed', 'suppressed'];

function outcome(given: Partial<Parameters<typeof DeliveryAttempted.make>[0]>): RecipientOutcome {
  const attempted = { ...DeliveryAttempted.examples[0]!, ...given };
  return outcomesOf(changeByAttempt(DeliveryAttempted.make(attempted, { account_id: null })))[0]!;
}

describe('the status of a recipient', () => {
  it('spec 3-marketing §8.2 moves forward only: queued, deferred, an end; a delivered one may bounce later; nothing else', () => {
    const accepted = RECIPIENT_STATUSES.flatMap((status) =>
      OUTCOMES.filter((one) => accepts(status, one)).map((one) => `${status} → ${one}`),
    );
    expect(accepted).toEqual([
      ...OUTCOMES.map((one) => `queued → ${one}`),
      ...OUTCOMES.map((one) => `deferred → ${one}`),
      'delivered → bounced',
    ]);
  });

  it('spec 3-marketing §8.2 is that of the last outcome which could change it, with its reason', () => {
    const bounced = outcome({
      outcome: 'bounced',
      reply: { smtp_code: 550, classification: 'BadDomain' },
      finished_at: '2026-01-05T08:10:00.000Z',
    });
    const delivered = outcome({ outcome: 'delivered', finished_at: '2026-01-05T08:05:00.000Z' });
    expect(settle('queued', [outcome({ outcome: 'deferred' }), delivered, bounced, delivered])).toEqual({
      before: 'queued',
      status: 'bounced',
      reason: 'BadDomain',
      hard: true,
      sentAt: '2026-01-05T08:00:00.120Z',
      deliveredAt: '2026-01-05T08:05:00.000Z',
    });
    expect(settle('bounced', [delivered, bounced])).toMatchObject({ status: 'bounced', hard: false });
  });

  it.each([
    ['failed', 'MessageExpired', 'MessageExpired'],
    ['failed', null, 'MessageExpired'],
    ['deferred', null, null],
    ['suppressed', null, null],
  ] as const)(
    'spec 3-marketing §8.2 has a reason where it ends badly: %s, %s',
    (one, classification, reason) => {
      expect(outcome({ outcome: one, classification, reply: null })).toMatchObject({ reason });
    },
  );

  it.each([
    ['InvalidRecipient', false, true],
    ['InactiveMailbox', false, true],
    ['BadDomain', false, true],
    ['QuotaIssues', false, false],
    ['PolicyRelated', false, false],
    ['InvalidRecipient', true, false],
  ])(
    'spec 3-marketing §1.4 rule 2 says that the address is not valid when its mailbox or domain is not: %s, sandbox %s',
    (classification, sandbox, hard) => {
      const reply = { smtp_code: 550, classification };
      expect(outcome({ outcome: 'bounced', reply, sandbox })).toMatchObject({ hard });
      expect(outcome({ outcome: 'deferred', reply, sandbox })).toMatchObject({ hard: false });
    },
  );
});
