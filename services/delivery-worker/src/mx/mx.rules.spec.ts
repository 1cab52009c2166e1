import { describe, expect, it } from 'vitest';
import {
  explainLocalMode,
  isMailDomain,
  joinAddresses,
  mailHostsOf,
  orderHosts,
  planHosts,
  planRoute,
} from './mx.rules.js';
import type { SmtpOutcome } from '../smtp-client/smtp-outcome.js';
import type { Looked, MxRecord, MxResult } from './mx.rules.js';

const found = (...records: [string, number][]): Looked<MxRecord[]> => ({
  kind: 'found',
  value: records.map(([exchange, priority]) => ({ exchange, priority })),
});
const host = (name: string, preference = 10) => ({ name, preference });
const at = (...value: string[]): Looked<string[]> => ({ kind: 'found', value });
const ABSENT = { kind: 'absent' } as const;
const NO_NAME = { kind: 'no-such-name' } as const;
const FAILED = { kind: 'failed', reason: 'time is up' } as const;

describe('the hosts of a domain', () => {
  it.each([
    ['by preference', found(['b.x.test', 20], ['a.x.test', 10]), ['a.x.test', 'b.x.test']],
    [
      'each once, at its best',
      found(['A.x.test.', 20], ['b.x.test', 15], ['a.x.test', 10]),
      ['a.x.test', 'b.x.test'],
    ],
    ['the domain itself without MX', ABSENT, ['x.test']],
    ['without the root next to others', found(['', 0], ['a.x.test', 10]), ['a.x.test']],
    [
      'without addresses and single labels',
      found(['192.0.2.1', 5], ['localhost', 6], ['a.x.test', 10]),
      ['a.x.test'],
    ],
    [
      'ten of many',
      found(...Array.from({ length: 40 }, (_, i): [string, number] => [`h${i}.x.test`, i])),
      Array.from({ length: 10 }, (_, i) => `h${i}.x.test`),
    ],
  ])('are %s', (_what, looked, names) => {
    const plan = planHosts('x.test', looked);
    expect(plan.kind === 'hosts' ? plan.candidates.map(({ name }) => name) : plan).toEqual(names);
  });

  it.each([
    ['null MX', found(['', 0]), { kind: 'unroutable', smtpCode: 556, enhancedStatusCode: '5.1.10' }],
    [
      'null MX with a dot',
      found(['.', 0]),
      { kind: 'unroutable', smtpCode: 556, enhancedStatusCode: '5.1.10' },
    ],
    ['no such domain', NO_NAME, { kind: 'unroutable', smtpCode: 550, enhancedStatusCode: '5.1.2' }],
    [
      'nothing but nonsense',
      found(['192.0.2.1', 5]),
      { kind: 'unroutable', smtpCode: 550, enhancedStatusCode: '5.1.2' },
    ],
    ['no answer', FAILED, { kind: 'dns-failure', smtpCode: 0, enhancedStatusCode: '4.4.4' }],
  ])('are none for %s', (_what, looked, answer) => expect(planHosts('x.test', looked)).toMatchObject(answer));
});

it('local mode explains why a real domain has no route, and leaves .test alone', () => {
  const of = (domain: string) => explainLocalMode(domain, planHosts(domain, NO_NAME) as SmtpOutcome);
  expect(of('gmail.com')).toMatchObject({
    kind: 'unroutable',
    response:
      'the domain gmail.com does not exist (local mode: no mail leaves this machine, and only names under .test exist)',
  });
  expect(of('nodns.test')).toMatchObject({ response: 'the domain nodns.test does not exist' });
});

