import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CAresResolver } from './c-ares.resolver.js';
import { DnsBudget } from './dns-budget.js';
import { startTestDnsServer, type TestDnsServer } from '../testing/test-dns-server.js';

let first: TestDnsServer;
let second: TestDnsServer;
let plain: TestDnsServer;
let resolver: CAresResolver;

// The timeout of a silent server, and of the one that answers after it.
const SOME_TIME = { timeoutMs: 1_000 };
// Timeouts for servers that all answer, and for servers that are all silent.
const LONG = { timeoutMs: 10_000 };
const SHORT = { timeoutMs: 200 };

beforeAll(async () => {
  first = await startTestDnsServer();
  second = await startTestDnsServer();
  plain = await startTestDnsServer({ chases: false });
});
beforeEach(() => {
  for (const server of [first, second, plain]) server.clear();
  resolver = new CAresResolver({ servers: [first.address, second.address], ...SOME_TIME });
});
afterAll(() => Promise.all([first, second, plain].map((server) => server.close())));

describe('a look-up', () => {
  it('finds a text, joined from its strings', async () => {
    first.set('TXT', 'a.test', 'x'.repeat(300), 'second');
    expect(await resolver.txt('a.test')).toEqual({ kind: 'found', values: ['x'.repeat(300), 'second'] });
  });

  it('sees a change at once, whatever the TTL', async () => {
    first.set('TXT', 'a.test', 'old');
    await resolver.txt('a.test');
    first.set('TXT', 'a.test', 'new');
    expect(await resolver.txt('a.test')).toEqual({ kind: 'found', values: ['new'] });
  });

  it('answers none for a missing name and for a missing type, from one server alone', async () => {
    first.set('MX', 'a.test', '10 mx.a.test');
    expect(await resolver.txt('gone.test')).toEqual({ kind: 'none' });
    expect(await resolver.txt('a.test')).toEqual({ kind: 'none' });
    expect(second.questions).toEqual([]);
  });

  it('answers none for a name that cannot exist', async () => {
    expect(await resolver.txt(`${'x'.repeat(64)}.test`)).toEqual({ kind: 'none' });
  });

  it('finds mail exchangers and aliases in normal form', async () => {
    first.set('MX', 'a.test', '10 MX.a.test');
    first.set('CNAME', 'www.a.test', 'Target.Svc.test');
    expect(await resolver.mx('a.test')).toEqual({
      kind: 'found',
      values: [{ preference: 10, exchange: 'mx.a.test' }],
    });
    expect(await resolver.cname('www.a.test')).toEqual({ kind: 'found', values: ['target.svc.test'] });
  });
});

describe('resolvers are tried in turn', () => {
  it.each(['servfail', 'refused', 'silent'] as const)('after %s the next one is queried', async (mishap) => {
    first.misbehave('*', mishap);
    second.set('TXT', 'a.test', 'from the second');
    expect(await resolver.txt('a.test')).toEqual({ kind: 'found', values: ['from the second'] });
  });

  it('the one that answered is queried first the next time', async () => {
    first.misbehave('*', 'servfail');
    second.set('TXT', 'a.test', 'x');
    await resolver.txt('a.test');
    first.questions.length = 0;
    await resolver.txt('a.test');
    expect(first.questions).toEqual([]);
  });

  it.each(['servfail', 'silent'] as const)('%s from all of them is inconclusive', async (mishap) => {
    first.misbehave('a.test', mishap);
    second.misbehave('a.test', mishap);
    const hasty = new CAresResolver({ servers: [first.address, second.address], ...SHORT });
    expect(await hasty.txt('a.test')).toMatchObject({ kind: 'unknown' });
  });

  it('a lone server is queried twice', async () => {
    const lone = new CAresResolver({ servers: [first.address], ...SHORT });
    first.misbehave('a.test', 'silent');
    expect(await lone.txt('a.test')).toMatchObject({ kind: 'unknown' });
    expect(first.questions).toEqual(['TXT a.test', 'TXT a.test']);
  });

  it('a port without a listener is inconclusive', async () => {
    const gone = await startTestDnsServer();
    await gone.close();
    const lone = new CAresResolver({ servers: [gone.address], ...SHORT });
    expect(await lone.cname('a.test')).toMatchObject({ kind: 'unknown' });
  });
});

