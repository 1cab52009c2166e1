import { OPERATIONS } from '@postmesh/contracts';
import { describe, expect, it } from 'vitest';
import { allowedMethods, OperationRouter, parametersOf } from './operation-router.js';

const router = new OperationRouter();
const ID = '0b6f4a52-7c1d-4e0f-8a39-61b2c7d8e9f0';

function allowed(some: OperationRouter, path: string): string[] | undefined {
  const known = some.find(path);
  return known && allowedMethods(known);
}

function parameters(method: string, path: string): Record<string, string> | undefined {
  const known = router.find(path);
  const operation = known?.methods.get(method);
  return known && operation && parametersOf(operation, known);
}

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
    `/v2/accounts/${ID}/domains/a#b`,
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
    expect(allowed(router, `/v2/accounts/${ID}/api-keys/${ID}`)).toEqual(['GET', 'PUT', 'DELETE']);
  });

  it('a literal wins over a parameter, unless only the parameter leads to an operation', () => {
    const spec = (method: 'GET' | 'PUT', path: string) => ({ ...OPERATIONS.ping, method, path });
    const some = new OperationRouter({
      usage: spec('GET', '/v2/subs/usage'),
      one: spec('PUT', '/v2/subs/{id}'),
      keys: spec('GET', '/v2/subs/{id}/keys'),
    });
    expect(allowed(some, '/v2/subs/usage')).toEqual(['GET']);
    expect(allowed(some, '/v2/subs/other')).toEqual(['PUT']);
    expect(allowed(some, '/v2/subs/usage/keys')).toEqual(['GET']);
  });
});

it('reads the account of a path', () => {
  expect(parameters('GET', `/v2/accounts/${ID}/api-keys`)?.['account_id']).toBe(ID);
  expect(parameters('GET', '/v2/accounts/%30b')?.['account_id']).toBe('0b');
});

it('returns path parameters, decoded', () => {
  expect(parameters('GET', `/v2/accounts/${ID}/domains/a%2Fb%20c`)).toEqual({
    account_id: ID,
    domain: 'a/b c',
  });
});

it('finds the same operation for a path whose characters are encoded', () => {
  const found = (path: string) => router.find(path)?.methods.get('GET')?.id;
  expect(found(`/v2/accounts/${ID}/sub-accounts/%75sage`)).toBe('sub-accounts.usage');
  expect(found(`/v2/accounts/${ID}/sub-accounts/%2Fusage`)).toBe('sub-accounts.get');
});
