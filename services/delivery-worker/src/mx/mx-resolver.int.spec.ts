import { afterEach, describe, expect, it } from 'vitest';
import { a, aaaa, mx, NameServer } from '../testing/name-server.js';
import type { Zone } from '../testing/name-server.js';
import { groupKeyOf } from './group-key.rules.js';
import { addressCheck } from './host-addresses.rules.js';
import { MxResolver } from './mx-resolver.js';
import type { MxResolverOptions } from './mx-resolver.js';

// proven again: name servers that are slow, silent or wrong, one answer at a time

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});
const start = async (zone: Zone, options: Partial<MxResolverOptions> = {}) => {
  const server = await NameServer.start(zone);
  const resolver = new MxResolver({
    servers: [server.address],
    timeoutMs: 10_000,
    tries: 1,
    random: () => 0.5,
    ...options,
  });
  stops.push(
    () => resolver.close(),
    () => server.stop(),
  );
  return { server, resolver };
};

const WORLD: Zone = (name, type) => {
  const records = {
    'MX mail.test': [mx(name, 'mx2.mail.test', 20), mx(name, 'mx1.mail.test', 10)],
    'A mx1.mail.test': [a(name, '192.0.2.1'), a(name, '192.0.2.2')],
    'AAAA mx1.mail.test': [aaaa(name, '2001:db8::1')],
    'A mx2.mail.test': [a(name, '192.0.2.3')],
    'AAAA mx2.mail.test': [],
    'MX plain.test': [],
    'A plain.test': [a(name, '192.0.2.4')],
    'AAAA plain.test': [],
    'MX null.test': [mx(name, '.', 0)],
    'MX half.test': [mx(name, 'gone.half.test', 10), mx(name, 'mx1.mail.test', 20)],
    'MX broken.test': 'SERVFAIL' as const,
    'MX refused.test': 'REFUSED' as const,
    'MX silent.test': 'silence' as const,
    'MX homeless.test': [mx(name, 'gone.homeless.test', 10)],
    'MX lame.test': [mx(name, 'mx.lame.test', 10)],
    'A mx.lame.test': 'SERVFAIL' as const,
    'AAAA mx.lame.test': 'SERVFAIL' as const,
    'MX empty.test': [],
    'A empty.test': [],
    'AAAA empty.test': [],
    'MX twin.test': [mx(name, 'MX1.mail.test', 5), mx(name, 'mx2.mail.test', 5)],
    'MX shop.test': [mx(name, 'aspmx.l.google.com', 1), mx(name, 'alt1.aspmx.l.google.com', 5)],
    'A aspmx.l.google.com': [a(name, '192.0.2.9')],
    'AAAA aspmx.l.google.com': [],
    'A alt1.aspmx.l.google.com': 'SERVFAIL' as const,
    'AAAA alt1.aspmx.l.google.com': 'SERVFAIL' as const,
    'MX mixed.test': [mx(name, 'aspmx.l.google.com', 1), mx(name, 'mx1.mail.test', 5)],
    'MX inside.test': [mx(name, 'mx.inside.test', 10)],
    'A mx.inside.test': [a(name, '10.0.0.5')],
    'AAAA mx.inside.test': [aaaa(name, '::1'), aaaa(name, '::ffff:10.0.0.5')],
    'MX loop.test': [mx(name, 'mx.loop.test', 10)],
    'A mx.loop.test': [a(name, '8.8.4.4')],
    'AAAA mx.loop.test': [],
    'MX partly.test': [mx(name, 'mx.inside.test', 10), mx(name, 'mx.partly.test', 20)],
    'A mx.partly.test': [a(name, '10.0.0.6'), a(name, '8.8.8.8')],
    'AAAA mx.partly.test': [aaaa(name, 'fe80::1')],
    'MX unsure.test': [mx(name, 'mx.inside.test', 10), mx(name, 'mx.lame.test', 20)],
    'A bare.test': [a(name, '127.0.0.1')],
    'AAAA bare.test': [],
    'MX bare.test': [],
  };
  return records[`${type} ${name}` as keyof typeof records] ?? 'NXDOMAIN';
};

