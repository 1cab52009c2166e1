import { OPERATIONS, type OperationSpec } from '@postmesh/contracts';
import { beforeAll, describe, expect, it } from 'vitest';
import { sharedInstallation, expectError, unique, uniqueDomain, type Account } from './harness.js';
import {
  expectMismatch,
  expectReplay,
  hook,
  keyedCreates,
  keyedRequests,
  messageFrom,
  replayed,
} from './keyed-requests.js';

const postmesh = sharedInstallation();

let account: Account;
let domain: string;
beforeAll(async () => {
  account = await postmesh.newAccount();
  domain = await postmesh.verifiedDomain(account);
});

const { post, countOf } = keyedRequests(postmesh, () => account);
const CREATES = keyedCreates(
  postmesh,
  () => account,
  () => domain,
);
const message = () => messageFrom(domain);

describe('§4.1 where it applies', () => {
  it('§4.1 is honoured by the creates of its table that are served, and by no other operation', () => {
    const keyed = Object.entries(OPERATIONS as Record<string, OperationSpec>).filter(
      ([, { idempotent }]) => idempotent,
    );
    const posts = keyed.filter(([, { method }]) => method === 'POST');
    expect(posts.map(([id]) => id).sort()).toEqual(Object.keys(CREATES).sort());
    // spec 2-messages §6.2, spec 3-marketing §3.2 and spec 3-marketing §9 have their tests
    expect(keyed.flatMap(([id, { method }]) => (method === 'POST' ? [] : [id]))).toEqual([
      'templates.update',
      'campaigns.update',
      'campaign-templates.update',
    ]);
    const secret = keyed.filter(([, { idempotent }]) => idempotent === 'secret').map(([id]) => id);
    expect(secret.sort()).toEqual(['api-keys.create', 'sub-account-api-keys.create']);
  });

  it.each(Object.keys(CREATES))('§4.1 honoured: %s', async (id) => {
    const [path, body] = await CREATES[id]!();
    const key = unique('k');
    const first = await post(path, body, key);
    expect([first.status >= 200 && first.status < 300, replayed(first)]).toEqual([true, undefined]);
    expectReplay(await post(path, body, key), first);
    expectMismatch(await post(path, { ...body, name: 'other' }, key));
  });

  it('§4.1 ignored elsewhere: reads, updates, deletions and actions run each time, however long the key', async () => {
    for (const key of [unique('k'), 'k'.repeat(400)]) {
      const headers = { 'idempotency-key': key };
      const call = (method: string, path: string, body?: unknown) =>
        postmesh.api(account.key, method, path, { body, headers });
      const made = await postmesh.newKey(account, { scopes: ['accounts:read'] });
      const child = await postmesh.api(account.key, 'POST', '{A}/sub-accounts', {
        body: { name: 'c', website: 'c.test' },
      });
      const one = `{A}/sub-accounts/${child.body.id}`;
      const answers = [
        await call('GET', '{A}/api-keys'),
        await call('GET', `{A}/api-keys/${made.id}`),
        await call('PUT', `{A}/api-keys/${made.id}`, { label: 'x' }),
        // if the key had counted, this would be the 200 again, or 422
        await call('PUT', `{A}/api-keys/${made.id}`, { label: 'x' }),
        await call('DELETE', `{A}/api-keys/${made.id}`),
        await call('DELETE', `{A}/api-keys/${made.id}`),
        await call('POST', `{A}/domains/${domain}/check-dns`),
        await call('POST', `${one}/suspend`, { reason: 'x' }),
        await call('POST', `${one}/unsuspend`),
        await call('POST', `${one}/unsuspend`),
      ];
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 400, 200, 404, 200, 200, 200, 200]);
      expect(answers.map(replayed).filter(Boolean)).toEqual([]);
    }
  });
});

