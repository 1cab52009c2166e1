import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { AccountId } from '@postmesh/contracts';
import { openDatabase, SessionMark } from '@postmesh/database';
import { createLogger } from '@postmesh/observability';
import { testDatabaseWithClock } from '@postmesh/testing';
import type { DataSource, EntityManager } from 'typeorm';
import type { Claim, IdempotentRun } from './claims.js';
import type { IdempotencyMode } from './idempotency.rules.js';
import { Idempotency, type IdempotencySettings } from './idempotency.js';
import { IDEMPOTENCY_MIGRATIONS } from './idempotency.migrations.js';
import { pruneExpired, RunOvertaken } from './stored-responses.js';

const OLD_KEY = 'the-key-of-last-year-that-is-long-enough';
const KEY = 'the-key-of-this-year-that-is-long-enough';
const SETTINGS: IdempotencySettings = {
  idempotencyLeaseSeconds: 300,
  idempotencyTtlSeconds: 86_400,
  idempotencySecretTtlSeconds: 300,
  secretKeys: [KEY],
};
// The database's clock decides when leases and responses end.
const SHORT = 60;

const database = testDatabaseWithClock();
let dataSource: DataSource;
let idempotency: Idempotency;

const open = () =>
  openDatabase({
    url: database.url,
    schema: 'idempotency_test',
    entities: [],
    migrations: IDEMPOTENCY_MIGRATIONS,
    poolSize: 8,
    logger: createLogger({ logLevel: 'warn' }, 'idempotency-test'),
  });

beforeAll(async () => {
  dataSource = await open();
  await dataSource.query('create table effect (id uuid primary key, made_by text)');
  idempotency = new Idempotency(dataSource, SETTINGS);
});
afterAll(() => dataSource.destroy());

const withSettings = (settings: Partial<IdempotencySettings>) =>
  new Idempotency(dataSource, { ...SETTINGS, ...settings });

interface Request {
  accountId: AccountId;
  key: string;
  fingerprint: Buffer;
  mode: IdempotencyMode;
}

async function request(over: Partial<Request> & { body?: string } = {}): Promise<Request> {
  const { body = '{"name":"shop.test"}', ...rest } = over;
  return {
    accountId: AccountId.parse(randomUUID()),
    key: `key-${randomUUID()}`,
    mode: 'standard',
    fingerprint: await idempotency.fingerprint('POST', '/v2/accounts/x/domains', Buffer.from(body)),
    ...rest,
  };
}

async function runOf(claim: Promise<Claim>): Promise<IdempotentRun> {
  const got = await claim;
  if (got.kind !== 'run') throw new Error(`expected a run, got ${got.kind}`);
  return got.run;
}

const json = (status: number, body: unknown, encrypt?: boolean) => ({
  status,
  body: Buffer.from(JSON.stringify(body)),
  contentType: 'application/json',
  ...(encrypt === undefined ? {} : { encrypt }),
});

const inTransaction = (work: (manager: EntityManager) => Promise<void>) => dataSource.transaction(work);

const makeEffect = async (manager: EntityManager, by: string) => {
  const id = randomUUID();
  await manager.query('insert into effect values ($1, $2)', [id, by]);
};

async function effectsOf(by: string): Promise<number> {
  const rows: { n: number }[] = await dataSource.query(
    'select count(*)::int as n from effect where made_by = $1',
    [by],
  );
  return rows[0]?.n ?? -1;
}

async function rowOf({ key }: { key: string }): Promise<Record<string, unknown> | undefined> {
  const rows: Record<string, unknown>[] = await dataSource.query('select * from idempotency where key = $1', [
    key,
  ]);
  return rows[0];
}

/** How long its response is kept, by the clock of the database. */
async function secondsLeft({ key }: { key: string }): Promise<number> {
  const [row]: { left: number }[] = await dataSource.query(
    'select extract(epoch from expires_at - now())::float8 as left from idempotency where key = $1',
    [key],
  );
  return row?.left ?? 0;
}

const { signal: running } = new AbortController();

const passes = (seconds: number) => database.advance(seconds * 1_000);

