import { expect, it } from 'vitest';
import { expectError, sharedInstallation, unique } from './harness.js';
import { ok } from './sender.js';

const postmesh = sharedInstallation();

it('spec 3-marketing §2.3 members of a list are shown with their contacts only to a key that may read contacts', async () => {
  const account = await postmesh.newAccount();
  const api = (method: string, path: string, body?: object) =>
    postmesh.api(account.key, method, `{A}/${path}`, body ? { body } : {});
  const { id } = ok(await api('POST', 'lists', { name: 'List' }), 201);
  const ann = ok(await api('POST', 'contacts', { email: `${unique('Ann')}@X.test` }), 201);
  ok(await api('PUT', `lists/${id}/contacts/${ann.id}`, {}), 200);
  const key = await postmesh.newKey(account, { scopes: ['lists:read'] });
  const get = (of: string, caller = account.key) =>
    postmesh.api(caller, 'GET', `{A}/lists/${of}/contacts?include_contacts=true`);
  expect(ok(await get(id), 200).data).toMatchObject([
    { contact_id: ann.id, contact: { object: 'contact', id: ann.id } },
  ]);
  for (const of of [id, account.id]) {
    expectError(await get(of, key), 403, 'insufficient permissions for the required scope');
  }
  const found = `{A}/lists/${id}/contacts?email=${encodeURIComponent(ann.email.toUpperCase())}`;
  expect(ok(await postmesh.api(key, 'GET', found), 200).data).toMatchObject([{ contact_id: ann.id }]);
});
