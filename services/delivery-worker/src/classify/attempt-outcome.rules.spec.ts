import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadSettings } from '@postmesh/settings';
import type { SmtpOutcome } from '../smtp-client/smtp-outcome.js';
import { decideAttempt } from './attempt-outcome.rules.js';
import type { AttemptContext } from './attempt-outcome.rules.js';
import { nextRetry, retryPlan, windowEnd } from './retry-schedule.rules.js';

// The defaults of the settings are the schedule of the specification.
const plan = retryPlan(loadSettings({}));
const START = new Date('2026-01-05T08:00:00Z');
const after = (seconds: number) => new Date(START.getTime() + seconds * 1000);
const context = (change: Partial<AttemptContext> = {}): AttemptContext => ({
  failuresBefore: 0,
  firstAttemptAt: START,
  expires: null,
  now: after(1),
  random: 0.5,
  plan,
  ...change,
});
const met = (change: Partial<SmtpOutcome>): SmtpOutcome => ({
  kind: 'accepted',
  smtpCode: 250,
  enhancedStatusCode: '2.0.0',
  response: 'queued as 7F1',
  command: 'DATA',
  dataSent: 'complete',
  remoteHost: 'mx.test',
  tls: true,
  ...change,
});
const REJECTED = met({
  kind: 'rejected',
  smtpCode: 550,
  enhancedStatusCode: '5.1.1',
  response: 'no such user',
  command: 'RCPT TO',
  dataSent: 'no',
});
const DEFERRED = met({
  kind: 'deferred',
  smtpCode: 451,
  enhancedStatusCode: undefined,
  response: 'later',
  command: 'RCPT TO',
  dataSent: 'no',
});
const LOST = met({
  kind: 'connection-lost',
  smtpCode: 0,
  enhancedStatusCode: '4.4.2',
  response: 'reset',
  command: 'DATA',
});

