import { beforeAll, describe, expect, it } from 'vitest';
import {
  eventually,
  expectError,
  freshIp,
  ownInstallation,
  type Account,
  type ApiKey,
  type HttpResponse,
} from './harness.js';

// The burst of the contract, refilled a hundred times slower, so that accepted requests can be counted exactly.
const BURST = 200;
const postmesh = ownInstallation({
  POSTMESH_RATE_GENERAL_PER_SECOND: '1',
  POSTMESH_RATE_GENERAL_BURST: String(BURST),
});
const LIMITED = 'Too many requests, rate limited.';

let account: Account;
beforeAll(async () => {
  account = await postmesh.newAccount();
});

interface Burst {
  passed: number;
  refused: HttpResponse[];
  /** tokens that can have come in the meantime, at most */
  refilled: number;
}

async function burst(count: number, ask: (at: number) => Promise<HttpResponse>): Promise<Burst> {
  const began = Date.now();
  const answers = await Promise.all(Array.from({ length: count }, (_, at) => ask(at)));
  const refused = answers.filter(({ status }) => status === 429);
  return { passed: count - refused.length, refused, refilled: Math.ceil((Date.now() - began) / 1_000) };
}

function expectPassed({ passed, refilled }: Burst, exactly: number): void {
  expect(passed).toBeGreaterThanOrEqual(exactly);
  expect(passed).toBeLessThanOrEqual(exactly + refilled);
}

const ping = (key: ApiKey) => postmesh.api(key, 'GET', '/v2/ping');

