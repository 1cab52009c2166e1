import { describe, expect, it } from 'vitest';
import { PENDING, type CampaignBatch } from './campaign-batches.table.js';
import { decide, decideProblem, MAX_REJECTIONS, notAnswered } from './batch-decision.rules.js';
import { partsOf } from './hand-over.js';
import { recipientName, recipientValues, skipReason } from './recipient.rules.js';
import type { Taken } from './take-recipients.js';

const NOW = Date.parse('2026-01-05T08:00:00Z');

const RECIPIENTS = ['a', 'b'].map((message_id, position) => ({
  position,
  variant: 0,
  message_id,
  contact_id: message_id,
  email: `${message_id}@mail.test`,
  name: '',
  values: {},
}));
const taken = (change: Partial<Taken> = {}): Taken => ({
  campaign: {
    id: 'campaign',
    accountId: 'account',
    status: 'sending',
    startedAt: new Date(),
    fromEmail: 'news@shop.test',
    fromName: null,
    trial: null,
  },
  recipients: RECIPIENTS,
  isRepeat: false,
  skipped: 0,
  hasMore: false,
  reservedDay: '2026-01-05',
  short: null,
  ...change,
});
const results = RECIPIENTS.map(({ message_id }) => ({ message_id, outcome: 'accepted' as const }));

describe('a batch', () => {
  it('ends with its last recipient', () => {
    expect(decide(taken(), results, NOW)).toMatchObject({
      result: 'handed_over',
      isClear: true,
      next: null,
      outcomes: [
        { position: 0, status: 'queued' },
        { position: 1, status: 'queued' },
      ],
    });
  });

  it.each([
    ['used_up', { pause: 'daily_limit', next: { state: PENDING } }],
    ['others_first', { pause: null, next: { attempts: 0, dueAt: new Date(NOW + 1_000) } }],
    ['in_flight', { pause: null, next: { attempts: 0, dueAt: new Date(NOW + 1_000) } }],
    [null, { pause: null, next: { attempts: 0 } }],
  ] as const)('continues with the rest after %s', (short, wanted) => {
    expect(decide(taken({ short, hasMore: true }), results, NOW)).toMatchObject(wanted);
  });

  it.each(['used_up', 'in_flight'] as const)(
    'spec 3-marketing §4.4 rule 2 continues at once when a suppressed recipient has freed the limit, %s or not',
    (short) => {
      const outcomes = results.map((one, nth) =>
        nth === 0 ? { ...one, outcome: 'suppressed' as const } : one,
      );
      expect(decide(taken({ short, hasMore: true }), outcomes, NOW)).toMatchObject({
        result: 'handed_over',
        pause: null,
        next: { attempts: 0, dueAt: new Date(NOW) },
      });
    },
  );

  it.each([
    ['account_suspended', 'suspended'],
    ['credit_used_up', 'monthly_limit'],
    ['domain_paused', 'domain_paused'],
    ['domain_dns_invalid', 'domain_dns'],
  ] as const)('pauses its campaign for %s, and keeps whom it has taken', (problem, pause) => {
    expect(decideProblem(taken(), [], problem, NOW)).toMatchObject({
      pause,
      isClear: false,
      outcomes: [],
      next: { state: PENDING },
    });
  });

  it.each(['domain_missing', 'account_deleted'] as const)(
    'asks the state machine what %s means',
    (problem) => {
      expect(decideProblem(taken(), [], problem, NOW)).toMatchObject({
        pause: null,
        raises: true,
        isClear: false,
      });
    },
  );

  it('of a canceled campaign ends with the known outcomes', () => {
    const over = taken({ campaign: { ...taken().campaign, status: 'canceled' } });
    expect(decideProblem(over, results.slice(0, 1), 'domain_missing', NOW)).toMatchObject({
      next: null,
      outcomes: [{ status: 'queued' }, { status: 'failed', reason: 'campaign_canceled' }],
    });
  });

  it('is given up only when every attempt was refused', () => {
    const batch = { attempt: MAX_REJECTIONS, firstAttemptAt: new Date() } as CampaignBatch;
    expect(notAnswered(batch, taken(), true, NOW)).toMatchObject({
      result: 'given_up',
      next: null,
      outcomes: [{ status: 'failed', reason: 'internal_error' }, { status: 'failed' }],
    });
    expect(notAnswered(batch, taken(), false, NOW)).toMatchObject({
      outcomes: [],
      next: { attempts: MAX_REJECTIONS },
    });
    expect(notAnswered({ ...batch, attempt: 1 }, taken(), true, NOW)).toMatchObject({
      next: { attempts: 1 },
    });
  });

  it('is handed over in parts of a limited size', () => {
    const sized = (bytes: number, variant = 0) => ({ variant, values: { x: 'a'.repeat(bytes) } });
    expect(
      partsOf([sized(10), sized(10), sized(90), sized(200)], { bytes: 100, most: 9 }).map(
        ({ length }) => length,
      ),
    ).toEqual([2, 1, 1]);
    expect(partsOf([sized(1), sized(1)], { bytes: 100, most: 1 })).toHaveLength(2);
    expect(partsOf([], { bytes: 10, most: 1 })).toEqual([]);
    // a request has one content
    const mixed = partsOf([sized(1, 1), sized(1), sized(1, 1)], { bytes: 100, most: 9 });
    expect(mixed.map((part) => part.map(({ variant }) => variant))).toEqual([[0], [1, 1]]);
  });
});

describe('a recipient', () => {
  const contact = {
    contactStatus: 'enabled',
    unsubscribed: false,
    validationStatus: 'valid',
    confirmed: true,
    paused: false,
    tooSoon: false,
  };

  it.each([
    [{}, null],
    [{ contactStatus: null }, 'contact_disabled'],
    [{ contactStatus: 'blocked', unsubscribed: true }, 'contact_disabled'],
    [{ unsubscribed: true, validationStatus: 'invalid' }, 'contact_unsubscribed'],
    [{ validationStatus: 'invalid', confirmed: false }, 'contact_invalid'],
    [{ confirmed: false, paused: true }, 'not_confirmed'],
    [{ paused: true, tooSoon: true }, 'contact_paused'],
    [{ tooSoon: true }, 'contact_frequency'],
  ])('spec 3-marketing §7.2 rule 1: %j is left out as %s', (change, reason) => {
    expect(skipReason({ ...contact, ...change })).toBe(reason);
  });

  it('spec 3-marketing §5.4 rule 1: has values in which reserved names take precedence and nothing is empty', () => {
    const fields = {
      email: 'ann@mail.test',
      firstName: 'Ann',
      lastName: '',
      attributes: { email: 'x', first_name: 'y', city: '', nothing: null, score: 0, vip: false },
    };
    expect(recipientValues(fields)).toEqual({
      email: 'ann@mail.test',
      first_name: 'Ann',
      score: 0,
      vip: false,
    });
    expect(recipientName(fields)).toBe('Ann');
    expect(recipientName({ ...fields, lastName: 'Lee' })).toBe('Ann Lee');
  });
});