describe('truncated answers', () => {
  it('are retried over TCP', async () => {
    const long = 'y'.repeat(2_000);
    first.set('TXT', 'a.test', long);
    first.misbehave('a.test', 'truncated');
    expect(await resolver.txt('a.test')).toEqual({ kind: 'found', values: [long] });
    expect(first.questions).toEqual(['TXT a.test', 'TXT a.test/tcp']);
  });
});

describe('CNAME chains', () => {
  it.each(['a resolver that walks them', 'a server that does not'])('are followed by %s', async (kind) => {
    const server = kind.startsWith('a resolver') ? first : plain;
    server.set('CNAME', 'a.test', 'b.test');
    server.set('CNAME', 'b.test', 'c.test');
    server.set('TXT', 'c.test', 'the end');
    const asked = new CAresResolver({ servers: [server.address], ...LONG });
    expect(await asked.txt('a.test')).toEqual({ kind: 'found', values: ['the end'] });
    expect(await asked.cname('a.test')).toEqual({ kind: 'found', values: ['b.test'] });
  });

  it('that loop or end without a target hold no record', async () => {
    const asked = new CAresResolver({ servers: [plain.address], ...LONG });
    plain.set('CNAME', 'a.test', 'b.test');
    plain.set('CNAME', 'b.test', 'a.test');
    plain.set('CNAME', 'c.test', 'gone.test');
    expect(await asked.txt('a.test')).toEqual({ kind: 'none' });
    expect(await asked.txt('c.test')).toEqual({ kind: 'none' });
  });
});

describe('a bounded time for look-ups', () => {
  it('sends each query once', async () => {
    first.set('TXT', 'a.test', 'x');
    await DnsBudget.within(5_000, resolver, (dns) => Promise.all([dns.txt('a.test'), dns.txt('a.test')]));
    expect(first.questions).toEqual(['TXT a.test']);
  });

  it('makes every open query unknown when it is over', async () => {
    first.misbehave('*', 'silent');
    second.misbehave('*', 'silent');
    const slow = new CAresResolver({ servers: [first.address, second.address], timeoutMs: 5_000 });
    const answers = await DnsBudget.within(50, slow, async (dns) => [
      await dns.txt('a.test'),
      await dns.mx('b.test'),
    ]);
    const reason = { kind: 'unknown', reason: 'out of time' };
    expect(answers).toEqual([reason, reason]);
  });
});

describe('each resolver alone', () => {
  it('gives its own answer, independent of the others', async () => {
    first.set('TXT', 'a.test', 'old');
    second.set('TXT', 'a.test', 'new');
    await resolver.txt('a.test');
    expect(await resolver.eachResolver((dns) => dns.txt('a.test'))).toEqual([
      { resolver: first.address, answer: { kind: 'found', values: ['old'] } },
      { resolver: second.address, answer: { kind: 'found', values: ['new'] } },
    ]);
  });

  it('is unknown where it does not answer, and no other replaces it', async () => {
    first.set('TXT', 'a.test', 'x');
    second.misbehave('*', 'silent');
    const [one, other] = await resolver.eachResolver((dns) => dns.txt('a.test'));
    expect([one?.answer.kind, other?.answer.kind]).toEqual(['found', 'unknown']);
    expect(other?.answer).toMatchObject({ reason: `${second.address}: no answer in time` });
  });

  it('counts once, however often it is configured', async () => {
    const twice = new CAresResolver({ servers: [first.address, first.address], ...LONG });
    expect(await twice.eachResolver((dns) => dns.txt('a.test'))).toHaveLength(1);
  });
});
