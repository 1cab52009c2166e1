import { KeyLookupResponse, type Rehash } from '@postmesh/accounts-contract';
import { Pepper } from '@postmesh/secrets';
import { rotateSecrets, startTestService, type TestService } from '@postmesh/service-testing';
import { testDatabase } from '@postmesh/testing';
import { DataSource } from 'typeorm';
import { afterEach, expect, it } from 'vitest';
import { ACCOUNTS_SERVICE } from '../accounts.definition.js';
import { FirstAccount } from '../first-account/first-account.js';

const A = 'the-key-of-the-first-year-long-enough';
const B = 'the-key-of-the-second-year-long-enough';
const database = testDatabase();
let service: TestService | undefined;
afterEach(() => service?.stop());

/** A process that was restarted with other settings. */
async function restart(...secretKeys: string[]): Promise<TestService> {
  await service?.stop();
  service = await startTestService(ACCOUNTS_SERVICE, { databaseUrl: database.url, settings: { secretKeys } });
  return service;
}

/** The keys that a gateway with these settings finds. */
async function lookUp(accounts: TestService, secret: string, keys: string[]) {
  const hashes = new Pepper(keys).candidates(secret).map((hash) => hash.toString('base64'));
  const { body } = await accounts.internal('POST', '/internal/keys/lookup', { hashes });
  return KeyLookupResponse.parse(body).keys[0];
}

/** The hashes that a gateway with these settings reports. */
const rehashOf = (secret: string, keys: string[], stored: string[]): Rehash => ({
  from: new Pepper(stored).hash(secret).toString('base64'),
  to: new Pepper(keys).hash(secret).toString('base64'),
  pepper_id: new Pepper(keys).keyId,
});

it('a used key is rehashed under the current pepper at that use; others are counted', async () => {
  const first = await restart(A);
  const used = await first.service.get(FirstAccount).create();
  const unused = await first.service.get(FirstAccount).create();
  const [a, b] = [new Pepper([A]).keyId, new Pepper([B]).keyId];
  expect(await lookUp(first, used.api_key, [A])).toMatchObject({ pepper_id: a });

  const both = await restart(B, A);
  const found = await lookUp(both, used.api_key, [B, A]);
  const use = { key_id: found?.principal.key_id, used_at: '2026-01-01T10:00:00.000Z' };
  const rehash = rehashOf(used.api_key, [B, A], [A]);
  const report = (more: object) =>
    both.internal('POST', '/internal/keys/used', { uses: [{ ...use, ...more }] });
  // a gateway with the old settings would replace it by the old hash
  await report({ rehash: rehashOf(used.api_key, [A, B], [A]) });
  expect(await lookUp(both, used.api_key, [B, A])).toMatchObject({ hash: rehash.from, pepper_id: a });
  await report({ rehash });
  await report({ rehash });
  expect(await lookUp(both, used.api_key, [B, A])).toMatchObject({
    hash: rehash.to,
    pepper_id: b,
    last_used_at: use.used_at,
  });
  const { 'api-keys': counts } = await rotateSecrets(both);
  expect(counts).toEqual({
    kind: 'api-keys',
    current: 1,
    older: 1,
    unreadable: 0,
    state: 'at next use',
  });

  const last = await restart(B);
  expect(await lookUp(last, used.api_key, [B])).toBeDefined();
  expect(await lookUp(last, unused.api_key, [B])).toBeUndefined();
});

it('a key of a release that kept no ids gets one at its next use', async () => {
  const accounts = await restart(B, A);
  const { api_key: secret } = await accounts.service.get(FirstAccount).create();
  await accounts.service.get(DataSource).query('update api_keys set pepper_id = null');
  const found = await lookUp(accounts, secret, [B, A]);
  expect(found).toMatchObject({ pepper_id: null });
  const use = { key_id: found?.principal.key_id, used_at: '2026-01-01T10:00:00.000Z' };
  const uses = [{ ...use, rehash: rehashOf(secret, [B, A], [B, A]) }];
  await accounts.internal('POST', '/internal/keys/used', { uses });
  expect(await lookUp(accounts, secret, [B])).toMatchObject({ pepper_id: new Pepper([B]).keyId });
});

it('the key in credentials.json is rehashed under the current pepper at a start', async () => {
  const first = await restart(A);
  const { api_key: secret } = await first.service.get(FirstAccount).create();
  const both = await restart(B, A);
  expect(await both.service.get(FirstAccount).isKnown(secret)).toBe(true);
  const last = await restart(B);
  expect(await last.service.get(FirstAccount).isKnown(secret)).toBe(true);
});
