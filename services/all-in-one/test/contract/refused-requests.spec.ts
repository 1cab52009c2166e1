import { Readable } from 'node:stream';
import { request } from 'undici';
import { beforeAll, describe, expect, it } from 'vitest';
import { expectError, freshIp, sharedInstallation, unique, uniqueDomain, type Account } from './harness.js';

const postmesh = sharedInstallation();
const LIMIT = 30_000_000;

let account: Account;
let shop: string;
beforeAll(async () => {
  account = await postmesh.newAccount();
  shop = await postmesh.verifiedDomain(account);
});

const call = (method: string, path: string, body?: unknown) =>
  postmesh.api(account.key, method, path, { body });

describe('§1.4 table 409, 413, 415, 422, 429', () => {
  it('§1.4 table 409 duplicate resource', async () => {
    const domain = uniqueDomain();
    await call('POST', '{A}/domains', { domain });
    expectError(await call('POST', '{A}/domains', { domain }), 409, 'domain already exists');
  });

  it('§1.4 table 413 one byte more than 30,000,000, with and without a length; nothing is made', async () => {
    const frame = '{"label":"too large","scopes":["';
    const large = Buffer.from(`${frame}${'x'.repeat(LIMIT + 1 - frame.length - 3)}"]}`);
    expect(large.length).toBe(LIMIT + 1);
    const post = async (body: Buffer | Readable) => {
      const response = await request(`${postmesh.url}/v2/accounts/${account.id}/api-keys`, {
        method: 'POST',
        headers: { authorization: `Bearer ${account.key.secret}`, 'content-type': 'application/json' },
        body,
      });
      return [response.statusCode, await response.body.json(), response.headers['content-type']];
    };
    const refused = [413, { message: 'request body is too large' }, 'application/json'];
    expect(await post(large)).toEqual(refused);
    expect(await post(Readable.from([large.subarray(0, LIMIT), large.subarray(LIMIT)]))).toEqual(refused);
    // a body of exactly the limit is read: the error is about its content
    const largest = Buffer.from(`${frame}${'x'.repeat(LIMIT - frame.length - 3)}"]}`);
    expect(largest.length).toBe(LIMIT);
    expect((await post(largest))[0]).toBe(400);
  });

  it('§1.4 table 413 a client that announces gigabytes is refused before it sends them', async () => {
    const response = await postmesh.raw([
      `POST /v2/accounts/${account.id}/api-keys HTTP/1.1`,
      'Host: x',
      `Authorization: Bearer ${account.key.secret}`,
      'Content-Type: application/json',
      'Content-Length: 5000000000',
      'Connection: close',
    ]);
    expectError(response, 413, 'request body is too large');
  });

  it.each([
    ['text/plain', 415],
    ['application/x-www-form-urlencoded', 415],
    ['multipart/form-data; boundary=x', 415],
    ['application/jsonx', 415],
    ['text/json', 415],
    ['nonsense', 415],
    ['application/json', 201],
    ['application/json; charset=utf-8', 201],
    ['Application/JSON;charset=UTF-8', 201],
  ])('§1.4 table 415 content type %s: %i', async (type, status) => {
    const response = await postmesh.api(account.key, 'POST', '{A}/api-keys', {
      body: { label: 'k', scopes: ['accounts:read'] },
      headers: { 'content-type': type },
    });
    if (status === 415) expectError(response, 415, 'content type must be application/json');
    else expect(response.status).toBe(status);
  });

  it('§1.4 table 415 a missing content type is read as JSON, and no body needs none', async () => {
    const body = JSON.stringify({ label: 'k', scopes: ['accounts:read'] });
    const response = await postmesh.raw(
      [
        `POST /v2/accounts/${account.id}/api-keys HTTP/1.1`,
        'Host: x',
        `Authorization: Bearer ${account.key.secret}`,
        `Content-Length: ${body.length}`,
        'Connection: close',
      ],
      body,
    );
    expect(response.status).toBe(201);
    const checked = await postmesh.api(account.key, 'POST', `{A}/domains/${shop}/check-dns`, {
      headers: { 'content-type': 'text/plain' },
    });
    expect(checked.status).toBe(200);
  });

  it('§1.4 table 422 only for an idempotency key with another request', async () => {
    const headers = { 'idempotency-key': unique('k') };
    const body = { label: 'k', scopes: ['accounts:read'] };
    await postmesh.api(account.key, 'POST', '{A}/api-keys', { body, headers });
    const second = await postmesh.api(account.key, 'POST', '{A}/api-keys', {
      body: { ...body, label: 'k2' },
      headers,
    });
    expectError(second, 422, 'idempotency key was already used with a different request payload');
  });

  it('§1.4 table 429 rate limit (of failed authentication, since the limits of accounts are wide here)', async () => {
    const clientIp = freshIp();
    const answers = await Promise.all(
      Array.from({ length: 80 }, () => postmesh.api('pm-sk-unknown', 'GET', '/v2/ping', { clientIp })),
    );
    const refused = answers.find(({ status }) => status === 429);
    expectError(refused as never, 429, 'Too many requests, rate limited.');
  });
});