describe('§5 rate limits', () => {
  it('§5 rule 1 all keys of an account share a bucket, every other account has its own', async () => {
    const keys = [account.key, await postmesh.newKey(account), await postmesh.newKey(account)];
    const given = await burst(BURST + 50, (at) => ping(keys[at % 3]!));
    // two tokens went to the keys that were made
    expectPassed(given, BURST - 2);
    const other = await postmesh.newAccount();
    expect((await ping(other.key)).status).toBe(200);
  });

  it('§5 rule 1 a sub-account has its own buckets', async () => {
    const parent = await postmesh.newAccount();
    const child = await postmesh.api(parent.key, 'POST', '{A}/sub-accounts', {
      body: { name: 'Child', website: 'child.test' },
    });
    const key = await postmesh.operatorKey(child.body.id, { scopes: ['*'] });
    expectPassed(await burst(BURST + 20, () => ping(parent.key)), BURST - 1);
    expectPassed(await burst(BURST + 20, () => ping(key)), BURST);
  });

  it('§5 rule 2 ping, reads, lists, members, sub-accounts, usage and errors take from one general bucket', async () => {
    const own = await postmesh.newAccount();
    const paths = [
      '/v2/ping',
      '{A}',
      '{A}/api-keys',
      '{A}/members',
      '{A}/sub-accounts',
      '{A}/sub-accounts/usage',
      '{A}/domains/unknown.test',
      '{A}/api-keys/nonsense',
    ];
    const given = await burst(BURST + 40, (at) => postmesh.api(own.key, 'GET', paths[at % paths.length]!));
    expectPassed(given, BURST);
  });

  it('§5 rule 2 a request that is refused before the rate limit takes no token of the account', async () => {
    const own = await postmesh.newAccount();
    const away = await postmesh.operatorKey(own.id, { scopes: ['*'], ip_allow_list: ['192.0.2.7'] });
    for (let at = 0; at < 50; at += 1) {
      expect((await ping(away)).status).toBe(403);
      await postmesh.api(own.key, 'GET', '/v2/nothing');
      await postmesh.api(own.key, 'GET', '/v2/accounts/nonsense');
    }
    expectPassed(await burst(BURST + 20, () => ping(own.key)), BURST);
  });

  it('§5 rule 3 200 at once pass and the 201st does not; refill is continuous', async () => {
    const own = await postmesh.newAccount();
    expectPassed(await burst(BURST, () => ping(own.key)), BURST);
    const began = Date.now();
    await eventually(async () => (await ping(own.key)).status).toBe(429);
    // one token a second comes back, not a new bucket
    await eventually(async () => (await ping(own.key)).status).toBe(200);
    const next = await burst(20, () => ping(own.key));
    expect(next.passed).toBeLessThanOrEqual(Math.ceil((Date.now() - began) / 1_000));
  });

  it('§5 rule 4 the 429 has its text, x-request-id and Retry-After, and nothing else to say', async () => {
    const own = await postmesh.newAccount();
    const { refused } = await burst(BURST + 30, () => ping(own.key));
    expect(refused.length).toBeGreaterThan(0);
    for (const response of refused) {
      expectError(response, 429, LIMITED);
      // the next token comes within a second
      expect(response.headers['retry-after']).toBe('1');
      expect(Object.keys(response.headers).filter((name) => /ratelimit|idempotent/.test(name))).toEqual([]);
    }
  });

  it('§5 rule 4 a client that waits for Retry-After passes', async () => {
    const own = await postmesh.newAccount();
    const { refused } = await burst(BURST + 5, () => ping(own.key));
    const seconds = Number(refused[0]?.headers['retry-after']);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
    expect((await ping(own.key)).status).toBe(200);
  });

  it('§5 rule 5 failed authentication is limited per client IP: 40 at once, 20 a second', async () => {
    const [clientIp, elsewhere] = [freshIp(), freshIp()];
    const began = Date.now();
    const given = await burst(120, (at) =>
      postmesh.api(at % 2 ? 'pm-sk-unknown' : null, 'GET', '/v2/ping', { clientIp }),
    );
    const refilled = Math.ceil((Date.now() - began) / 50);
    expect(given.passed).toBeGreaterThanOrEqual(40);
    expect(given.passed).toBeLessThanOrEqual(40 + refilled);
    for (const response of given.refused) {
      expectError(response, 429, LIMITED);
      expect(response.headers['retry-after']).toBe('1');
    }
    expect((await postmesh.api('pm-sk-unknown', 'GET', '/v2/ping', { clientIp: elsewhere })).status).toBe(
      401,
    );
  });

  it('§5 rule 5 a valid key is served at an address where others fail', async () => {
    const own = await postmesh.newAccount();
    const clientIp = freshIp();
    await burst(80, () => postmesh.api('pm-sk-unknown', 'GET', '/v2/ping', { clientIp }));
    expect((await postmesh.api(own.key, 'GET', '/v2/ping', { clientIp })).status).toBe(200);
  });

  it('§5 rule 5 a key of another account counts as failed, a refused address does not', async () => {
    const [own, other] = [await postmesh.newAccount(), await postmesh.newAccount()];
    const clientIp = freshIp();
    // more than twenty a second, also on a busy machine
    const foreign = await burst(240, () =>
      postmesh.api(own.key, 'GET', `/v2/accounts/${other.id}`, { clientIp }),
    );
    expect(foreign.refused.length).toBeGreaterThan(0);
    const away = await postmesh.operatorKey(own.id, { scopes: ['*'], ip_allow_list: ['192.0.2.7'] });
    const from = freshIp();
    const refused = await burst(80, () => postmesh.api(away, 'GET', '/v2/ping', { clientIp: from }));
    expect(refused.refused).toEqual([]);
  });

  it('§5 rule 6 sending has limits of its own: a send takes one token, however many recipients it has', async () => {
    const own = await postmesh.newAccount();
    const to = Array.from({ length: 50 }, (_, at) => ({ email: `r${at}@mail.test` }));
    const body = { from: { email: 'a@unknown.test' }, to, subject: 's', text_content: 't' };
    const given = await burst(BURST + 20, () =>
      postmesh.api(own.key, 'POST', '{A}/messages/conversation', { body }),
    );
    expectPassed(given, BURST);
  });
});

describe('§5 cost', () => {
  it('§5 and §2.1 rule 6: neither limits nor authentication query the database once a key is cached', async () => {
    const own = await postmesh.newAccount();
    await ping(own.key);
    const queries = async () => {
      const [row] = await postmesh.sql<{ count: number }>(
        // a key is looked up there, and limits are in no table; uses of keys are recorded meanwhile, several at once
        `select sum(seq_scan + idx_scan)::float8 as count from pg_stat_user_tables where relname = 'api_keys'`,
      );
      return row?.count ?? 0;
    };
    // statements of background work (sweeps, leases) are measured over the same time first
    const settle = () => new Promise((resolve) => setTimeout(resolve, 2_500));
    await settle();
    const start = await queries();
    await settle();
    const idle = (await queries()) - start;
    const before = await queries();
    const began = Date.now();
    await burst(1_000, () => ping(own.key));
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, 2_500 - (Date.now() - began))));
    const busy = (await queries()) - before;
    const seconds = (Date.now() - began) / 2_500;
    expect(busy - idle * seconds).toBeLessThan(100);
  });
});
