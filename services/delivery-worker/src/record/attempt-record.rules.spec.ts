import { describe, expect, it } from 'vitest';
import { DeliveryAttempted } from '@postmesh/delivery-worker-contract';
import { newId } from '@postmesh/contracts';
import type { AttemptOutcome } from '../classify/attempt-outcome.rules.js';
import type { ClaimedDelivery } from '../queue/deliveries.table.js';
import {
  attempted,
  attemptsMade,
  released,
  toEvent,
  unsent,
  waitReason,
  type AttemptRecord,
} from './attempt-record.rules.js';

const at = (seconds: number) => new Date(Date.parse('2026-01-05T08:00:00Z') + seconds * 1_000);

const claimed = (change: Partial<ClaimedDelivery> = {}): ClaimedDelivery => ({
  id: '01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a01',
  sendRequestId: '01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a01',
  recipient: 'ann@mail.test',
  destination: 'mail.test',
  attempt: 1,
  firstAttemptAt: at(0),
  leaseToken: '1',
  key: 'mail.test',
  lane: 0,
  dueAt: at(0),
  recipients: 1,
  accountId: newId(),
  domainId: newId(),
  domain: 'shop.test',
  sender: 'news@shop.test',
  subject: 'Your order',
  messageIdHeader: '<01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a01@shop.test>',
  contentId: newId(),
  size: 1_000,
  returnPathHost: 'rp.shop.test',
  expires: null,
  source: null,
  pinned: false,
  sandbox: null,
  accountState: null,
  suppressed: false,
  ...change,
});

const decision = (change: Partial<AttemptOutcome> = {}): AttemptOutcome => ({
  outcome: 'deferred',
  nextAttemptAt: at(300),
  reply: { smtp_code: 451, enhanced_status_code: '4.7.1', response: 'greylisted', command: 'RCPT TO' },
  classification: null,
  uncertain: false,
  counted: true,
  remoteHost: 'mx.mail.test',
  tls: true,
  giveUp: null,
  ...change,
});

const times = { startedAt: at(1), finishedAt: at(2) };
const eventOf = (record: AttemptRecord) => DeliveryAttempted.parse(toEvent(record)).data;

describe('the event of an attempt', () => {
  it('has the result, the host, and the next step', () => {
    const event = toEvent(attempted(claimed(), decision(), times));
    expect(event).toMatchObject({
      key: 'mail.test#1',
      occurred_at: at(2).toISOString(),
      only_for: 'messages',
    });
    expect(eventOf(attempted(claimed(), decision(), times))).toMatchObject({
      outcome: 'deferred',
      attempt: 1,
      started_at: at(1).toISOString(),
      finished_at: at(2).toISOString(),
      next_attempt_at: at(300).toISOString(),
      reply: { smtp_code: 451, response: 'greylisted' },
      remote_host: 'mx.mail.test',
      tls: true,
      sandbox: false,
      destination: 'mail.test#1',
    });
  });

  it('has the start of the attempt as the first one, when earlier claims came to nothing', () => {
    expect(eventOf(attempted(claimed(), decision(), times)).first_attempt_at).toBe(at(1).toISOString());
  });

  it('keeps the start of the first attempt in later ones', () => {
    const second = attempted(claimed({ attempt: 2 }), decision(), times);
    expect(eventOf(second)).toMatchObject({ attempt: 2, first_attempt_at: at(0).toISOString() });
  });

  it('of a message that was never sent names no attempt', () => {
    const over = unsent(claimed(), { outcome: 'failed', classification: 'MessageExpired', giveUp: 'window' });
    expect(eventOf(over)).toMatchObject({
      attempt: 0,
      started_at: null,
      first_attempt_at: null,
      reply: null,
    });
  });

  it('of a message that is given up without asking counts the attempts before', () => {
    const over = unsent(claimed({ attempt: 4 }), { outcome: 'failed', classification: 'MessageExpired' });
    expect(eventOf(over)).toMatchObject({ attempt: 3, first_attempt_at: at(0).toISOString() });
  });

  it('of an expired message carries the limit that ended it, with the class of the last reply', () => {
    const reply = { smtp_code: 452, response: 'mailbox full', classification: 'QuotaIssues' };
    const over = decision({
      outcome: 'failed',
      nextAttemptAt: null,
      reply,
      classification: 'MessageExpired',
      giveUp: 'expires',
    });
    expect(eventOf(attempted(claimed(), over, times))).toMatchObject({
      outcome: 'failed',
      classification: 'MessageExpired',
      give_up: 'expires',
      reply: { classification: 'QuotaIssues' },
    });
  });

  it('of a sandbox send is marked, and counts the simulated attempts', () => {
    const record = unsent(claimed({ sandbox: 'bounce' }), {
      outcome: 'bounced',
      classification: null,
      counted: true,
    });
    expect(eventOf(record)).toMatchObject({
      sandbox: true,
      attempt: 1,
      first_attempt_at: at(0).toISOString(),
    });
  });
});

describe('a claim that came to nothing', () => {
  it('is silent, counts no attempt and keeps its reason', () => {
    const wait = { until: at(60), reason: 'domains cannot be reached', windowRuns: false };
    const record = released(claimed({ attempt: 3 }), wait);
    expect(record).toMatchObject({
      isSilent: true,
      counted: false,
      nextAttemptAt: at(60),
      windowRuns: false,
    });
    expect(attemptsMade(record)).toBe(2);
    expect(waitReason(record)).toBe('domains cannot be reached');
  });

  it('because its hosts are left alone for a while is silent as well', () => {
    const postponed = decision({ outcome: 'postponed', counted: false, reply: null });
    expect(attempted(claimed(), postponed, times)).toMatchObject({ outcome: 'deferred', isSilent: true });
  });
});

describe('the reason of a wait', () => {
  it.each([
    [{ smtp_code: 452, response: 'mailbox full' }, '452 mailbox full'],
    [{ smtp_code: 0, response: 'no answer' }, 'no answer'],
    [{ smtp_code: 421, classification: 'TransientFailure' }, '421 TransientFailure'],
    [{ smtp_code: 451 }, '451 temporary failure'],
    [null, 'waits for its next attempt'],
  ])('%j', (reply, reason) => {
    expect(waitReason(attempted(claimed(), decision({ reply }), times))).toBe(reason);
  });

  it('is cut to a line', () => {
    const reply = { smtp_code: 451, response: 'x'.repeat(2_000) };
    expect(waitReason(attempted(claimed(), decision({ reply }), times))).toHaveLength(500);
  });
});