describe('4.2 identity of a request', () => {
  it('1: the namespace is the account', async () => {
    const one = await request();
    await runOf(idempotency.claim(one));
    const other = { ...one, accountId: AccountId.parse(randomUUID()) };
    expect((await idempotency.claim(other)).kind).toBe('run');
  });

  it('1: account ids are compared without letter case', async () => {
    const one = await request();
    await runOf(idempotency.claim(one));
    const upper = { ...one, accountId: one.accountId.toUpperCase() as AccountId };
    expect((await idempotency.claim(upper)).kind).toBe('in-progress');
  });

  it('keys that differ in letter case, spaces or accents are different keys', async () => {
    const one = await request({ key: 'clé A' });
    for (const key of ['clé A', 'clé a', 'cle A', 'clé A ', 'clé  A']) {
      expect((await idempotency.claim({ ...one, key })).kind).toBe('run');
    }
  });
});

describe('4.3 states of a key', () => {
  it('none: claimed, run, and durable when it is returned', async () => {
    const one = await request();
    const run = await runOf(idempotency.claim(one));
    expect(await rowOf(one)).toMatchObject({ token: run.token, status: null });
  });

  it('is held while it is in progress or completed, and no longer', async () => {
    const one = await request();
    expect(await idempotency.isHeld(one)).toBe(false);
    const run = await runOf(idempotency.claim(one));
    expect(await idempotency.isHeld(one)).toBe(true);
    await idempotency.release(run);
    expect(await idempotency.isHeld(one)).toBe(false);
  });

  it('in progress: the same request gets the rest of the lease in whole seconds', async () => {
    const one = await request();
    await runOf(withSettings({ idempotencyLeaseSeconds: 41.99 }).claim(one));
    expect(await idempotency.claim(one)).toEqual({ kind: 'in-progress', retryAfterSeconds: 42 });
  });

  it('in progress: another request is a mismatch', async () => {
    const one = await request();
    await runOf(idempotency.claim(one));
    const other = await request({ ...one, fingerprint: (await request({ body: '{}' })).fingerprint });
    expect(await idempotency.claim(other)).toEqual({ kind: 'mismatch' });
  });

  it('completed: status and body are replayed byte for byte with the same content type', async () => {
    const one = await request();
    const run = await runOf(idempotency.claim(one));
    const response = {
      status: 202,
      body: Buffer.from([0x7b, 0, 0xff, 0xc3, 0x28, 0x7d]),
      contentType: 'x/y; z',
    };
    await inTransaction((manager) => idempotency.complete(manager, run, response));
    expect(await idempotency.claim(one)).toEqual({ kind: 'replay', ...response });
  });

  it('completed: an empty body is replayed too', async () => {
    const one = await request();
    const response = { status: 200, body: Buffer.alloc(0), contentType: 'application/json' };
    await idempotency.completeAlone(await runOf(idempotency.claim(one)), response);
    expect(await idempotency.claim(one)).toEqual({ kind: 'replay', ...response });
  });

  it('completed: another request is a mismatch', async () => {
    const one = await request();
    await idempotency.completeAlone(await runOf(idempotency.claim(one)), json(201, {}));
    const { fingerprint } = await request({ body: '{}' });
    expect(await idempotency.claim({ ...one, fingerprint })).toEqual({ kind: 'mismatch' });
  });

  it('2: response and effect are committed together or not at all', async () => {
    const one = await request();
    const run = await runOf(idempotency.claim(one));
    const lost = inTransaction(async (manager) => {
      await makeEffect(manager, one.key);
      await idempotency.complete(manager, run, json(201, {}));
      throw new Error('the commit did not come');
    });
    await expect(lost).rejects.toThrow('did not come');
    expect(await effectsOf(one.key)).toBe(0);
    expect((await idempotency.claim(one)).kind).toBe('in-progress');
    await idempotency.release(run);
    expect((await idempotency.claim(one)).kind).toBe('run');
  });

  it.each([400, 403, 404, 409])('2: a %i is stored and replayed', async (status) => {
    const one = await request();
    const stored = await idempotency.completeAlone(
      await runOf(idempotency.claim(one)),
      json(status, { message: 'm' }),
    );
    expect(stored).toBe(true);
    expect(await idempotency.claim(one)).toMatchObject({ kind: 'replay', status });
  });

  it.each([500, 503])('3: a %i releases the key: a retry at once runs again', async (status) => {
    const one = await request();
    await idempotency.completeAlone(await runOf(idempotency.claim(one)), json(status, {}));
    expect(await rowOf(one)).toBeUndefined();
    expect((await idempotency.claim(one)).kind).toBe('run');
  });

  it('3: a released key may be claimed by another request', async () => {
    const one = await request();
    await idempotency.release(await runOf(idempotency.claim(one)));
    const { fingerprint } = await request({ body: '{}' });
    expect((await idempotency.claim({ ...one, fingerprint })).kind).toBe('run');
  });

  it('3: releasing a completed run keeps its response', async () => {
    const one = await request();
    const run = await runOf(idempotency.claim(one));
    await inTransaction((manager) => idempotency.complete(manager, run, json(201, {})));
    await idempotency.release(run);
    expect((await idempotency.claim(one)).kind).toBe('replay');
  });

  it('3: a 5xx is rejected as the response of an effect', async () => {
    const run = await runOf(idempotency.claim(await request()));
    await expect(
      inTransaction((manager) => idempotency.complete(manager, run, json(500, {}))),
    ).rejects.toThrow(RangeError);
  });

  it('4: the key of a process that dies between claim and effect is released when the lease ends', async () => {
    const one = await request();
    const first = await open();
    await runOf(new Idempotency(first, { ...SETTINGS, idempotencyLeaseSeconds: SHORT }).claim(one));
    await first.destroy();
    expect((await idempotency.claim(one)).kind).toBe('in-progress');
    await passes(SHORT);
    expect((await idempotency.claim(one)).kind).toBe('run');
  });

  it('4: after the lease another request may take the key', async () => {
    const one = await request();
    await runOf(withSettings({ idempotencyLeaseSeconds: SHORT }).claim(one));
    await passes(SHORT);
    const { fingerprint } = await request({ body: '{}' });
    expect((await idempotency.claim({ ...one, fingerprint })).kind).toBe('run');
    expect((await idempotency.claim(one)).kind).toBe('mismatch');
  });

  it('5: the replay ends; then the same key runs a new operation', async () => {
    const short = withSettings({ idempotencyTtlSeconds: SHORT });
    const one = await request();
    await short.completeAlone(await runOf(short.claim(one)), json(201, { n: 1 }));
    expect((await short.claim(one)).kind).toBe('replay');
    await passes(SHORT);
    const again = await runOf(short.claim(one));
    expect(await rowOf(one)).toMatchObject({ status: null, body: null, token: again.token });
  });

  it('5: the replay is counted from completion, not from the claim', async () => {
    const short = withSettings({ idempotencyTtlSeconds: SHORT });
    const one = await request();
    const run = await runOf(short.claim(one));
    await passes(SHORT + 1);
    await short.completeAlone(run, json(201, {}));
    expect((await short.claim(one)).kind).toBe('replay');
  });

  it('6: an overtaken run cannot overwrite, and its effect is rolled back', async () => {
    const one = await request();
    const late = await runOf(withSettings({ idempotencyLeaseSeconds: SHORT }).claim(one));
    await passes(SHORT);
    const taker = await runOf(idempotency.claim(one));
    const tooLate = inTransaction(async (manager) => {
      await makeEffect(manager, one.key);
      await idempotency.complete(manager, late, json(201, { by: 'late' }));
    });
    await expect(tooLate).rejects.toBeInstanceOf(RunOvertaken);
    expect(await effectsOf(one.key)).toBe(0);

    expect(await idempotency.completeAlone(late, json(400, {}))).toBe(false);
    await idempotency.release(late);
    expect((await idempotency.claim(one)).kind).toBe('in-progress');

    await inTransaction((manager) => idempotency.complete(manager, taker, json(201, { by: 'taker' })));
    await expect(
      inTransaction((manager) => idempotency.complete(manager, late, json(201, { by: 'late' }))),
    ).rejects.toBeInstanceOf(RunOvertaken);
    const replay = await idempotency.claim(one);
    expect(replay).toMatchObject({ kind: 'replay', body: Buffer.from('{"by":"taker"}') });
  });

  it('6: a run past its lease that was not overtaken still completes', async () => {
    const one = await request();
    const late = await runOf(withSettings({ idempotencyLeaseSeconds: SHORT }).claim(one));
    await passes(SHORT);
    await inTransaction((manager) => idempotency.complete(manager, late, json(201, {})));
    expect((await idempotency.claim(one)).kind).toBe('replay');
  });

  it('6: a late run that is just committing wins over a claim, which does not wait for it', async () => {
    const one = await request();
    const late = await runOf(withSettings({ idempotencyLeaseSeconds: SHORT }).claim(one));
    await passes(SHORT);
    await inTransaction(async (manager) => {
      await idempotency.complete(manager, late, json(201, { by: 'late' }));
      expect(await idempotency.claim(one)).toEqual({ kind: 'in-progress', retryAfterSeconds: 1 });
    });
    expect(await idempotency.claim(one)).toMatchObject({ kind: 'replay' });
  });

  it('in progress: a claim does not wait for the open transaction of the run', async () => {
    const one = await request();
    const run = await runOf(idempotency.claim(one));
    await inTransaction(async (manager) => {
      await idempotency.complete(manager, run, json(201, {}));
      expect((await idempotency.claim(one)).kind).toBe('in-progress');
    });
  });

  it('6: completing twice is an error, not a second response', async () => {
    const one = await request();
    const run = await runOf(idempotency.claim(one));
    await idempotency.completeAlone(run, json(201, { n: 1 }));
    expect(await idempotency.completeAlone(run, json(201, { n: 2 }))).toBe(false);
    expect(await idempotency.claim(one)).toMatchObject({ body: Buffer.from('{"n":1}') });
  });

  it.each([401, 413, 415, 429])('8: a %i leaves the key untouched', async (status) => {
    const one = await request();
    await idempotency.completeAlone(await runOf(idempotency.claim(one)), json(status, {}));
    expect(await rowOf(one)).toBeUndefined();
  });

  it('9: of 20 identical requests at once exactly one runs', async () => {
    const one = await request();
    const claims = await Promise.all(Array.from({ length: 20 }, () => idempotency.claim(one)));
    expect(claims.filter(({ kind }) => kind === 'run')).toHaveLength(1);
    const others = claims.filter(({ kind }) => kind !== 'run');
    expect(new Set(others.map(({ kind }) => kind))).toEqual(new Set(['in-progress']));
    // a claim may come more than a second later
    for (const other of others) expect([299, 300]).toContain(Reflect.get(other, 'retryAfterSeconds'));
  });

  it('9: also in different processes, and when the lease of a dead run has just ended', async () => {
    const second = await open();
    const elsewhere = new Idempotency(second, SETTINGS);
    for (const before of ['fresh', 'expired']) {
      const one = await request();
      if (before === 'expired') {
        await runOf(withSettings({ idempotencyLeaseSeconds: SHORT }).claim(one));
        await passes(SHORT);
      }
      const claims = await Promise.all(
        Array.from({ length: 20 }, (_, n) => (n % 2 ? idempotency : elsewhere).claim(one)),
      );
      expect(claims.filter(({ kind }) => kind === 'run')).toHaveLength(1);
      expect(claims.filter(({ kind }) => kind === 'in-progress')).toHaveLength(19);
    }
    await second.destroy();
  });

  it('9: of different requests with one key at once one runs, its twins wait, the others mismatch', async () => {
    const one = await request();
    const { fingerprint } = await request({ body: '{}' });
    const claims = await Promise.all([one, { ...one, fingerprint }, one].map((r) => idempotency.claim(r)));
    expect(claims.map(({ kind }) => kind)).toEqual(['run', 'mismatch', 'in-progress']);
  });
});

