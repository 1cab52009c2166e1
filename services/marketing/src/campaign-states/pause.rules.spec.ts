import { describe, expect, it } from 'vitest';
import { PAUSE_CAUSES, type PauseCause } from './campaign-state.rules.js';
import { endCause, nextStep, nextUtcDay, outerCause, rateCause, type Pause } from './pause.rules.js';

const NOW = new Date('2026-09-10T12:00:00Z');
const ago = (ms: number) => new Date(NOW.getTime() - ms);
const HOUR = 3_600_000;
const LIMITS = { bounceRate: 0.05, complaintRate: 0.003, minOutcomes: 500 };

describe('spec 3-marketing §4.2: rates', () => {
  it.each([
    ['too few outcomes', { delivered: 300, bounced: 199, complained: 100 }, undefined],
    ['more than 5 % bounced', { delivered: 474, bounced: 26, complained: 0 }, 'bounces'],
    ['exactly 5 %', { delivered: 475, bounced: 25, complained: 0 }, undefined],
    ['more than 0.3 % complained', { delivered: 1_000, bounced: 0, complained: 4 }, 'complaints'],
    ['exactly 0.3 %', { delivered: 1_000, bounced: 0, complained: 3 }, undefined],
    ['both', { delivered: 400, bounced: 100, complained: 100 }, 'bounces'],
  ])('spec 3-marketing §4.2 %s', (_, counts, cause) => expect(rateCause(counts, null, LIMITS)).toBe(cause));

  it('spec 3-marketing §4.2 are reset when an operator resumes the campaign', () => {
    const base = { delivered: 400, bounced: 100, complained: 0 };
    expect(rateCause({ delivered: 800, bounced: 119, complained: 0 }, base, LIMITS)).toBeUndefined();
    expect(rateCause({ delivered: 870, bounced: 130, complained: 0 }, base, LIMITS)).toBe('bounces');
  });
});

describe('spec 3-marketing §4.2: causes from outside', () => {
  it.each([
    ['active', 'usable', undefined, undefined],
    ['suspended', 'paused', 'suspended', undefined],
    ['active', 'paused', 'domain_paused', undefined],
    ['active', 'dns_invalid', 'domain_dns', undefined],
    ['active', 'deleted', undefined, 'domain_deleted'],
    ['deleted', 'deleted', undefined, 'account_closed'],
  ] as const)('spec 3-marketing §4.2 account %s and sender %s', (account, sender, cause, end) => {
    const facts = { account, sender };
    expect([outerCause(facts), endCause(facts)]).toEqual([cause, end]);
  });
});

describe('spec 3-marketing §4.1 T15, T19: the end of a pause', () => {
  const step = (pause: Partial<Pause>) =>
    nextStep({
      cause: 'domain_paused',
      since: ago(HOUR),
      now: NOW,
      outer: undefined,
      hasBudget: false,
      ...pause,
    });

  it.each(['operator', 'bounces', 'complaints'] as const)(
    'spec 3-marketing §4.2 %s waits for an operator without a time limit',
    (cause) =>
      expect(step({ cause, since: ago(1_000 * HOUR), outer: 'suspended' })).toEqual({ kind: 'stay' }),
  );

  it.each(['domain_paused', 'domain_dns', 'suspended'] as const)(
    'spec 3-marketing §4.1 T19 %s ends the pause with its cause, keeps it with the cause, and cancels after 72 hours in a row',
    (cause) => {
      expect(step({ cause, since: ago(100 * HOUR) })).toEqual({ kind: 'resume' });
      expect(step({ cause, outer: cause, since: ago(72 * HOUR - 1) })).toEqual({ kind: 'stay' });
      expect(step({ cause, outer: cause, since: ago(72 * HOUR) })).toEqual({ kind: 'give_up' });
    },
  );

  it('spec 3-marketing §4.1 T19 counts domain and suspension causes in a row as one pause', () => {
    const since = ago(40 * HOUR);
    const other = { kind: 'other_cause', cause: 'suspended' };
    expect(step({ outer: 'suspended', since })).toEqual({ ...other, since });
    expect(step({ outer: 'suspended', since: ago(73 * HOUR) })).toEqual({ kind: 'give_up' });
    expect(step({ cause: 'daily_limit', outer: 'suspended', since: ago(73 * HOUR) })).toEqual({
      ...other,
      since: NOW,
    });
  });

  it('spec 3-marketing §4.4 continues after the daily limit only below the limit, at any hour', () => {
    const cause: PauseCause = 'daily_limit';
    expect([step({ cause }), step({ cause, hasBudget: true })]).toEqual([
      { kind: 'stay' },
      { kind: 'resume' },
    ]);
    expect(nextUtcDay(new Date('2026-12-31T23:59:59.999Z'))).toEqual(new Date('2027-01-01T00:00:00Z'));
    expect(nextUtcDay(new Date('2026-12-31T00:00:00Z'))).toEqual(new Date('2027-01-01T00:00:00Z'));
  });

  it('checks the credit of the month again every five minutes', () => {
    const cause: PauseCause = 'monthly_limit';
    expect([step({ cause, since: ago(299_000) }), step({ cause, since: ago(300_000) })]).toEqual([
      { kind: 'stay' },
      { kind: 'resume' },
    ]);
  });

  it('has a decision for every cause and all other facts', () => {
    for (const cause of PAUSE_CAUSES) {
      for (const outer of [undefined, 'suspended', 'domain_dns'] as const) {
        for (const hasBudget of [true, false]) {
          expect(['stay', 'resume', 'give_up', 'other_cause']).toContain(
            step({ cause, outer, hasBudget }).kind,
          );
        }
      }
    }
  });
});
