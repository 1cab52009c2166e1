import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AccountId, Transient } from '@postmesh/contracts';
import { openDatabase, SessionMark } from '@postmesh/database';
import { createLogger } from '@postmesh/observability';
import { testDatabase } from '@postmesh/testing';
import type { DataSource } from 'typeorm';
import { Idempotency, IDEMPOTENCY_MIGRATIONS, type Elsewhere } from './index.js';

const SETTINGS = {
  idempotencyLeaseSeconds: 300,
  idempotencyTtlSeconds: 86_400,
  idempotencySecretTtlSeconds: 300,
  secretKeys: ['the-key-of-this-year-that-is-long-enough'],
};
const NAMES = ['messages', 'domains', 'webhooks'] as const;
type Name = (typeof NAMES)[number];

const database = testDatabase();
const sources: DataSource[] = [];
const services = {} as Record<Name, Idempotency>;
/** services that do not reply now */
const away = new Set<string>();
/** every query between services */
let asked: string[] = [];

const open = (name: string) =>
  openDatabase({
    url: database.url,
    schema: `register_${name}`,
    entities: [],
    migrations: IDEMPOTENCY_MIGRATIONS,
    poolSize: 8,
    logger: createLogger({ logLevel: 'warn' }, name),
  });

/** As service-host connects them, without HTTP. */
function elsewhere(name: Name): Elsewhere {
  const ask = (other: string): Idempotency => {
    asked.push(`${name} asks ${other}`);
    if (away.has(other)) throw new Transient(`${other} is away`);
    return services[other as Name];
  };
  const isHeld: Elsewhere['isHeld'] = async (home, request) => ask(home).isHeld(request);
  if (name === 'messages') return { isHeld };
  return { isHeld, reserve: async (given) => ask('messages').reserve({ ...given, home: name }) };
}

beforeAll(async () => {
  for (const name of NAMES) {
    const dataSource = await open(name);
    sources.push(dataSource);
    services[name] = new Idempotency(dataSource, SETTINGS, elsewhere(name));
  }
});
afterAll(() => Promise.all(sources.map((source) => source.destroy())));

async function requests() {
  asked = [];
  const accountId = AccountId.parse(randomUUID());
  const key = `key-${randomUUID()}`;
  const claim = async (name: Name) => {
    const fingerprint = await services[name].fingerprint('POST', `/v2/${name}`, Buffer.from('{}'));
    return services[name].claim({ accountId, key, fingerprint, mode: 'standard' });
  };
  const run = async (name: Name) => {
    const got = await claim(name);
    if (got.kind !== 'run') throw new Error(`expected a run of ${name}, got ${got.kind}`);
    return got.run;
  };
  return { claim, run };
}

const ANSWER = { status: 201, body: Buffer.from('{}'), contentType: 'application/json' };
const kindOf = async (claim: Promise<{ kind: string }>) => (await claim).kind;

describe('§4.2 rule 1 a key is its account’s, whichever service the operation is of', () => {
  it.each([
    ['messages', 'domains'],
    ['domains', 'messages'],
    ['domains', 'webhooks'],
    ['webhooks', 'domains'],
  ] as const)('held by %s it is a mismatch at %s, in progress and completed', async (first, second) => {
    const { claim, run } = await requests();
    const held = await run(first);
    expect(await kindOf(claim(second))).toBe('mismatch');
    await services[first].completeAlone(held, ANSWER);
    expect(await kindOf(claim(second))).toBe('mismatch');
    // the rejected claim left no record, and the first one's response is stored
    expect(await kindOf(claim(second))).toBe('mismatch');
    expect(await kindOf(claim(first))).toBe('replay');
  });

  it.each([
    ['messages', 'domains'],
    ['domains', 'messages'],
    ['domains', 'webhooks'],
  ] as const)('released by %s it is free for %s, and then no longer for the first', async (first, second) => {
    const { claim, run } = await requests();
    await services[first].release(await run(first));
    await run(second);
    expect(await kindOf(claim(first))).toBe('mismatch');
  });

  it.each([
    ['messages', 'domains'],
    ['domains', 'messages'],
    ['domains', 'webhooks'],
  ] as const)('§4.3 rule 4 held by a process of %s that is gone it is free for %s', async (first, second) => {
    const { claim, run } = await requests();
    const logger = createLogger({ logLevel: 'silent' }, first);
    const mark = new SessionMark({ url: database.url, applicationName: 'register-mark', logger });
    const source = sources[NAMES.indexOf(first)] as DataSource;
    const living = services[first];
    services[first] = new Idempotency(source, SETTINGS, elsewhere(first), mark);
    await run(first);
    services[first] = living;
    expect(await kindOf(claim(second))).toBe('mismatch');
    await mark.stop();
    await expect.poll(() => kindOf(claim(second))).toBe('run');
    expect(await kindOf(claim(first))).toBe('mismatch');
  });

  it('costs sends no query, and other creates one', async () => {
    const one = await requests();
    await one.run('messages');
    expect(asked).toEqual([]);
    const other = await requests();
    await other.run('domains');
    expect(asked).toEqual(['domains asks messages']);
    expect(await kindOf(other.claim('domains'))).toBe('in-progress');
    expect(asked).toEqual(['domains asks messages']);
  });

  it('20 operations of three services at once: exactly one runs', async () => {
    const { claim } = await requests();
    const claims = await Promise.all(
      Array.from({ length: 20 }, (_, nth) => claim(NAMES[nth % NAMES.length] ?? 'messages')),
    );
    expect(claims.filter(({ kind }) => kind === 'run')).toHaveLength(1);
  });

  it('while the register is unavailable no operation runs, and no key stays claimed', async () => {
    const { claim, run } = await requests();
    away.add('messages');
    await expect(claim('domains')).rejects.toThrow('messages is away');
    away.clear();
    await run('domains');
  });

  it('while the home is unavailable no other service gets a result for the key', async () => {
    const { claim, run } = await requests();
    await run('domains');
    away.add('domains');
    await expect(claim('messages')).rejects.toThrow('domains is away');
    await expect(claim('webhooks')).rejects.toThrow('domains is away');
    away.clear();
    expect(await kindOf(claim('webhooks'))).toBe('mismatch');
  });

  it('is pruned with the others', async () => {
    const { run, claim } = await requests();
    await run('domains');
    for (const source of sources) {
      await source.query(
        `update idempotency set claimed_at = now() - interval '30 hours', expires_at = now() - interval '1 hour'`,
      );
    }
    for (const name of NAMES)
      expect(await services[name].prune(new AbortController().signal)).toBeGreaterThanOrEqual(0);
    const [left] = await (sources[0] as DataSource).query('select count(*)::int as rows from idempotency');
    expect(left.rows).toBe(0);
    expect(await kindOf(claim('messages'))).toBe('run');
  });
});