describe('an attempt', () => {
  it('that was accepted delivers', () => {
    expect(decideAttempt(met({}), context())).toEqual({
      outcome: 'delivered',
      nextAttemptAt: null,
      reply: { smtp_code: 250, enhanced_status_code: '2.0.0', response: 'queued as 7F1', command: 'DATA' },
      classification: null,
      uncertain: false,
      counted: true,
      remoteHost: 'mx.test',
      tls: true,
      giveUp: null,
    });
  });

  it.each([
    [
      'a 5xx',
      REJECTED,
      {
        reply: { smtp_code: 550, classification: 'InvalidRecipient', command: 'RCPT TO' },
        classification: 'InvalidRecipient',
      },
    ],
    [
      'a null MX',
      { kind: 'unroutable', smtpCode: 556, enhancedStatusCode: '5.1.10', response: 'takes no mail' },
      {
        reply: { smtp_code: 556, enhanced_status_code: '5.1.10', classification: 'BadDomain' },
        classification: 'BadDomain',
        remoteHost: null,
        tls: false,
      },
    ],
    [
      'no such domain',
      { kind: 'unroutable', smtpCode: 550, enhancedStatusCode: '5.1.2', response: 'does not exist' },
      { classification: 'BadDomain' },
    ],
  ] as [string, SmtpOutcome, object][])(
    'that met %s bounces at once, whatever the window',
    (_what, what, expected) => {
      expect(decideAttempt(what, context({ now: after(90_000) }))).toMatchObject({
        outcome: 'bounced',
        nextAttemptAt: null,
        ...expected,
      });
    },
  );

  it.each([
    ['a 4xx', DEFERRED, { uncertain: false, reply: { smtp_code: 451, classification: 'TransientFailure' } }],
    [
      'a lost answer to the final dot',
      LOST,
      { uncertain: true, reply: { smtp_code: 0, classification: 'BadConnection' } },
    ],
    [
      'a connection lost before it',
      { ...LOST, dataSent: 'partial' },
      { uncertain: false, reply: { classification: 'BadConnection' } },
    ],
    [
      'nobody',
      { ...DEFERRED, smtpCode: 0, enhancedStatusCode: '4.4.1', command: 'CONNECT' },
      { reply: { classification: 'NoAnswerFromHost' } },
    ],
    [
      'silence in DNS',
      { kind: 'dns-failure', smtpCode: 0, enhancedStatusCode: '4.4.4', response: 'SERVFAIL' },
      { reply: { smtp_code: 0, classification: 'DNSFailure' }, remoteHost: null },
    ],
  ] as [string, SmtpOutcome, object][])('that met %s waits for its next time', (_what, what, expected) => {
    expect(decideAttempt(what, context())).toMatchObject({
      outcome: 'deferred',
      counted: true,
      nextAttemptAt: after(301),
      classification: null,
      ...expected,
    });
  });

  it('fails with the eighth failure', () => {
    expect(decideAttempt(DEFERRED, context({ failuresBefore: 6, now: after(100) })).outcome).toBe('deferred');
    expect(decideAttempt(DEFERRED, context({ failuresBefore: 7, now: after(100) }))).toMatchObject({
      outcome: 'failed',
      nextAttemptAt: null,
      classification: 'MessageExpired',
      reply: { classification: 'TransientFailure' },
      giveUp: 'attempts',
    });
  });

  it('fails when its next time would be after the end', () => {
    expect(decideAttempt(DEFERRED, context({ failuresBefore: 6, now: after(60_000) }))).toMatchObject({
      outcome: 'failed',
      giveUp: 'window',
    });
    expect(decideAttempt(DEFERRED, context({ expires: after(200) }))).toMatchObject({
      outcome: 'failed',
      giveUp: 'expires',
    });
    expect(decideAttempt(DEFERRED, context({ expires: after(301) }))).toMatchObject({
      outcome: 'deferred',
      nextAttemptAt: after(301),
    });
  });

  it('that asked no server comes back without being counted', () => {
    const postponed = {
      kind: 'postponed',
      smtpCode: 0,
      notBefore: after(10).getTime(),
      response: 'left alone',
    } as const;
    expect(decideAttempt(postponed, context({ failuresBefore: 7 }))).toMatchObject({
      outcome: 'postponed',
      counted: false,
      reply: null,
      nextAttemptAt: after(10),
    });
    expect(decideAttempt({ ...postponed, notBefore: 0 }, context())).toMatchObject({
      nextAttemptAt: after(1),
    });
    expect(decideAttempt(postponed, context({ expires: after(5) }))).toMatchObject({
      outcome: 'failed',
      giveUp: 'expires',
      classification: 'MessageExpired',
    });
  });
});

