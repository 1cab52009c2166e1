import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Principal } from '@postmesh/contracts';
import { testDatabase } from '@postmesh/testing';
import { startTemplates, type TemplatesUnderTest } from '../testing/templates-under-test.js';
import { PreviewTemplate } from './preview-template.js';

const database = testDatabase();
let under: TemplatesUnderTest;
beforeAll(async () => {
  under = await startTemplates(database.url);
});
afterAll(() => under.stop());

it('a preview is not rendered for a client that has disconnected', async () => {
  const account = under.account();
  const { body } = await under.templates(account, 'POST', '', {
    body: { name: 'Login code', content: { html: '<p>{{ code }}</p>' } },
  });
  const principal = { account_id: account, account: { parent_account_id: null } } as unknown as Principal;
  const left = new Error('the client has closed its connection');
  const preview = (signal?: AbortSignal) =>
    under.service.get(PreviewTemplate).execute(principal, body.id, { substitutions: { code: 7 } }, signal);

  await expect(preview(AbortSignal.abort(left))).rejects.toBe(left);
  expect((await preview()).html).toContain('<p>7</p>');
});
