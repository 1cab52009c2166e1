import { beforeAll, describe, expect, it } from 'vitest';
import {
  eventually,
  expectError,
  ownInstallation,
  unique,
  uniqueDomain,
  type Account,
  type HttpResponse,
} from './harness.js';
import { holdDomainCreates } from './held-account.js';
import { expectFresh, hook, KEY_BODY, keyedRequests, replayed } from './keyed-requests.js';

const SERVICES = ['accounts', 'domains', 'messages', 'webhooks', 'marketing'];
const postmesh = ownInstallation({ POSTMESH_IDEMPOTENCY_LEASE_S: '60' });

let account: Account;
beforeAll(async () => {
  account = await postmesh.newAccount();
});

const { post, claims } = keyedRequests(postmesh, () => account);

/** The lease, or the time of the replay, is over. */
async function pass(key: string): Promise<void> {
  for (const service of SERVICES) {
    await postmesh.sql(`update ${service}.idempotency set expires_at = clock_timestamp() where key = $1`, [
      key,
    ]);
  }
}

function expectInProgress(response: HttpResponse): void {
  expectError(response, 409, 'A request with this idempotency key is already in progress');
  expect([replayed(response), response.headers['retry-after']]).toEqual([
    'false',
    expect.stringMatching(/^([1-9]|[1-5]\d|60)$/),
  ]);
}

/** While a table is missing, its users fail with an unexpected error. */
async function without<T>(table: string, work: () => Promise<T>): Promise<T> {
  const [schema, name] = table.split('.');
  await postmesh.sql(`alter table ${table} rename to ${name}_away`);
  try {
    return await work();
  } finally {
    await postmesh.sql(`alter table ${schema}.${name}_away rename to ${name}`);
  }
}

describe('§4.3 states of a key over time', () => {
  it('§4.3 rule 3 a failure releases the key at once and stores nothing; §1.4 table 500 reveals nothing of it', async () => {
    const [key, body] = [unique('k'), hook()];
    const failed = await without('webhooks.webhooks', () => post('{A}/webhooks', body, key));
    expectError(failed, 500, 'internal server error');
    expect([replayed(failed), failed.headers['retry-after']]).toEqual([undefined, undefined]);
    expect(await claims('webhooks', key)).toEqual([]);
    const retried = await post('{A}/webhooks', body, key);
    expectFresh(retried, 201);
    // another request may use a released key
    const other = unique('k');
    await without('webhooks.webhooks', () => post('{A}/webhooks', body, other));
    expectFresh(await post('{A}/webhooks', hook(), other), 201);
  });

  it('§1.4 table 500 internal server error, in the form of every error, without its cause', async () => {
    const failed = await without('domains.domains', () => postmesh.api(account.key, 'GET', '{A}/domains'));
    expectError(failed, 500, 'internal server error');
    expect(JSON.stringify([failed.headers, failed.body])).not.toMatch(/relation|domains|sql|pg|stack/i);
  });

  it('§4.3 rule 5 a replay ends; then the same key runs a new operation, also with another request', async () => {
    const [key, body] = [unique('k'), hook()];
    const first = await post('{A}/webhooks', body, key);
    expectFresh(first, 201);
    expect(replayed(await post('{A}/webhooks', body, key))).toBe('true');
    await pass(key);
    const second = await post('{A}/webhooks', { ...body, name: 'other' }, key);
    expectFresh(second, 201);
    expect(second.body.id).not.toBe(first.body.id);
    const elsewhere = { domain: uniqueDomain() };
    expectError(await post('{A}/domains', elsewhere, key), 422);
    await pass(key);
    expectFresh(await post('{A}/domains', elsewhere, key), 201);
  });

  it('§4.3 rule 6 a run that outlives its lease does not overwrite the one that took the key over', async () => {
    const hold = await holdDomainCreates(postmesh, account.id);
    const [key, body] = [unique('k'), { domain: uniqueDomain() }];
    const late = post('{A}/domains', body, key);
    await eventually(() => claims('domains', key)).toHaveLength(1);
    expectInProgress(await post('{A}/domains', body, key));
    await pass(key);
    const taken = post('{A}/domains', body, key);
    await eventually(() =>
      postmesh.sql('select 1 from domains.idempotency where key = $1 and expires_at > clock_timestamp()', [
        key,
      ]),
    ).toHaveLength(1);
    await hold.release();
    const [first, second] = await Promise.all([late, taken]);
    // the overtaken request has no effect; its response says that another is in progress
    expectError(first, 409, 'A request with this idempotency key is already in progress');
    expectFresh(second, 201);
    expect(await postmesh.sql('select 1 from domains.domains where domain = $1', [body.domain])).toHaveLength(
      1,
    );
    const replay = await post('{A}/domains', body, key);
    expect([replay.body, replayed(replay)]).toEqual([second.body, 'true']);
  });
});

describe('§4.4 the two secret-bearing creates over time', () => {
  it('§4.4 rule 1 after its replay the record is gone, and with it the secret', async () => {
    const key = unique('k');
    const first = await post('{A}/api-keys', KEY_BODY, key);
    expect((await post('{A}/api-keys', KEY_BODY, key)).body.secret_key).toBe(first.body.secret_key);
    await pass(key);
    const second = await post('{A}/api-keys', KEY_BODY, key);
    expectFresh(second, 201);
    expect(second.body.secret_key).not.toBe(first.body.secret_key);
  });

  it('§4.4 rule 2 a 4xx holds the key until its lease ends; afterwards it runs again', async () => {
    const [key, body] = [unique('k'), { label: 'k', scopes: ['nonsense'] }];
    expectFresh(await post('{A}/api-keys', body, key), 400);
    expectInProgress(await post('{A}/api-keys', body, key));
    await pass(key);
    expectFresh(await post('{A}/api-keys', body, key), 400);
    await pass(key);
    expectFresh(await post('{A}/api-keys', KEY_BODY, key), 201);
  });

  it('§4.4 rule 3 a 5xx releases the key at once', async () => {
    const key = unique('k');
    const failed = await without('accounts.audit_entries', () => post('{A}/api-keys', KEY_BODY, key));
    expectError(failed, 500, 'internal server error');
    expectFresh(await post('{A}/api-keys', KEY_BODY, key), 201);
  });
});