describe('§4.2 identity of a request', () => {
  it('§4.2 rule 1 all keys of an account share a key; another account has its own', async () => {
    const key = unique('k');
    const body = hook();
    const first = await post('{A}/webhooks', body, key);
    expectReplay(await post('{A}/webhooks', body, key, await postmesh.newKey(account)), first);
    const other = await postmesh.newAccount();
    const theirs = await post('{A}/webhooks', body, key, other.key);
    expect([theirs.status, replayed(theirs)]).toEqual([201, undefined]);
    expect(theirs.body.id).not.toBe(first.body.id);
  });

  it("§4.2 rule 1 a parent that makes a child's key uses its own namespace, not the child's", async () => {
    const key = unique('k');
    const body = { label: 'k', scopes: ['accounts:read'] };
    const child = await postmesh.api(account.key, 'POST', '{A}/sub-accounts', {
      body: { name: 'c', website: 'c.test' },
    });
    const byParent = await post(`{A}/sub-accounts/${child.body.id}/api-keys`, body, key);
    const childKey = await postmesh.operatorKey(child.body.id, { scopes: ['*'] });
    const byChild = await post('{A}/api-keys', body, key, childKey);
    expect([byParent.status, byChild.status, replayed(byChild)]).toEqual([201, 201, undefined]);
    // in the parent's namespace the path is another
    expectMismatch(await post('{A}/api-keys', body, key));
  });

  it('§4.2 rule 2 the bytes of the body count, not their meaning', async () => {
    const key = unique('k');
    const raw = (rawBody: string) =>
      postmesh.api(account.key, 'POST', '{A}/webhooks', { rawBody, headers: { 'idempotency-key': key } });
    const name = unique('hook');
    const first = await raw(
      `{"name":"${name}","url":"http://127.0.0.1:9/","on_bounced":true,"scope":"global"}`,
    );
    expect(first.status).toBe(201);
    expectMismatch(
      await raw(`{"url":"http://127.0.0.1:9/","on_bounced":true,"name":"${name}","scope":"global"}`),
    );
    expectMismatch(
      await raw(`{"name":"${name}","url":"http://127.0.0.1:9/","on_bounced":true,"scope":"global" }`),
    );
    expectMismatch(await raw(''));
    expectReplay(
      await raw(`{"name":"${name}","url":"http://127.0.0.1:9/","on_bounced":true,"scope":"global"}`),
      first,
    );
  });

  it('§4.2 rule 2 the path with its ids counts, its query does not', async () => {
    const key = unique('k');
    const body = { label: 'k', scopes: ['accounts:read'] };
    const children = await Promise.all(
      [1, 2].map(() =>
        postmesh.api(account.key, 'POST', '{A}/sub-accounts', { body: { name: 'c', website: 'c.test' } }),
      ),
    );
    const [one, two] = children.map((child) => `{A}/sub-accounts/${child.body.id}/api-keys`) as [
      string,
      string,
    ];
    const first = await post(one, body, key);
    expectMismatch(await post(two, body, key));
    expectMismatch(await post('{A}/api-keys', body, key));
    expectReplay(await post(`${one}?colour=red`, body, key), first);
  });

  it('§4.2 rule 2 the path counts also where another service answers it', async () => {
    const [key, child] = [unique('k'), await postmesh.newAccount()];
    const first = await post('{A}/domains', { domain: uniqueDomain() }, key);
    expect(first.status).toBe(201);
    const before = await countOf('{A}/webhooks');
    for (const [path, body] of [
      ['{A}/webhooks', hook()],
      ['{A}/messages/conversation', message()],
      ['{A}/api-keys', { label: 'k', scopes: ['accounts:read'] }],
      ['{A}/webhooks', 'no webhook'],
    ] as const) {
      expectMismatch(await post(path, body, key));
    }
    expect(await countOf('{A}/webhooks')).toBe(before);
    expect((await post('{A}/webhooks', hook(), key, child.key)).status).toBe(201);
  });

  it('§4.2 rule 3 255 characters are a key, 256 are refused and store nothing, in every message', async () => {
    const longest = unique('k').padEnd(255, 'x');
    const body = hook();
    const first = await post('{A}/webhooks', body, longest);
    expectReplay(await post('{A}/webhooks', body, longest), first);
    const before = await countOf('{A}/webhooks');
    const refused = await post('{A}/webhooks', hook(), `${longest}x`);
    expectError(refused, 400, 'idempotency key must be at most 255 characters');
    expect(replayed(refused)).toBeUndefined();
    expect(await countOf('{A}/webhooks')).toBe(before);
  });

  it('§4.2 rule 3 an empty or blank header counts as absent', async () => {
    for (const key of ['', '   ', '\t']) {
      const body = hook();
      const answers = [await post('{A}/webhooks', body, key), await post('{A}/webhooks', body, key)];
      expect(answers.map(({ status }) => status)).toEqual([201, 201]);
      expect(answers.map(replayed)).toEqual([undefined, undefined]);
      expect(answers[0]?.body.id).not.toBe(answers[1]?.body.id);
    }
  });
});