describe('a reply', () => {
  it('to MAIL FROM is about the sender, with any text and codes', () => {
    expect(decideAttempt({ ...REJECTED, command: 'MAIL FROM' }, context())).toMatchObject({
      classification: 'InvalidSender',
      verdict: { kind: 'sender', suppresses: 'never' },
    });
    expect(decideAttempt(REJECTED, context())).toMatchObject({ verdict: { suppresses: 'hard' } });
  });

  const GREYLISTED = { ...DEFERRED, enhancedStatusCode: '4.2.0', response: 'Greylisted, try again later' };
  const delay = (what: SmtpOutcome, random: number, failuresBefore = 0) =>
    (decideAttempt(what, context({ random, failuresBefore })).nextAttemptAt!.getTime() - after(1).getTime()) /
    1000;

  it('of a greylist brings retry 1 in the later half of its jitter: many greylists wait 300 s', () => {
    expect([0, 0.5, 1].map((random) => delay(GREYLISTED, random))).toEqual([300, 315, 330]);
    expect([0, 0.5, 1].map((random) => delay(DEFERRED, random))).toEqual([270, 300, 330]);
    expect([0, 1].map((random) => delay(GREYLISTED, random, 1))).toEqual([810, 990]);
  });

  it('reports its kind, and keeps the deciding row for the log', () => {
    expect(decideAttempt(REJECTED, context())).toMatchObject({
      reply: { classification: 'InvalidRecipient', kind: 'mailbox', rule: 'user-unknown' },
      verdict: { rule: 'user-unknown', suppresses: 'hard' },
    });
  });

  it('is read as that of the provider whose host said it', () => {
    const edge = { ...REJECTED, enhancedStatusCode: '5.4.1', response: 'Recipient address rejected' };
    const kindOf = (about: AttemptContext['about']) => decideAttempt(edge, context({ about })).reply?.kind;
    expect(kindOf({ provider: 'm365' })).toBe('mailbox');
    expect(kindOf({})).toBe('infra');
    expect(kindOf({ provider: 'm365', relayed: true })).toBe('own');
  });

  it('that never came is our own trouble while no server answers us', () => {
    const silent = { ...DEFERRED, smtpCode: 0, enhancedStatusCode: '4.4.1', response: 'connect ETIMEDOUT' };
    const kinds = [true, false].map(
      (offline) => decideAttempt(silent, context({ about: { offline } })).reply?.kind,
    );
    expect(kinds).toEqual(['own', 'infra']);
  });

  it('for good is never tried again, with any text; another one always is', () => {
    const words = fc.tuple(fc.integer({ min: 0, max: 99 }), fc.string());
    fc.assert(
      fc.property(words, ([last, response]) => {
        const said = { enhancedStatusCode: undefined, response };
        const outcomes = [500 + last, 400 + last].map((smtpCode) =>
          decideAttempt(
            met({ kind: smtpCode < 500 ? 'deferred' : 'rejected', smtpCode, ...said }),
            context(),
          ),
        );
        expect(outcomes.map(({ outcome }) => outcome)).toEqual(['bounced', 'deferred']);
      }),
    );
  });
});

describe('retries', () => {
  it('come after 5 m, 15 m, 40 m, 2 h, 4 h, 6 h, 10 h, give or take a tenth, within 24 h', () => {
    const window = { firstAttemptAt: START, expires: null };
    const delays = (random: number) =>
      Array.from({ length: 8 }, (_, i) => {
        const retry = nextRetry(i + 1, window, { now: START, random, plan });
        return 'at' in retry ? (retry.at.getTime() - START.getTime()) / 1000 : retry.giveUp;
      });
    expect(delays(0.5)).toEqual([300, 900, 2_400, 7_200, 14_400, 21_600, 36_000, 'attempts']);
    expect(delays(0)).toEqual([270, 810, 2_160, 6_480, 12_960, 19_440, 32_400, 'attempts']);
    expect(delays(1)).toEqual([330, 990, 2_640, 7_920, 15_840, 23_760, 39_600, 'attempts']);
  });

  it('are at most seven in a whole life', () => {
    let now = START;
    let failures = 0;
    for (;;) {
      failures++;
      const retry = nextRetry(failures, { firstAttemptAt: START, expires: null }, { now, random: 0.5, plan });
      if (!('at' in retry)) break;
      now = retry.at;
    }
    expect(failures).toBe(8);
    expect((now.getTime() - START.getTime()) / 3_600_000).toBe(23);
  });

  it('end with the limit that comes first', () => {
    expect(windowEnd({ firstAttemptAt: START, expires: null }, plan)).toEqual({
      at: after(86_400),
      by: 'window',
    });
    expect(windowEnd({ firstAttemptAt: START, expires: after(60) }, plan)).toEqual({
      at: after(60),
      by: 'expires',
    });
    expect(windowEnd({ firstAttemptAt: START, expires: after(90_000) }, plan)).toEqual({
      at: after(86_400),
      by: 'window',
    });
    const window = { firstAttemptAt: START, expires: null };
    expect(nextRetry(1, window, { now: after(86_400), random: 0, plan })).toEqual({ giveUp: 'window' });
    const short = { delaysSeconds: [1], windowSeconds: 10 };
    expect(nextRetry(1, window, { now: after(9), random: 0.5, plan: short })).toEqual({ at: after(10) });
    expect(nextRetry(2, window, { now: after(9), random: 0.5, plan: short })).toEqual({ giveUp: 'attempts' });
  });
});
