import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AccountId } from '@postmesh/contracts';
import { openDatabase, SessionMark } from '@postmesh/database';
import { createLogger } from '@postmesh/observability';
import { testDatabase } from '@postmesh/testing';
import type { DataSource } from 'typeorm';
import { Idempotency } from './idempotency.js';
import { IDEMPOTENCY_MIGRATIONS } from './idempotency.migrations.js';

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
const open = (name: string) =>
  openDatabase({
    url: database.url,
    schema: `register_${name}`,
    entities: [],
    migrations: IDEMPOTENCY_MIGRATIONS,
    poolSize: 8,
    logger: createLogger({ logLevel: 'warn' }, name),
  });

beforeAll(async () => {
  for (const name of NAMES) {
    const dataSource = await open(name);
    sources.push(dataSource);
    services[name] = new Idempotency(dataSource, SETTINGS);
  }
});
afterAll(() => Promise.all(sources.map((source) => source.destroy())));

/** Requests with one key, by the steps of the gateway. */
function requests() {
  const accountId = AccountId.parse(randomUUID());
  const id = { accountId, key: `key-${randomUUID()}` };
  /** @returns the entry; undefined: held by another service */
  const enter = async (name: Name): Promise<string | undefined> => {
    let freed: string | undefined;
    for (let round = 0; round < 3; round += 1) {
      const entered = await services.messages.enter({ ...id, home: name, freed });
      if (entered.kind === 'entered') return entered.entry;
      if (entered.kind === 'own' || !(await giveUp(entered, name))) return undefined;
      freed = entered.entry;
    }
    return undefined;
  };
  const giveUp = ({ home, entry }: { home: string; entry: string }, to: Name) =>
    services[home as Name].yield({ ...id, entry, to });
  const claimWith = async (name: Name, entry?: string) => {
    const fingerprint = await services[name].fingerprint('POST', `/v2/${name}`, Buffer.from('{}'));
    return services[name].claim({ ...id, fingerprint, mode: 'standard', entry });
  };
  const claim = async (name: Name) => {
    if (name !== 'messages') {
      const entry = await enter(name);
      return entry === undefined ? ({ kind: 'mismatch' } as const) : claimWith(name, entry);
    }
    const first = await claimWith(name);
    if (first.kind !== 'elsewhere') return first;
    if (!(await giveUp(first.holder, name))) return { kind: 'mismatch' } as const;
    await services.messages.forget({ ...id, entry: first.holder.entry });
    return claimWith(name);
  };
  const run = async (name: Name) => {
    const got = await claim(name);
    if (got.kind !== 'run') throw new Error(`expected a run of ${name}, got ${got.kind}`);
    return got.run;
  };
  return { claim, run, enter, giveUp, claimWith };
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
    const { claim, run } = requests();
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
    const { claim, run } = requests();
    await services[first].release(await run(first));
    await run(second);
    expect(await kindOf(claim(first))).toBe('mismatch');
  });

  it.each([
    ['messages', 'domains'],
    ['domains', 'messages'],
    ['domains', 'webhooks'],
  ] as const)('§4.3 rule 4 held by a process of %s that is gone it is free for %s', async (first, second) => {
    const { claim, run } = requests();
    const logger = createLogger({ logLevel: 'silent' }, first);
    const mark = new SessionMark({ url: database.url, applicationName: 'register-mark', logger });
    const source = sources[NAMES.indexOf(first)] as DataSource;
    const living = services[first];
    services[first] = new Idempotency(source, SETTINGS, mark);
    await run(first);
    services[first] = living;
    expect(await kindOf(claim(second))).toBe('mismatch');
    await mark.stop();
    await expect.poll(() => kindOf(claim(second))).toBe('run');
    expect(await kindOf(claim(first))).toBe('mismatch');
  });

  it('20 operations of three services at once: at most one runs, and the key is in order afterwards', async () => {
    const { claim } = requests();
    const claims = await Promise.all(
      Array.from({ length: 20 }, (_, nth) => claim(NAMES[nth % NAMES.length] ?? 'messages')),
    );
    expect(claims.filter(({ kind }) => kind === 'run').length).toBeLessThanOrEqual(1);
    const kinds = [];
    for (const name of NAMES) kinds.push(await kindOf(claim(name)));
    const running = claims.some(({ kind }) => kind === 'run');
    expect(kinds.filter((kind) => kind === (running ? 'in-progress' : 'run'))).toHaveLength(1);
    expect(kinds.filter((kind) => kind === 'mismatch')).toHaveLength(2);
  });

  it('a request whose key was given up on its way does not run; one with a later entry does', async () => {
    const { enter, claimWith, claim, run } = requests();
    const late = await enter('domains');
    const again = await enter('domains');
    expect(BigInt(again ?? 0)).toBeGreaterThan(BigInt(late ?? 0));
    const other = await run('webhooks');
    expect(await kindOf(claimWith('domains', late))).toBe('mismatch');
    expect(await kindOf(claimWith('domains', again))).toBe('mismatch');
    // a gateway of the release before gives no entry
    expect(await kindOf(claimWith('domains'))).toBe('elsewhere');
    await services.webhooks.release(other);
    await run('domains');
    expect(await kindOf(claim('webhooks'))).toBe('mismatch');
    expect(await kindOf(claimWith('domains', again))).toBe('in-progress');
  });

  it('a key that was given up, and then not taken, is free for its service at once', async () => {
    const { enter, giveUp, claimWith, run } = requests();
    const entry = (await enter('domains')) ?? '';
    expect(await giveUp({ home: 'domains', entry }, 'webhooks')).toBe(true);
    expect(await kindOf(claimWith('domains', entry))).toBe('mismatch');
    await run('domains');
    expect(await giveUp({ home: 'domains', entry }, 'webhooks')).toBe(false);
  });

  it('is pruned with the others', async () => {
    const { run, claim } = requests();
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
