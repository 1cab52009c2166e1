import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { fingerprint } from './idempotency.rules.js';

const PATH = '/v2/accounts/0b6f4a52-7c1d-4e0f-8a39-61b2c7d8e9f0/domains';
const of = (method: string, path: string, body: string) => fingerprint(method, path, Buffer.from(body));

describe('4.2.2 the fingerprint', () => {
  it('is 32 bytes and the same for the same request', async () => {
    const one = await of('POST', PATH, '{"a":1}');
    expect(one).toHaveLength(32);
    expect(await of('POST', PATH, '{"a":1}')).toEqual(one);
  });

  it.each([
    ['method', 'PUT', PATH, '{"a":1,"b":2}'],
    ['path', 'POST', `${PATH}/x`, '{"a":1,"b":2}'],
    ['order of keys', 'POST', PATH, '{"b":2,"a":1}'],
    ['space', 'POST', PATH, '{"a":1, "b":2}'],
    ['empty body', 'POST', PATH, ''],
    ['path that swallows the body', 'POST', `${PATH}{"a":1,"b":2}`, ''],
  ])('changes with another %s', async (_, method, path, body) => {
    expect(await of(method, path, body)).not.toEqual(await of('POST', PATH, '{"a":1,"b":2}'));
  });

  it('changes with the digest of the request that it was made of', async () => {
    const digests = ['', 'a', 'b'].map((digest) => fingerprint('POST', PATH, Buffer.from('{}'), digest));
    const [own, one, other] = await Promise.all(digests);
    expect(own).toEqual(await of('POST', PATH, '{}'));
    expect(one).not.toEqual(own);
    expect(other).not.toEqual(one);
  });

  it('leaves the query string out', async () => {
    expect(await of('POST', `${PATH}?a=1`, '{}')).toEqual(await of('POST', PATH, '{}'));
  });

  it('covers the last byte of a body of 20 MiB, whichever thread hashes it', async () => {
    const body = randomBytes(20 * 1024 * 1024);
    const one = await fingerprint('POST', PATH, body);
    body[body.length - 1] = (body.at(-1) ?? 0) ^ 1;
    expect(await fingerprint('POST', PATH, body)).not.toEqual(one);
  });

  it('hashes only the bytes of a view into a larger buffer', async () => {
    const large = Buffer.alloc(1024 * 1024, 'x');
    const view = large.subarray(100, 100 + 300 * 1024);
    expect(await fingerprint('POST', PATH, view)).toEqual(
      await fingerprint('POST', PATH, Buffer.alloc(300 * 1024, 'x')),
    );
  });
});