describe('4.3 rule 4 the process of a run is gone', () => {
  const marks: SessionMark[] = [];
  afterEach(() => Promise.all(marks.splice(0).map((mark) => mark.stop())));

  /** A process as in a service. */
  function startProcess(applicationName = 'idempotency-test-mark') {
    const logger = createLogger({ logLevel: 'silent' }, 'idempotency-test');
    const mark = new SessionMark({ url: database.url, applicationName, logger });
    marks.push(mark);
    return { mark, claims: new Idempotency(dataSource, SETTINGS, mark) };
  }
  const isGone = async (number: number | null) => {
    const rows: unknown[] = await dataSource.query(
      `select from pg_locks where locktype = 'advisory' and objid = $1
         and database = (select oid from pg_database where datname = current_database())`,
      [number],
    );
    return rows.length === 0;
  };
  /** The effect of PostgreSQL noticing that the process has ended. */
  async function end({ mark }: { mark: SessionMark }): Promise<void> {
    const number = await mark.current();
    await mark.stop();
    await expect.poll(() => isGone(number)).toBe(true);
  }

  /** As superuser: the role of a service may not. */
  async function endSessions(applicationName: string): Promise<void> {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query('select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1', [
      applicationName,
    ]);
    await client.end();
  }

  it('then a retry runs again at once, and not before; also with another request', async () => {
    const process = startProcess();
    const [one, two] = [await request(), await request()];
    await runOf(process.claims.claim(one));
    await runOf(process.claims.claim(two));
    expect(await idempotency.claim(one)).toEqual({ kind: 'in-progress', retryAfterSeconds: 5 });
    expect(await idempotency.isHeld(one)).toBe(true);
    await end(process);
    expect(await idempotency.isHeld(one)).toBe(false);
    expect((await idempotency.claim(one)).kind).toBe('run');
    const { fingerprint } = await request({ body: '{}' });
    expect((await idempotency.claim({ ...two, fingerprint })).kind).toBe('run');
  });

  it('of 20 retries at once exactly one runs, and its own process keeps it', async () => {
    const [dead, living] = [startProcess(), startProcess()];
    const one = await request();
    await runOf(dead.claims.claim(one));
    await end(dead);
    const claims = await Promise.all(Array.from({ length: 20 }, () => living.claims.claim(one)));
    expect(claims.map(({ kind }) => kind).sort()).toEqual([...Array(19).fill('in-progress'), 'run']);
    expect((await idempotency.claim(one)).kind).toBe('in-progress');
  });

  it('its response stays when it had ended', async () => {
    const process = startProcess();
    const one = await request();
    const run = await runOf(process.claims.claim(one));
    await inTransaction((manager) => process.claims.complete(manager, run, json(201, { n: 1 })));
    await end(process);
    expect(await idempotency.claim(one)).toMatchObject({ kind: 'replay', status: 201 });
  });

  it('a run that lives on without its session is fenced: its effect is rolled back', async () => {
    const process = startProcess();
    const one = await request();
    const late = await runOf(process.claims.claim(one));
    await end(process);
    const taker = await runOf(idempotency.claim(one));
    const tooLate = inTransaction(async (manager) => {
      await makeEffect(manager, one.key);
      await idempotency.complete(manager, late, json(201, { by: 'late' }));
    });
    await expect(tooLate).rejects.toBeInstanceOf(RunOvertaken);
    expect(await effectsOf(one.key)).toBe(0);
    await inTransaction((manager) => idempotency.complete(manager, taker, json(201, { by: 'taker' })));
  });

  it('a transaction that is just committing wins over a retry, which does not wait for it', async () => {
    const process = startProcess();
    const one = await request();
    const run = await runOf(process.claims.claim(one));
    await inTransaction(async (manager) => {
      await idempotency.complete(manager, run, json(201, {}));
      await end(process);
      expect((await idempotency.claim(one)).kind).toBe('in-progress');
    });
    expect((await idempotency.claim(one)).kind).toBe('replay');
  });

  it('§4.4 rule 2 the key of a create with a secret stays until its lease ends: it may have been refused', async () => {
    const process = startProcess();
    const one = await request({ mode: 'secret' });
    const run = await runOf(process.claims.claim(one));
    await process.claims.completeAlone(run, json(400, {}));
    await end(process);
    expect((await idempotency.claim(one)).kind).toBe('in-progress');
  });

  it('a process whose session was cut opens a new one soon, and its new runs stay held', async () => {
    const process = startProcess('idempotency-test-cut');
    const [old, fresh] = [await request(), await request()];
    await runOf(process.claims.claim(old));
    const before = await process.mark.current();
    await endSessions('idempotency-test-cut');
    await expect.poll(() => process.mark.current()).toSatisfy((now) => now !== null && now !== before);
    expect((await idempotency.claim(old)).kind).toBe('run');
    await runOf(process.claims.claim(fresh));
    expect((await idempotency.claim(fresh)).kind).toBe('in-progress');
  });
});

