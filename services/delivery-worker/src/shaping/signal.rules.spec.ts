import { describe, expect, it } from 'vitest';
import type { ReplyKind, ReplyVerdict } from '@postmesh/smtp-replies';
import type { SmtpOutcome } from '../smtp-client/smtp-outcome.js';
import type { GroupResult } from './group-limits.port.js';
import { endsConnection, judge, signalOf, stopsWalk } from './signal.rules.js';

const reply = (
  smtpCode: number,
  enhancedStatusCode?: string,
  more: Partial<SmtpOutcome> = {},
): SmtpOutcome => ({
  kind: smtpCode >= 500 ? 'rejected' : smtpCode >= 400 || smtpCode === 0 ? 'deferred' : 'accepted',
  smtpCode,
  enhancedStatusCode,
  response: 'said so',
  dataSent: 'no',
  ...more,
});
const result = (outcome: SmtpOutcome, more: Partial<GroupResult> = {}): GroupResult => ({
  groupKey: 'p:google',
  source: '',
  outcome,
  ...more,
});
const kind = (name: ReplyKind): ReplyVerdict => ({
  class: 'PolicyRelated',
  kind: name,
  rule: 'r',
  suppresses: 'never',
});
const refused = reply(0, '4.4.1', { failure: 'reset' });
const silent = reply(0, '4.4.1', { failure: 'timeout' });

describe('a result', () => {
  it.each<[string, GroupResult, ReplyVerdict | undefined, string | undefined]>([
    ['421', result(reply(421)), undefined, 'halve'],
    ['421 as a banner', result(reply(421, '4.3.2'), { opened: false }), undefined, 'halve'],
    ['4.7.x', result(reply(450, '4.7.1')), undefined, 'halve'],
    ['451 4.3.x', result(reply(451, '4.3.0')), undefined, 'weak'],
    ['4.4.5', result(reply(452, '4.4.5')), undefined, undefined],
    ['congestion', result(reply(451, '4.4.5')), undefined, 'weak'],
    ['a connection that times out', result(silent, { opened: false }), undefined, 'weak'],
    [
      'a refused connection while others live',
      result(refused, { opened: false, othersLive: true }),
      undefined,
      'halve',
    ],
    ['a refused connection, no other lives', result(refused, { opened: false }), undefined, undefined],
    ['a full mailbox', result(reply(452, '4.2.2')), undefined, undefined],
    ['4.2.x with another code', result(reply(421, '4.2.1')), undefined, undefined],
    ['greylisting', result(reply(450, '4.7.1')), kind('grey'), undefined],
    ['authentication', result(reply(421, '4.7.26')), kind('auth'), undefined],
    ['content', result(reply(421, '4.7.0')), kind('content'), undefined],
    [
      'TLS that is away',
      result(reply(454, '4.7.0', { command: 'STARTTLS' }), { opened: false }),
      undefined,
      undefined,
    ],
    [
      'a password that is checked later',
      result(reply(454, '4.7.0', { command: 'AUTH' })),
      undefined,
      undefined,
    ],
    ['a plain 451', result(reply(451)), undefined, undefined],
    ['a rejection', result(reply(550, '5.7.1')), undefined, undefined],
    ['success', result(reply(250)), undefined, undefined],
    ['a used connection that is closed by 421', result(reply(421), { reused: true }), undefined, undefined],
    ['the same by policy', result(reply(421, '4.7.0'), { reused: true }), undefined, 'halve'],
  ])('%s', (_, given, verdict, expected) => {
    expect(signalOf(given, verdict)?.do).toBe(expected);
  });

  it('acts by the row of its reply, a rejection too', () => {
    const shape = { do: 'suspend', scope: 'source', forSeconds: 7_200 } as const;
    const verdict = { ...kind('reputation'), rule: 'yahoo-bl', shape };
    expect(signalOf(result(reply(553, '5.7.1')), verdict)).toMatchObject({ ...shape, rule: 'yahoo-bl' });
  });

  it.each<[string, string, string, string | undefined]>([
    ['p:google', '4.7.28', 'our system has detected an unusual rate of mail from your IP address', 'suspend'],
    ['m:1', '4.7.1', 'greylisted, try again', undefined],
    ['m:1', '4.7.0', 'too many connections from your address', 'halve'],
    ['relay', '4.7.1', 'come again', 'halve'],
  ])('in %s: %s %s', (groupKey, enhanced, response, expected) => {
    const given = reply(421, enhanced, { response });
    expect(signalOf(result(given, { groupKey }), judge(given, groupKey))?.do).toBe(expected);
  });

  it('of our own making is no signal, with any text', () => {
    const own = reply(0, '4.7.0', { response: '421 4.7.28 slow down' });
    expect(signalOf(result(own), undefined)).toBeUndefined();
    expect(stopsWalk(own, undefined)).toBe(false);
    const postponed = {
      kind: 'postponed',
      smtpCode: 0,
      response: 'Google slowed down us (421 4.7.28)',
    } as const;
    expect(signalOf(result(postponed), undefined)).toBeUndefined();
  });
});

describe('the walk over the hosts of a group', () => {
  it.each<[string, SmtpOutcome, ReplyVerdict | undefined, boolean]>([
    ['421', reply(421), undefined, true],
    ['4.7.x', reply(450, '4.7.1'), undefined, true],
    ['a rate, by its text', reply(451), kind('rate'), true],
    ['a reputation, by its text', reply(450), kind('reputation'), true],
    ['a host that is out of service itself', reply(421, '4.3.2'), undefined, false],
    ['TLS that is away', reply(454, '4.7.0', { command: 'STARTTLS' }), undefined, false],
    ['another 4xx', reply(451, '4.3.0'), undefined, false],
    ['no reply', refused, undefined, false],
    ['a rejection decides anyway', reply(550, '5.7.1'), kind('reputation'), false],
  ])('after %s', (_, outcome, verdict, expected) => {
    expect(stopsWalk(outcome, verdict)).toBe(expected);
  });
});

describe('the end of a connection', () => {
  const used = { reused: true };
  const lost = reply(0, '4.4.2', { kind: 'connection-lost' });
  it.each<[string, GroupResult, ReplyVerdict | undefined, boolean]>([
    ['a close', result(lost, used), undefined, true],
    ['421', result(reply(421, '4.4.2'), used), undefined, true],
    ['421 4.7.0 that the table knows', result(reply(421, '4.7.0'), used), kind('infra'), true],
    ['421 by policy', result(reply(421, '4.7.0'), used), undefined, false],
    [
      'enough for one connection, in words',
      result(reply(452, '4.3.2'), used),
      { ...kind('rate'), shape: { do: 'perConnection', scope: 'source' } },
      true,
    ],
    [
      'another shape',
      result(reply(421), used),
      { ...kind('rate'), shape: { do: 'halve', scope: 'source' } },
      false,
    ],
    ['a fresh connection', result(lost), undefined, false],
    ['a close in the middle', result({ ...lost, dataSent: 'partial' }, used), undefined, false],
  ])('%s', (_, given, verdict, expected) => {
    expect(endsConnection(given, verdict)).toBe(expected);
  });
});
