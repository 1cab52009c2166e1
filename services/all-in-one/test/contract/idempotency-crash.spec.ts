import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { eventually, ownInstallation, unique, uniqueDomain, type Account } from './harness.js';
import { holdAccount, holdDomainCreates } from './held-account.js';
import { expectFresh, hook, KEY_BODY, keyedRequests } from './keyed-requests.js';

// Short, so that a test can wait for its end. The replays are as long as ever: a restart may take its time.
const postmesh = ownInstallation({ POSTMESH_IDEMPOTENCY_LEASE_S: '3' });

let account: Account;
beforeAll(async () => {
  account = await postmesh.newAccount();
});

const { post, retry, claims } = keyedRequests(postmesh, () => account);

describe('§4.3 and §4.4 kill -9 of the whole installation', () => {
  it('§4.3 rule 4 after a lost process the lease ends, and the request runs again', async () => {
    const hold = await holdDomainCreates(postmesh, account.id);
    const [key, body] = [unique('k'), { domain: uniqueDomain() }];
    const lost = post('{A}/domains', body, key).then(
      () => 'answered',
      () => 'cut',
    );
    await eventually(() => claims('domains', key)).toHaveLength(1);
    // between the claim and the effect
    await postmesh.installation.stop('SIGKILL');
    expect(await lost).toBe('cut');
    await hold.release();
    await postmesh.start({});
    const response = await retry('{A}/domains', body, key);
    expectFresh(response, 201);
    expect(await postmesh.sql('select 1 from domains.domains where domain = $1', [body.domain])).toHaveLength(
      1,
    );
  }, 60_000);

  it('§4.3 rule 4 killed at random moments under load: every request is done exactly once', async () => {
    const wanted = new Map<string, { name: string; url: string; scope: string }>();
    for (let round = 0; round < 2; round += 1) {
      const now = Array.from({ length: 40 }, () => [unique('k'), hook()] as const);
      for (const [key, body] of now) wanted.set(key, body);
      const sends = now.map(([key, body]) => post('{A}/webhooks', body, key).catch(() => undefined));
      await delay(5 + Math.floor(Math.random() * 120));
      await postmesh.installation.stop('SIGKILL');
      await Promise.all(sends);
      await postmesh.start({});
      const answers = await Promise.all(now.map(([key, body]) => retry('{A}/webhooks', body, key)));
      expect(answers.map(({ status }) => status)).toEqual(now.map(() => 201));
    }
    const rows = await postmesh.sql<{ name: string }>(
      'select name from webhooks.webhooks where name = any($1)',
      [[...wanted.values()].map(({ name }) => name)],
    );
    expect(rows.map(({ name }) => name).sort()).toEqual([...wanted.values()].map(({ name }) => name).sort());
  }, 120_000);

  it('§4.4 rule 3 a lost process keeps the key until the lease ends, and leaves no key behind', async () => {
    const before = await postmesh.sql('select id from accounts.api_keys where account_id = $1', [account.id]);
    const hold = await holdAccount(postmesh, account.id);
    const key = unique('k');
    const lost = post('{A}/api-keys', KEY_BODY, key).catch(() => undefined);
    await eventually(() => claims('accounts', key)).toHaveLength(1);
    await postmesh.installation.stop('SIGKILL');
    await lost;
    await hold.release();
    await postmesh.start({});
    expectFresh(await retry('{A}/api-keys', KEY_BODY, key), 201);
    const after = await postmesh.sql('select id from accounts.api_keys where account_id = $1', [account.id]);
    expect(after.length - before.length).toBe(1);
  }, 60_000);
});
