import { OPERATIONS } from '@postmesh/contracts';
import { describe, expect, it } from 'vitest';
import { accountOf, OperationRouter } from './operation-router.js';

const router = new OperationRouter();
const ID = '0b6f4a52-7c1d-4e0f-8a39-61b2c7d8e9f0';

describe('paths of the API', () => {
  it.each(Object.entries(OPERATIONS))('%s is found', (id, spec) => {
    const path = spec.path.replaceAll(/\{\w+\}/g, ID);
    const known = router.find(path);
    expect(known?.methods.get(spec.method)).toMatchObject({
      id,
      service: spec.service,
      underAccount: path !== '/v2/ping',
    });
  });

  it.each([
    '',
    '/',
    '/v2',
    '/v2/',
    '/v2/ping/',
    '/V2/ping',
    '/v2/Ping',
    '//v2/ping',
    '/v2//ping',
    '/v1/ping',
    '/v2/accounts',
    '/v2/accounts/',
    `/v2/accounts/${ID}/`,
    `/v2/accounts//api-keys`,
    `/v2/accounts/${ID}/api-keys/`,
    `/v2/accounts/${ID}/api-keys/${ID}/x`,
    `/v2/accounts/${ID}/domains/%zz`,
    `/v2/accounts/${ID}/domains/%ff`,
    'http://example.com/v2/ping',
    '*',
    '/internal/keys/lookup',
    '/v2/__proto__',
    '/v2/accounts/x/constructor',
  ])('%j is unknown', (path) => {
    expect(router.find(path)).toBeUndefined();
  });

  it('a percent-encoded slash stays inside its segment', () => {
    expect(router.find(`/v2/accounts/${ID}/domains/a%2Fb`)?.methods.get('GET')?.id).toBe('domains.get');
  });

  it('names the methods of a path', () => {
    expect(router.find(`/v2/accounts/${ID}/api-keys/${ID}`)?.allowed).toEqual(['GET', 'PUT', 'DELETE']);
  });

  it('a literal wins over a parameter, and gives way where it leads nowhere', () => {
    const spec = (method: 'GET' | 'PUT', path: string) => ({ ...OPERATIONS.ping, method, path });
    const some = new OperationRouter({
      usage: spec('GET', '/v2/subs/usage'),
      one: spec('PUT', '/v2/subs/{id}'),
      keys: spec('GET', '/v2/subs/{id}/keys'),
    });
    expect(some.find('/v2/subs/usage')?.allowed).toEqual(['GET']);
    expect(some.find('/v2/subs/other')?.allowed).toEqual(['PUT']);
    expect(some.find('/v2/subs/usage/keys')?.allowed).toEqual(['GET']);
  });
});

it('reads the account of a path', () => {
  expect(accountOf(`/v2/accounts/${ID}/api-keys`)).toBe(ID);
  expect(accountOf('/v2/accounts/%30b')).toBe('0b');
});
