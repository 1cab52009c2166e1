import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { badRequests, type BadRequest } from './bad-requests.js';
import { freshIp, sharedInstallation, unique, UUID_V7, type HttpResponse } from './harness.js';
import { fullAccount, type FullAccount } from './two-accounts.js';

const postmesh = sharedInstallation();

// FUZZ_RUNS=100000 FUZZ_SEED=42 tries more requests, and repeats the same ones.
const RUNS = Number(process.env.FUZZ_RUNS ?? 2_000);
const SEED = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31);
const AT_ONCE = 4;

let own: FullAccount;
let other: FullAccount;
/** Texts that only the other account may see. */
let canaries: string[];
beforeAll(async () => {
  own = await fullAccount(postmesh, unique('mine').replaceAll('-', ''));
  other = await fullAccount(postmesh, unique('theirs').replaceAll('-', ''));
  canaries = [other.word, other.key.secret, other.key.id, ...Object.values(other.ids).flat()];
});

function ask({ method, target, headers, body }: BadRequest): Promise<HttpResponse> {
  const names = new Set(headers.map(([name]) => name));
  const lines = [
    `${method} ${target} HTTP/1.1`,
    'Host: postmesh.test',
    `Authorization: Bearer ${own.key.secret}`,
    'Connection: close',
    ...(names.has('x-forwarded-for') ? [] : [`X-Forwarded-For: ${freshIp()}`]),
    ...(body.length > 0 ? [`Content-Length: ${body.length}`] : []),
    ...(body.length > 0 && !names.has('content-type') ? ['Content-Type: application/json'] : []),
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ];
  return postmesh.raw(lines, body);
}

function check(request: BadRequest, response: HttpResponse): void {
  const { status, headers, body, bytes } = response;
  expect(status, 'a status of the contract').toBeGreaterThanOrEqual(200);
  expect(status, 'never a 5xx').toBeLessThan(500);
  expect(headers['x-request-id'], 'x-request-id').toMatch(UUID_V7);
  if (request.method === 'HEAD') return;
  if (status >= 400) {
    expect(headers['content-type']).toBe('application/json');
    expect(body).toEqual({ message: expect.any(String) });
    expect(bytes.toString()).toBe(JSON.stringify(body));
  } else expect(typeof body).toBe('object');
  const seen = `${JSON.stringify(headers)}${bytes.toString()}`;
  const sent = `${request.target}${decoded(request.target)}${JSON.stringify(request.headers)}${request.body.toString()}`;
  // an error may quote the values of its own request
  expect(canaries.filter((canary) => seen.includes(canary) && !sent.includes(canary))).toEqual([]);
}

function decoded(target: string): string {
  try {
    return decodeURIComponent(target);
  } catch {
    return '';
  }
}

describe('bad input', () => {
  it(
    `§1.4 rule 5, §1.4 rule 3: any request gets no 5xx, the one form of errors, nothing of another account (seed ${SEED})`,
    async () => {
      console.log(`${RUNS} requests with seed ${SEED}: set FUZZ_RUNS and FUZZ_SEED for others`);
      const statuses = new Map<number, number>();
      const requests = fc.array(badRequests(own, other), { minLength: AT_ONCE, maxLength: AT_ONCE });
      const property = fc.asyncProperty(requests, async (some) => {
        const answers = await Promise.all(some.map(ask));
        answers.forEach((response, at) => {
          statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
          check(some[at]!, response);
        });
      });
      await fc.assert(property, { seed: SEED, numRuns: Math.ceil(RUNS / AT_ONCE), endOnFailure: true });
      console.log(Object.fromEntries([...statuses].sort()));
      // the requests went deep enough: some passed, and each check refused some
      for (const status of [200, 202, 400, 401, 404, 405, 415])
        expect(statuses.get(status), String(status)).toBeGreaterThan(0);
    },
    Math.max(60_000, RUNS * 40),
  );

  it('§1.4 rule 3 the other account is as it was', async () => {
    for (const [path, name] of [
      ['{A}/webhooks', 'webhook_id'],
      ['{A}/routes', 'route_id'],
      ['{A}/api-keys', 'key_id'],
      ['{A}/sub-accounts', 'sub_account_id'],
    ] as const) {
      const { body } = await postmesh.api(other.key, 'GET', path);
      const ids = body.data.map(({ id }: { id: string }) => id);
      const before = other.ids[name]!.slice(0, name === 'key_id' ? 2 : undefined);
      expect(ids).toEqual(expect.arrayContaining(before));
      expect(body.data).toHaveLength(before.length + (name === 'key_id' ? 1 : 0));
    }
    const { body } = await postmesh.api(other.key, 'GET', '{A}');
    expect(body.name).toBe(`${other.word} Inc`);
  });

  it.each([
    ['a header line without a colon', ['GET /v2/ping HTTP/1.1', 'Host: x', 'nonsense']],
    ['a header that is folded', ['GET /v2/ping HTTP/1.1', 'Host: x', 'A: b', ' c: d', 'Connection: close']],
    ['a NUL in a header', ['GET /v2/ping HTTP/1.1', 'Host: x', 'A: b\u0000c']],
    ['two lengths', ['POST /v2/ping HTTP/1.1', 'Host: x', 'Content-Length: 1', 'Content-Length: 2']],
    [
      'length and chunks',
      ['POST /v2/ping HTTP/1.1', 'Host: x', 'Content-Length: 3', 'Transfer-Encoding: chunked'],
    ],
    ['a length that is none', ['POST /v2/ping HTTP/1.1', 'Host: x', 'Content-Length: -1']],
    ['no version', ['GET /v2/ping', 'Host: x']],
    ['another protocol', ['\u0016\u0003\u0001\u0002']],
    ['an unknown method', ['BREW /v2/ping HTTP/1.1', 'Host: x']],
    ['a head of 20 kB', ['GET /v2/ping HTTP/1.1', 'Host: x', `A: ${'x'.repeat(20_000)}`]],
    ['a target of 20 kB', [`GET /${'x'.repeat(20_000)} HTTP/1.1`, 'Host: x']],
  ])('§1.1 rule 5, §1.4 what is no HTTP is refused in the form of every error: %s', async (_what, lines) => {
    const response = await postmesh.raw(lines);
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(response.status).toBeLessThan(500);
    expect(response.body).toEqual({ message: expect.any(String) });
    expect([response.headers['content-type'], response.headers['x-request-id']]).toEqual([
      'application/json',
      expect.stringMatching(UUID_V7),
    ]);
  });
});
