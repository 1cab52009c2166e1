import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually, sharedInstallation, unique, type Account } from './harness.js';
import { ok } from './sender.js';

const postmesh = sharedInstallation();
let account: Account;
let domain: string;
beforeAll(async () => {
  account = await postmesh.newAccount();
  domain = await postmesh.verifiedDomain(account);
});
beforeEach(() => marketing({ daily_limit: 'default', review_every_campaign: false }));

const HTML = '<p>Hi {{ first_name }} <a href="{{ unsubscribe_url }}">stop</a></p>';

const api = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  postmesh.api(account.key, method, `{A}/${path}`, { ...(body === undefined ? {} : { body }), headers });
const read = async (id: string) => ok(await api('GET', `campaigns/${id}`), 200);
const send = (id: string, body?: object, headers: Record<string, string> = {}) =>
  api('POST', `campaigns/${id}/send`, body, headers);
const operate = (id: string, action: string, body?: object) =>
  postmesh.operator('POST', `/operator/marketing/campaigns/${id}/${action}`, body);
const marketing = (body: object) =>
  postmesh.operator('PUT', `/operator/marketing/accounts/${account.id}/marketing`, body);
const reaches = async (id: string, status: string, reason: string | null = null) => {
  const look = async () => {
    const now = await read(id);
    return [now.status, now.status_reason];
  };
  await eventually(look, 30_000).toEqual([status, reason]);
  return read(id);
};

/** A draft that is ready, to this number of new contacts. */
async function draft(contacts = 1, from = domain): Promise<{ id: string; emails: string[] }> {
  const emails = Array.from({ length: contacts }, () => `${unique('ann')}@mail.test`);
  const list = ok(await api('POST', 'lists', { name: 'List' }), 201).id as string;
  ok(await api('POST', 'contacts/batch', { data: emails.map((email) => ({ email })) }), 200);
  ok(await api('POST', `lists/${list}/contacts/batch`, { data: emails.map((email) => ({ email })) }), 200);
  const campaign = await api('POST', 'campaigns', {
    name: 'Spring',
    subject: 'Spring is here',
    from: { email: `news@${from}` },
    list_ids: [list],
    content: { html: HTML },
  });
  return { id: ok(campaign, 201).id as string, emails };
}

/** A sending campaign with a recipient whose batch waits until tomorrow. */
async function sending(from: string): Promise<string> {
  await marketing({ daily_limit: 1 });
  const { id } = await draft(2, from);
  await postmesh.sql(
    `insert into marketing.marketing_days (account_id, day, used) values ($1, (now() at time zone 'utc')::date, 1)
     on conflict (account_id, day) do update set used = 1`,
    [account.id],
  );
  ok(await send(id), 200);
  await reaches(id, 'paused', 'daily marketing limit reached');
  await postmesh.sql(
    `update marketing.campaign_batches set state = 'waiting', due_at = now() + interval '1 day' where campaign_id = $1`,
    [id],
  );
  ok(await operate(id, 'resume'), 200);
  await reaches(id, 'sending');
  return id;
}

describe('spec 3-marketing §3.2, §4.1: from a draft to sent', () => {
  it('spec 3-marketing §6 rule 1, §6 rule 2: send now is validated, sent and mailed; a replay does not send twice', async () => {
    const { id, emails } = await draft(2);
    const key = { 'idempotency-key': randomUUID() };
    const sent = ok(await send(id, undefined, key), 200);
    expect([sent.status, sent.ready, sent.issues]).toEqual(['validating', null, null]);
    expect(Date.parse(sent.send_at)).toBeLessThanOrEqual(Date.now());
    const done = await reaches(id, 'sent');
    expect([done.send_at, done.finished_at !== null]).toEqual([sent.send_at, true]);
    const replayed = await send(id, undefined, key);
    expect([replayed.status, replayed.headers['idempotent-replayed'], replayed.body]).toEqual([
      200,
      'true',
      sent,
    ]);
    for (const email of emails) {
      await eventually(async () => (await postmesh.messagesTo(email)).length, 30_000).toBe(1);
    }
  });
});

describe('spec 3-marketing §6: review', () => {
  it('spec 3-marketing §6 rule 5, §11: held, returned, rejected or approved by an operator; members are mailed', async () => {
    await marketing({ review_every_campaign: true });
    const reason = "the account's campaigns are reviewed before sending";
    const held = async () => {
      const { id } = await draft();
      ok(await send(id), 200);
      await reaches(id, 'waiting_for_review', reason);
      return id;
    };
    const returned = await held();
    ok(await operate(returned, 'return', { note: 'Add your imprint' }), 200);
    const again = await reaches(returned, 'draft', 'Add your imprint');
    expect([again.send_at, again.ready]).toEqual([null, true]);
    expect(ok(await send(returned), 200).status_reason).toBeNull();
    await reaches(returned, 'waiting_for_review', reason);
    ok(await operate(returned, 'approve'), 200);
    await reaches(returned, 'sent');
    const rejected = await held();
    ok(await operate(rejected, 'reject', { note: 'no consent' }), 200);
    await reaches(rejected, 'canceled', 'rejected in review: no consent');
    expect((await operate(rejected, 'approve')).status).toBe(409);
    const subjects = async () => {
      const mails = await postmesh.messagesTo(account.ownerEmail);
      return [...new Set(mails.map(({ subject }) => subject))]
        .filter((one) => one.includes('campaign'))
        .sort();
    };
    await eventually(subjects, 30_000).toEqual(
      ['waits for a review', 'was approved', 'was rejected', 'was returned']
        .map((what) => `A campaign of ${account.name} ${what}`)
        .sort(),
    );
    // refused requests are recorded too
    const audit = await postmesh.operator('GET', '/operator/accounts/audit?actor=operator&limit=100');
    const actions = ok(audit, 200).data.filter((entry: { subject_id: string }) =>
      [returned, rejected].includes(entry.subject_id),
    );
    expect(actions.map(({ action }: { action: string }) => action).sort()).toEqual([
      'POST marketing/campaigns/{id}/approve',
      'POST marketing/campaigns/{id}/approve',
      'POST marketing/campaigns/{id}/reject',
      'POST marketing/campaigns/{id}/return',
    ]);
  });
});

it('a campaign that sends follows its account and the domain of its sender', async () => {
  const own = await postmesh.verifiedDomain(account);
  const id = await sending(own);
  const accountAction = (action: string, body?: object) =>
    postmesh.operator('POST', `/operator/accounts/accounts/${account.id}/${action}`, body);
  const domainAction = (action: string, body?: object) =>
    postmesh.operator('POST', `/operator/domains/accounts/${account.id}/domains/${own}/${action}`, body);
  ok(await accountAction('suspend', { reason: 'unpaid' }), 200);
  await reaches(id, 'paused', 'the account is suspended');
  ok(await accountAction('resume'), 200);
  await reaches(id, 'sending');
  ok(await domainAction('pause', { reason: 'complaints' }), 200);
  await reaches(id, 'paused', "sending from the sender's domain is paused");
  ok(await domainAction('unpause'), 200);
  await reaches(id, 'sending');
  ok(await api('DELETE', `domains/${own}`), 200);
  expect((await reaches(id, 'canceled', "the sender's domain was deleted")).from).toBeNull();
});