describe('the route to a domain', () => {
  it.each([
    [
      'the hosts that have addresses',
      [at('192.0.2.1'), ABSENT, FAILED, at('192.0.2.2', '192.0.2.3')],
      {
        kind: 'route',
        hosts: [
          { name: 'h0.x.test', preference: 10, addresses: ['192.0.2.1'] },
          { name: 'h3.x.test', preference: 10, addresses: ['192.0.2.2', '192.0.2.3'] },
        ],
      },
    ],
    [
      'nowhere when none has one',
      [ABSENT, NO_NAME],
      { kind: 'unroutable', smtpCode: 550, enhancedStatusCode: '5.1.2' },
    ],
    ['unknown when one could not be asked', [ABSENT, FAILED], { kind: 'dns-failure', smtpCode: 0 }],
  ])('is %s', (_what, looks, answer) => {
    expect(
      planRoute(
        'x.test',
        looks.map((looked, i) => ({ host: host(`h${i}.x.test`), looked })),
      ),
    ).toMatchObject(answer);
  });

  it.each([
    [at('192.0.2.1'), at('2001:db8::1'), ['192.0.2.1', '2001:db8::1']],
    [at('192.0.2.1'), FAILED, ['192.0.2.1']],
    [ABSENT, at('2001:db8::1'), ['2001:db8::1']],
  ])('takes both kinds of addresses, IPv4 first: %j + %j', (v4, v6, value) => {
    expect(joinAddresses(v4, v6)).toMatchObject({ kind: 'found', value });
  });

  it('knows what it does not know', () => {
    expect(joinAddresses(ABSENT, FAILED).kind).toBe('failed');
    expect(joinAddresses(ABSENT, ABSENT).kind).toBe('absent');
    expect(joinAddresses(NO_NAME, NO_NAME).kind).toBe('no-such-name');
    expect(
      joinAddresses(
        { kind: 'found', value: ['192.0.2.1'], ttlSeconds: 60 },
        { kind: 'found', value: ['::1'], ttlSeconds: 30 },
      ),
    ).toMatchObject({ ttlSeconds: 30 });
  });
});

describe('the order of hosts', () => {
  const hosts = [host('c', 20), host('a1', 10), host('a2', 10), host('a3', 10)].map((each) => ({
    ...each,
    addresses: [],
  }));
  const order = (...keys: number[]) => orderHosts(hosts, () => keys.shift() ?? 0).map(({ name }) => name);
  it('is the preference, and chance among equals', () => {
    expect(order(0, 0.1, 0.2, 0.3)).toEqual(['a1', 'a2', 'a3', 'c']);
    expect(order(0, 0.9, 0.2, 0.3)).toEqual(['a2', 'a3', 'a1', 'c']);
  });

  it('ends after five, whichever equals they are', () => {
    const equals = Array.from({ length: 9 }, (_, i) => ({ ...host(`h${i}`), addresses: [] }));
    let key = 1;
    expect(orderHosts(equals, () => (key -= 0.1)).map(({ name }) => name)).toEqual([
      'h8',
      'h7',
      'h6',
      'h5',
      'h4',
    ]);
  });
});

describe('a mail domain', () => {
  it.each(['mail.test', 'xn--bcher-kva.test', 'a_b.mail.test', '1.mail.test'])('is %s', (name) =>
    expect(isMailDomain(name)).toBe(true),
  );
  it.each([
    '',
    'test',
    '192.0.2.1',
    '[192.0.2.1]',
    '[IPv6:::1]',
    '::1',
    'a..b',
    '-a.test',
    'a b.test',
    `${'a.'.repeat(130)}test`,
  ])('is not %j', (name) => expect(isMailDomain(name)).toBe(false));
});

describe('the verdict on a domain of contacts', () => {
  const route: MxResult = { kind: 'route', hosts: [], groupKey: 'g' };
  const failed = (kind: 'unroutable' | 'dns-failure', enhancedStatusCode: string): MxResult => ({
    kind,
    smtpCode: 550,
    enhancedStatusCode,
    response: '',
  });
  it.each([
    ['found', route],
    ['null_mx', failed('unroutable', '5.1.10')],
    ['no_such_domain', failed('unroutable', '5.1.2')],
    ['unknown', failed('unroutable', '5.4.6')],
    ['unknown', failed('dns-failure', '4.4.4')],
  ])('is %s', (hosts, result) => expect(mailHostsOf(result)).toBe(hosts));
});
