import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import {
  expectError,
  unique,
  uniqueDomain,
  type Account,
  type ApiKey,
  type HttpAnswer,
  type Postmesh,
} from './harness.js';

const IN_PROGRESS = 'A request with this idempotency key is already in progress';
const MISMATCH = 'idempotency key was already used with a different request payload';

export const replayed = ({ headers }: HttpAnswer) => headers['idempotent-replayed'];
export const hook = (name = unique('hook')) => ({ name, url: 'http://127.0.0.1:9/', scope: 'global' });
/** the body of a new API key */
export const KEY_BODY = { label: 'k', scopes: ['accounts:read'] };
export const letterFrom = (domain: string) => ({
  from: { email: `a@${domain}` },
  to: [{ email: 'ann@mail.test' }],
  subject: 's',
  text_content: 't',
  sandbox: true,
});

/** Requests of an account under idempotency keys. */
export function keyedRequests(postmesh: Postmesh, account: () => Account) {
  const post = (path: string, body: unknown, key: string, as: ApiKey = account().key) =>
    postmesh.api(as, 'POST', path, { body, headers: { 'idempotency-key': key } });
  /** Waits as a client does: until the key is no longer in progress. */
  const retry = async (path: string, body: unknown, key: string): Promise<HttpAnswer> => {
    const deadline = Date.now() + 15_000;
    for (;;) {
      const answer = await post(path, body, key);
      if (answer.status !== 409 || replayed(answer) === 'true' || Date.now() > deadline) return answer;
      await delay(Number(answer.headers['retry-after']) * 1_000);
    }
  };
  /** the records of a key in the table of a service */
  const claims = (service: string, key: string) =>
    postmesh.sql(`select 1 from ${service}.idempotency where key = $1`, [key]);
  const countOf = async (path: string, as: ApiKey = account().key) =>
    (await postmesh.api(as, 'GET', `${path}?limit=100`)).body.data.length as number;
  return { post, retry, claims, countOf };
}

/** Every create that honours a key: where, and with what. */
export function keyedCreates(
  postmesh: Postmesh,
  account: () => Account,
  domain: () => string,
): Record<string, () => Promise<[path: string, body: object]>> {
  return {
    'api-keys.create': async () => ['{A}/api-keys', KEY_BODY],
    'sub-account-api-keys.create': async () => {
      const child = await postmesh.api(account().key, 'POST', '{A}/sub-accounts', {
        body: { name: 'c', website: 'c.test' },
      });
      return [`{A}/sub-accounts/${child.body.id}/api-keys`, KEY_BODY];
    },
    'domains.create': async () => ['{A}/domains', { domain: uniqueDomain() }],
    'members.add': async () => ['{A}/members', { email: `${unique('m')}@mail.test`, role: 'Analyst' }],
    'sub-accounts.create': async () => ['{A}/sub-accounts', { name: unique('c'), website: 'c.test' }],
    'webhooks.create': async () => ['{A}/webhooks', hook()],
    'messages.send-conversation': async () => ['{A}/messages/conversation', letterFrom(domain())],
  };
}

export function expectFresh(answer: HttpAnswer, status: number): void {
  expect([answer.status, replayed(answer)]).toEqual([status, undefined]);
}

export function expectInProgress(answer: HttpAnswer): void {
  expectError(answer, 409, IN_PROGRESS);
  expect(replayed(answer)).toBe('false');
  expect(answer.headers['retry-after']).toMatch(/^[1-9]\d*$/);
}

export function expectMismatch(answer: HttpAnswer): void {
  expectError(answer, 422, MISMATCH);
  expect([replayed(answer), answer.headers['retry-after']]).toEqual([undefined, undefined]);
}

export function expectReplay(answer: HttpAnswer, first: HttpAnswer): void {
  expect([answer.status, answer.bytes.toString()]).toEqual([first.status, first.bytes.toString()]);
  expect(answer.headers['content-type']).toBe(first.headers['content-type']);
  expect([replayed(answer), answer.headers['retry-after']]).toEqual(['true', undefined]);
  expect(answer.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
}