describe('spec 2-messages §14 rule 1: who takes mail for a domain', () => {
  it.each([
    [
      'Mail.Test.',
      {
        kind: 'route',
        hosts: [
          { name: 'mx1.mail.test', preference: 10, addresses: ['192.0.2.1', '192.0.2.2', '2001:db8::1'] },
          { name: 'mx2.mail.test', preference: 20, addresses: ['192.0.2.3'] },
        ],
      },
    ],
    [
      'plain.test',
      { kind: 'route', hosts: [{ name: 'plain.test', preference: 0, addresses: ['192.0.2.4'] }] },
    ],
    ['half.test', { kind: 'route', hosts: [{ name: 'mx1.mail.test' }] }],
    ['null.test', { kind: 'unroutable', smtpCode: 556, enhancedStatusCode: '5.1.10' }],
    ['nowhere.test', { kind: 'unroutable', smtpCode: 550, enhancedStatusCode: '5.1.2' }],
    ['homeless.test', { kind: 'unroutable', smtpCode: 550, enhancedStatusCode: '5.1.2' }],
    ['empty.test', { kind: 'unroutable', smtpCode: 550, enhancedStatusCode: '5.1.2' }],
    ['[192.0.2.1]', { kind: 'unroutable', smtpCode: 550, enhancedStatusCode: '5.1.2' }],
    ['192.0.2.1', { kind: 'unroutable', smtpCode: 550, enhancedStatusCode: '5.1.2' }],
    ['broken.test', { kind: 'dns-failure', smtpCode: 0, enhancedStatusCode: '4.4.4' }],
    ['refused.test', { kind: 'dns-failure' }],
    ['silent.test', { kind: 'dns-failure' }],
    ['lame.test', { kind: 'dns-failure' }],
  ])('%s', async (domain, answer) => {
    const { resolver } = await start(WORLD, domain === 'silent.test' ? { timeoutMs: 100 } : {});
    expect(await resolver.resolve(domain)).toMatchObject(answer);
  });

  it('is queried again soon while our name server is unavailable, and unknown when that lasts', async () => {
    let now = 0;
    const { server, resolver } = await start(WORLD, { now: () => now });
    const after = (ms: number) => {
      now = ms;
      return resolver.resolve('mail.test');
    };
    stops.pop();
    await server.stop();
    const away = {
      kind: 'postponed',
      waitMs: 5_000,
      response: expect.stringMatching(/no name server answers$/),
    };
    expect(await after(0)).toMatchObject(away);
    expect(await after(59_000)).toMatchObject(away);
    expect(await after(65_000)).toMatchObject({ kind: 'dns-failure' });
    const again = await NameServer.start(WORLD, server.port);
    expect(await after(71_000)).toMatchObject({ kind: 'route' });
    await again.stop();
    expect(await after(500_000)).toMatchObject(away);
  });

  it('is queried once for any number of messages', async () => {
    const { server, resolver } = await start(WORLD);
    const answers = await Promise.all(Array.from({ length: 50 }, () => resolver.resolve('mail.test')));
    expect(new Set(answers.map(({ kind }) => kind))).toEqual(new Set(['route']));
    expect(server.asked.filter((question) => question === 'MX mail.test')).toHaveLength(1);
    expect(server.asked).toHaveLength(5);
  });

  it.each([
    ['plain.test', 1, 5],
    ['plain.test', 90, 90],
    ['plain.test', 90_000, 300],
    ['nowhere.test', 0, 30],
    ['broken.test', 0, 5],
  ])('%s with a TTL of %i s is kept %i s', async (domain, ttl, seconds) => {
    let now = 0;
    const zone: Zone = (name, type) =>
      name === 'plain.test' && type === 'A' ? [a(name, '192.0.2.4', ttl)] : WORLD(name, type);
    const { server, resolver } = await start(zone, { now: () => now });
    const asked = async () => {
      await resolver.resolve(domain);
      return server.asked.filter((question) => question.startsWith('MX')).length;
    };
    await asked();
    now = seconds * 1000 - 1;
    const kept = await asked();
    now = seconds * 1000;
    expect([kept, await asked()]).toEqual([1, 2]);
  });

  it('is cached for a bounded number of domains', async () => {
    const { server, resolver } = await start(WORLD, { cacheSize: 2 });
    for (const domain of ['plain.test', 'null.test', 'nowhere.test', 'null.test', 'plain.test'])
      await resolver.resolve(domain);
    expect(server.asked.filter((question) => question.startsWith('MX'))).toEqual([
      'MX plain.test',
      'MX null.test',
      'MX nowhere.test',
      'MX plain.test',
    ]);
  });

  it('is found although its name server is much slower than others', async () => {
    let questions = 0;
    const { resolver } = await start(
      (name, type) =>
        name === 'mail.test' && type === 'MX' && ++questions < 4 ? 'silence' : WORLD(name, type),
      { timeoutMs: undefined, tries: undefined },
    );
    for (let nth = 0; nth < 20; nth++) await resolver.resolve(`nowhere${nth}.test`);
    expect(await resolver.resolve('mail.test')).toMatchObject({ kind: 'route' });
  });

  it.each([
    ['answers about IPv6', { 'AAAA mx1.mail.test': 'silence' }, ['mx1.mail.test', 'mx2.mail.test']],
    [
      'knows one of its hosts',
      { 'A mx1.mail.test': 'silence', 'AAAA mx1.mail.test': 'silence' },
      ['mx2.mail.test'],
    ],
  ] as const)(
    'is found although no server %s',
    async (_what, silent: Readonly<Record<string, 'silence'>>, hosts) => {
      const zone: Zone = (name, type) => silent[`${type} ${name}`] ?? WORLD(name, type);
      // a resolver that waited for the silent ones would not be back before the test gives up
      const { resolver } = await start(zone, { timeoutMs: 600_000, lateMs: 500 });
      const result = await resolver.resolve('mail.test');
      expect(result.kind === 'route' ? result.hosts.map(({ name }) => name) : result).toEqual(hosts);
    },
  );

  it('stays unknown when the resolver is closed meanwhile', async () => {
    const { resolver } = await start(WORLD, { timeoutMs: 5_000 });
    const asked = resolver.resolve('silent.test');
    await new Promise(setImmediate);
    resolver.close();
    expect(await asked).toMatchObject({ kind: 'dns-failure' });
  });
});