describe('4.3 groups', () => {
  it('claims and completes many keys, each with its own outcome', async () => {
    const accountId = AccountId.parse(randomUUID());
    const requests = await Promise.all(Array.from({ length: 1_200 }, () => request({ accountId })));
    const runs = await Promise.all(requests.map((one) => runOf(idempotency.claim(one))));
    await inTransaction((manager) =>
      idempotency.completeMany(
        manager,
        runs.map((run, n) => ({ run, response: json(n % 2 ? 202 : 404, { n }) })),
      ),
    );
    const replays = await Promise.all(requests.map((one) => idempotency.claim(one)));
    replays.forEach((replay, n) => {
      expect(replay).toMatchObject({ kind: 'replay', status: n % 2 ? 202 : 404 });
      expect(replay).toMatchObject({ body: Buffer.from(JSON.stringify({ n })) });
    });
  });

  it('6: one overtaken run among many rolls the whole transaction back', async () => {
    const [good, bad] = [await request(), await request()];
    const run = await runOf(idempotency.claim(good));
    const late = await runOf(withSettings({ idempotencyLeaseSeconds: SHORT }).claim(bad));
    await passes(SHORT);
    await runOf(idempotency.claim(bad));
    const both = [run, late].map((one) => ({ run: one, response: json(202, {}) }));
    await expect(inTransaction((manager) => idempotency.completeMany(manager, both))).rejects.toMatchObject({
      overtaken: 1,
      kind: 'transient',
    });
    expect((await idempotency.claim(good)).kind).toBe('in-progress');
  });

  it('a claim whose reply was lost is still its own when it is repeated', async () => {
    const one = await request();
    const real = dataSource.query.bind(dataSource);
    let lost = false;
    const flaky = Object.create(dataSource, {
      query: {
        value: async (...args: Parameters<typeof real>) => {
          const rows = await real(...args);
          if (!lost && (lost = true)) throw new Error('connection lost after the commit');
          return rows;
        },
      },
    });
    const twin = await request();
    const claims = new Idempotency(flaky, SETTINGS);
    const got = await Promise.all([claims.claim(one), claims.claim(twin)]);
    expect(got.map(({ kind }) => kind)).toEqual(['run', 'run']);
  });
});

