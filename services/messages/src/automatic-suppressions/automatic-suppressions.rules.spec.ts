import { describe, expect, it } from 'vitest';
import { DeliveryAttempted } from '@postmesh/delivery-worker-contract';
import { newId, SYSTEM_ACCOUNT_ID } from '@postmesh/contracts';
import { BounceClass, ReplyKind } from '@postmesh/smtp-replies';
import { planSuppressions } from './automatic-suppressions.rules.js';

type Attempted = Parameters<typeof DeliveryAttempted.make>[0];

const NOW = new Date('2026-01-05T08:00:00Z');
const accountId = newId();
const example = DeliveryAttempted.examples[0]!;

const ended = (change: Partial<Attempted>, account: string | null = accountId) =>
  ({ accountId: account, data: { ...example, ...change }, before: 'Received' }) as const;
const bounced = (kind: string | undefined, more: object = {}) =>
  ended({ outcome: 'bounced', reply: { smtp_code: 550, kind, classification: 'Uncategorized', ...more } });
const failed = (kind: string | undefined, giveUp: Attempted['give_up'], more: object = {}) =>
  ended({
    outcome: 'failed',
    classification: 'MessageExpired',
    give_up: giveUp,
    reply: { smtp_code: 451, kind, classification: 'TransientFailure', ...more },
  });

/** `hard 30` suppresses for that many days; `one hard` is counted. */
function planned(outcome: ReturnType<typeof ended>): string {
  const { causes, counted } = planSuppressions([outcome], NOW);
  const days = (until: Date) => (until.getTime() - NOW.getTime()) / 86_400_000;
  return [
    ...causes.map(({ reason, expiresAt }) => `${reason.split(' ')[2]} ${days(expiresAt)}`),
    ...counted.map(({ weight }) => `one ${weight}`),
  ].join();
}

const HARD = ['mailbox', 'inactive', 'domain'];
const REPEATED = ['quota', 'infra', 'other'];

describe('a bounce', () => {
  it.each(ReplyKind.options)('for %s', (kind) => {
    const expected = HARD.includes(kind) ? 'hard 30' : REPEATED.includes(kind) ? 'one hard' : '';
    expect(planned(bounced(kind))).toBe(expected);
  });

  it.each(BounceClass.options)('with only the class %s from an older worker', (classification) => {
    const hard = ['InvalidRecipient', 'BadDomain', 'InactiveMailbox'];
    const never = ['PolicyRelated', 'AuthenticationFailed', 'ProtocolErrors', 'InvalidSender'];
    const expected = hard.includes(classification)
      ? 'hard 30'
      : never.includes(classification)
        ? ''
        : 'one hard';
    expect(planned(bounced(undefined, { classification }))).toBe(expected);
  });

  it('of an unknown kind or class suppresses as little as possible', () => {
    expect(planned(bounced('moonlight'))).toBe('one hard');
    expect(planned(bounced('moonlight', { classification: 'Moonlight' }))).toBe('');
  });
});

describe('a message that failed', () => {
  const SOFT = [...HARD, 'quota', 'infra'];

  it.each(ReplyKind.options)('after all retries, the last reply being %s', (kind) => {
    expect(planned(failed(kind, 'attempts'))).toBe(SOFT.includes(kind) ? 'soft 15' : '');
    expect(planned(failed(kind, 'window'))).toBe(SOFT.includes(kind) ? 'soft 15' : '');
  });

  it.each(ReplyKind.options)('at the expiry set by its sender, the last reply being %s', (kind) => {
    const full = ['mailbox', 'inactive', 'quota'].includes(kind);
    expect(planned(failed(kind, 'expires'))).toBe(full ? 'one soft' : '');
  });

  it('without a reply does not count', () => {
    expect(planned(ended({ outcome: 'failed', reply: null, give_up: 'window' }))).toBe('');
    expect(planned(failed(undefined, 'attempts', { smtp_code: 0 }))).toBe('');
  });

  it('that could not be composed does not count', () => {
    expect(planned(ended({ outcome: 'failed', reply: { smtp_code: 0, response: 'no content' } }))).toBe('');
  });

  it('with only the class from an older worker', () => {
    expect(planned(failed(undefined, 'attempts'))).toBe('soft 15');
    expect(planned(failed(undefined, 'attempts', { classification: 'PolicyRelated' }))).toBe('');
    expect(planned(failed(undefined, 'expires'))).toBe('');
    expect(planned(failed(undefined, 'expires', { classification: 'QuotaIssues' }))).toBe('one soft');
  });
});

it('the sandbox, mail of Postmesh itself, and open messages do not suppress', () => {
  const reply = { smtp_code: 550, kind: 'mailbox', classification: 'InvalidRecipient' };
  const of = (change: Partial<Attempted>, account?: string | null) =>
    planned(ended({ outcome: 'bounced', reply, ...change }, account));
  expect(of({})).toBe('hard 30');
  expect(of({ sandbox: true })).toBe('');
  expect(of({}, SYSTEM_ACCOUNT_ID)).toBe('');
  expect(of({}, null)).toBe('');
  expect(of({ outcome: 'deferred' })).toBe('');
  expect(of({ outcome: 'delivered' })).toBe('');
});
