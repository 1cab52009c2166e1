import type { Account, HttpResponse, Postmesh } from './harness.js';

/** One response of each kind, from success to every class of error. */
export async function responsesOfEveryKind(
  postmesh: Postmesh,
  account: Account,
): Promise<Record<string, HttpResponse>> {
  const { key } = account;
  const weak = await postmesh.newKey(account, { scopes: ['accounts:billing'] });
  const idempotent = { headers: { 'idempotency-key': 'one of every kind' } };
  const label = { label: 'Kind', scopes: ['accounts:read'] };
  const made = await postmesh.api(key, 'POST', '{A}/api-keys', { body: label, ...idempotent });
  return {
    '200 ping': await postmesh.api(key, 'GET', '/v2/ping'),
    '200 read': await postmesh.api(key, 'GET', '{A}'),
    '200 list': await postmesh.api(key, 'GET', '{A}/api-keys'),
    '201 create': made,
    '201 replay': await postmesh.api(key, 'POST', '{A}/api-keys', { body: label, ...idempotent }),
    '200 delete': await postmesh.api(key, 'DELETE', `{A}/api-keys/${made.body.id}`),
    '400 body': await postmesh.api(key, 'POST', '{A}/api-keys', { rawBody: 'nonsense' }),
    '400 path': await postmesh.api(key, 'GET', '{A}/api-keys/nonsense'),
    '401 nobody': await postmesh.api(null, 'GET', '{A}/api-keys'),
    '401 unknown': await postmesh.api('pm-sk-unknown', 'GET', '/v2/ping'),
    '403 scope': await postmesh.api(weak, 'GET', '{A}/api-keys'),
    '404 path': await postmesh.api(key, 'GET', '/v2/nothing'),
    '404 thing': await postmesh.api(key, 'GET', `{A}/api-keys/${made.body.id}`),
    '405 method': await postmesh.api(key, 'PATCH', '{A}/api-keys', { body: {} }),
    '415 type': await postmesh.api(key, 'POST', '{A}/api-keys', {
      rawBody: 'x',
      headers: { 'content-type': 'text/plain' },
    }),
    '422 mismatch': await postmesh.api(key, 'POST', '{A}/api-keys', {
      body: { ...label, label: 'Other' },
      ...idempotent,
    }),
  };
}