describe('4.4 creates whose response holds an API key', () => {
  const created = { id: 'k1', secret_key: 'pm-sk-very-secret' };

  it('1: a 201 is stored encrypted and replayed with the same secret for 5 minutes', async () => {
    const one = await request({ mode: 'secret' });
    const run = await runOf(idempotency.claim(one));
    await inTransaction((manager) => idempotency.complete(manager, run, json(201, created)));
    expect(String((await rowOf(one))?.['body'])).not.toContain('very-secret');
    const left = await secondsLeft(one);
    expect(left).toBeGreaterThan(290);
    expect(left).toBeLessThanOrEqual(300);
    expect(await idempotency.claim(one)).toEqual({ kind: 'replay', ...json(201, created) });
  });

  it('1: afterwards the record is gone and the secret cannot be read again', async () => {
    const short = withSettings({ idempotencySecretTtlSeconds: SHORT });
    const one = await request({ mode: 'secret' });
    await short.completeAlone(await runOf(short.claim(one)), json(201, created));
    await passes(SHORT);
    expect(await short.prune(running)).toBeGreaterThanOrEqual(1);
    expect(await rowOf(one)).toBeUndefined();
    expect((await short.claim(one)).kind).toBe('run');
  });

  it('1: account id and key are associated data: a row moved to another key does not open', async () => {
    const [from, to] = [await request({ mode: 'secret' }), await request({ mode: 'secret' })];
    await idempotency.completeAlone(await runOf(idempotency.claim(from)), json(201, created));
    await dataSource.query('update idempotency set key = $1, account_id = $2 where key = $3', [
      to.key,
      to.accountId,
      from.key,
    ]);
    await expect(idempotency.claim(to)).rejects.toThrow(/no key of POSTMESH_SECRET_KEYS/);
  });

  it('2: a 4xx is not stored and does not release the key until the lease ends', async () => {
    const short = withSettings({ idempotencyLeaseSeconds: SHORT });
    const one = await request({ mode: 'secret' });
    const run = await runOf(short.claim(one));
    await short.completeAlone(run, json(400, { message: 'label is required' }));
    expect(await short.claim(one)).toMatchObject({ kind: 'in-progress' });
    await passes(SHORT);
    expect((await short.claim(one)).kind).toBe('run');
  });

  it('3: a 5xx releases the key at once', async () => {
    const one = await request({ mode: 'secret' });
    await idempotency.completeAlone(await runOf(idempotency.claim(one)), json(500, {}));
    expect((await idempotency.claim(one)).kind).toBe('run');
  });

  it('4: a response with a one-time secret follows the 24 h rule, encrypted', async () => {
    const one = await request();
    const response = json(201, { password: 'hush-hush', name: 'Müller ✉' }, true);
    await idempotency.completeAlone(await runOf(idempotency.claim(one)), response);
    const row = await rowOf(one);
    expect(String(row?.['body'])).not.toContain('hush-hush');
    expect(await secondsLeft(one)).toBeGreaterThan(86_000);
    const { encrypt: _, ...sent } = response;
    expect(await idempotency.claim(one)).toEqual({ kind: 'replay', ...sent });
  });

  it('rotation: a response encrypted by an older key is still replayed, new ones use the first key', async () => {
    const one = await request({ mode: 'secret' });
    const before = withSettings({ secretKeys: [OLD_KEY] });
    await before.completeAlone(await runOf(before.claim(one)), json(201, created));
    expect((await withSettings({ secretKeys: [KEY, OLD_KEY] }).claim(one)).kind).toBe('replay');
    await expect(withSettings({ secretKeys: [KEY] }).claim(one)).rejects.toThrow(/no key/);
  });
});