describe('the group of a route', () => {
  const groupOf = async (domain: string) => {
    const { resolver } = await start(WORLD);
    const result = await resolver.resolve(domain);
    return result.kind === 'route' ? result.groupKey : result.kind;
  };

  it('is shared by domains that have the same hosts', async () => {
    expect(await groupOf('twin.test')).toBe(await groupOf('mail.test'));
    expect(await groupOf('half.test')).not.toBe(await groupOf('mail.test'));
  });

  it('is the provider, although one of its hosts has no address now', async () =>
    expect(await groupOf('shop.test')).toBe('p:google'));

  it('is no provider when one host is another one’s', async () =>
    expect(await groupOf('mixed.test')).toMatch(/^m:/));

  it('is the domain itself where it has no MX', async () =>
    expect(await groupOf('plain.test')).toBe(groupKeyOf([], 'plain.test')));
});

describe('spec 2-messages §14 rule 1: hosts that are unreachable on the internet', () => {
  const check = () => addressCheck(['8.8.4.4'], 'mail.example');

  it.each([
    [
      'inside.test',
      {
        kind: 'unroutable',
        smtpCode: 550,
        enhancedStatusCode: '5.1.2',
        response:
          'the mail host mx.inside.test of inside.test has no address on the public internet, only 10.0.0.5, ::1, ::ffff:10.0.0.5',
      },
    ],
    [
      'bare.test',
      {
        smtpCode: 550,
        enhancedStatusCode: '5.1.2',
        response:
          'the mail host bare.test of bare.test has no address on the public internet, only 127.0.0.1',
      },
    ],
    [
      'loop.test',
      {
        smtpCode: 550,
        enhancedStatusCode: '5.4.6',
        response: 'the mail host mx.loop.test of loop.test is this mail server itself (8.8.4.4)',
      },
    ],
    ['partly.test', { kind: 'route', hosts: [{ name: 'mx.partly.test', addresses: ['8.8.8.8'] }] }],
    ['unsure.test', { kind: 'dns-failure', smtpCode: 0, enhancedStatusCode: '4.4.4' }],
  ])('are refused: %s', async (domain, answer) => {
    const { resolver } = await start(WORLD, { addressCheck: check });
    expect(await resolver.resolve(domain)).toMatchObject(answer);
  });

  it('may be spoken to where the operator allows it', async () => {
    const { resolver } = await start(WORLD);
    expect(await resolver.resolve('inside.test')).toMatchObject({
      kind: 'route',
      hosts: [{ name: 'mx.inside.test', addresses: ['10.0.0.5', '::1', '::ffff:10.0.0.5'] }],
    });
  });
});
