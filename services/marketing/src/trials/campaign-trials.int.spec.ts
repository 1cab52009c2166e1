import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { memberOf } from '@postmesh/service-testing';
import { testDatabase } from '@postmesh/testing';
import { HTML, startStates, type StatesUnderTest } from '../campaign-states/testing/states-under-test.js';
import type { TrialFields } from './trial.schema.js';

const database = testDatabase();
let under: StatesUnderTest;
beforeAll(async () => {
  under = await startStates(database.url, { campaignReview: true });
});
afterAll(() => under?.stop());

const ask = (account_id: string, method: 'GET' | 'PUT', campaign: string, trial?: unknown) =>
  under.call(method, `/console/api/campaigns/${campaign}/trial`, {
    principal: memberOf(account_id),
    ...(trial === undefined ? {} : { body: { trial } }),
  });
const trialWith = (...variants: TrialFields['variants']): TrialFields => ({
  ...{ metric: 'clicked', share: 20, wait_minutes: 60 },
  variants,
});
const SUBJECT = { subject: 'Another one', template_id: null };
const template = async (account: string, html: string): Promise<string> => {
  const made = await under.call('POST', `/v2/accounts/${account}/campaign-templates`, {
    account_id: account,
    body: { name: 'Design', content: { html } },
  });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  return made.body.id as string;
};

describe('the variants of a draft', () => {
  it('are set, copied with it and removed; v2 shows nothing of them', async () => {
    const account = under.account();
    const { id } = await under.draft(account);
    const before = (await under.campaigns(account, 'GET', `/${id}`)).body;
    const trial = trialWith(SUBJECT, { subject: null, template_id: await template(account, HTML) });
    expect((await ask(account, 'GET', id)).body.trial).toBeNull();
    expect((await ask(account, 'PUT', id, trial)).body).toEqual({
      ...{ object: 'campaign_trial', campaign_id: id, trial },
      ...{ decides_at: null, decided_at: null, winner: null, results: [] },
    });
    expect((await under.campaigns(account, 'GET', `/${id}`)).body).toEqual(before);
    const { body: copy } = await under.campaigns(account, 'POST', `/${id}/duplicate`, {});
    expect((await ask(account, 'GET', copy.id)).body.trial).toEqual(trial);
    expect((await ask(account, 'PUT', id, null)).body.trial).toBeNull();
    expect((await ask(account, 'GET', copy.id)).body.trial).toEqual(trial);
  });

  it.each<[string, (account: string) => Promise<TrialFields['variants']>, string]>([
    [
      'a template of another account',
      async () => [{ subject: null, template_id: await template(under.account(), HTML) }],
      'variant 1: the account has no such campaign template',
    ],
    [
      'a template without an unsubscribe link',
      async (account) => [SUBJECT, { subject: null, template_id: await template(account, '<p>Hi</p>') }],
      'variant 2: the campaign has no unsubscribe link',
    ],
    [
      'nothing of its own',
      async () => [{ subject: null, template_id: null }],
      'a variant needs a subject or a template_id',
    ],
  ])('are refused with %s', async (_, variants, message) => {
    const account = under.account();
    const { id } = await under.draft(account);
    const refused = await ask(account, 'PUT', id, trialWith(...(await variants(account))));
    expect([refused.status, refused.body.message]).toEqual([400, message]);
  });

  it('are those of one account, and no longer change after Send', async () => {
    const account = under.account();
    const { id } = await under.draft(account, { members: 4 });
    expect((await ask(under.account(), 'GET', id)).status).toBe(404);
    expect((await ask(under.account(), 'PUT', id, null)).status).toBe(404);
    await ask(account, 'PUT', id, trialWith(SUBJECT));
    expect((await under.campaigns(account, 'POST', `/${id}/send`, {})).status).toBe(200);
    expect((await ask(account, 'PUT', id, null)).status).toBe(409);
    await under.reaches(id, 'sending');
    const { body } = await ask(account, 'GET', id);
    expect(body.results).toMatchObject([
      { variant: 0, recipients: 1, delivered: 0 },
      { variant: 1, recipients: 1, delivered: 0 },
    ]);
  });
});