describe('prune', () => {
  it('deletes expired records and no others', async () => {
    const brief = withSettings({ idempotencyTtlSeconds: SHORT, idempotencyLeaseSeconds: SHORT });
    const [over, open, alive] = [await request(), await request(), await request()];
    await brief.completeAlone(await runOf(brief.claim(over)), json(201, {}));
    const late = await runOf(brief.claim(open));
    await idempotency.completeAlone(await runOf(idempotency.claim(alive)), json(201, {}));
    await passes(SHORT);
    await idempotency.prune(running);
    expect(await rowOf(open)).toBeDefined();
    await idempotency.completeAlone(late, json(201, {}));

    await passes(SHORT);
    await brief.prune(running);
    expect(await rowOf(over)).toBeUndefined();
    expect(await rowOf(alive)).toBeDefined();
    expect((await idempotency.claim(open)).kind).toBe('replay');
  });

  const OVER = `insert into idempotency (account_id, key, fingerprint, token, secret, claimed_at, expires_at)
    select $1, n::text, '', gen_random_uuid(), false, now() - interval '3 days', now() - interval '2 days'
    from generate_series(1, $2::int) n`;

  it('leaves no expired record, whatever their number', async () => {
    const accountId = randomUUID();
    await dataSource.query(OVER, [accountId, 25_000]);
    expect(await idempotency.prune(running)).toBeGreaterThanOrEqual(25_000);
    expect(await dataSource.query('select from idempotency where account_id = $1', [accountId])).toEqual([]);
  });

  it('deletes in pieces, and skips locked records', async () => {
    const accountId = randomUUID();
    await dataSource.query(OVER, [accountId, 1_005]);
    const real = dataSource.query.bind(dataSource);
    const pieces: number[] = [];
    const counting = Object.create(dataSource, {
      query: {
        value: async (...args: Parameters<typeof real>) => {
          const rows = await real(...args);
          pieces.push(rows[0].rows);
          return rows;
        },
      },
    });
    const prune = () =>
      pruneExpired(counting, {
        leaseSeconds: 300,
        ttlSeconds: 86_400,
        secretTtlSeconds: 300,
        piece: 10,
        signal: running,
      });
    await inTransaction(async (manager) => {
      await manager.query(`select from idempotency where account_id = $1 and key = '500' for update`, [
        accountId,
      ]);
      expect(await prune()).toBe(1_004);
    });
    expect(Math.max(...pieces)).toBe(10);
    expect(pieces.length).toBeGreaterThan(100);
    expect(await prune()).toBe(1);
  });
});
