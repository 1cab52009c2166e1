import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually, expectError, sharedInstallation, unique, type Account } from './harness.js';
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
const HOUR = 3_600_000;
const ahead = (ms: number) => new Date(Date.now() + ms).toISOString();

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

/** The operator interface answers in the same form, without the headers of the API. */
const expectRefused = (
  { status, body }: { status: number; body: unknown },
  wanted: number,
  message: string,
) => expect([status, body]).toEqual([wanted, { message }]);

/** A draft that is ready, to so many new contacts. */
async function draft(contacts = 1, from = domain): Promise<{ id: string; emails: string[]; list: string }> {
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
  return { id: ok(campaign, 201).id as string, emails, list };
}

/** A campaign that sends, with a recipient whose batch waits until tomorrow. */
async function sending(from = domain): Promise<string> {
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
  it('spec 3-marketing §3.2, §4.1 T1 T3 T5 T16, §6 rule 1, §6 rule 2: send now is validated, sent and mailed; a replay does not send twice', async () => {
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
    expectError(await send(id), 409, 'campaign is not a draft');
    expectError(await api('POST', `campaigns/${id}/unschedule`), 409, 'campaign is not scheduled');
    expectError(await api('DELETE', `campaigns/${id}`), 409, 'campaign is not a draft');
  });

  it('spec 3-marketing §3.2 rule 1, §4.1 T2: send says what is wrong, and a draft can be deleted instead', async () => {
    const { id } = ok(await api('POST', 'campaigns', { name: 'Bare' }), 201);
    const late = 'send_at must be in the future and within 365 days';
    expectError(await send(id, { at: 'now' }), 400, 'unknown field: at');
    expectError(await send(randomUUID(), { send_at: ahead(-HOUR) }), 400, late);
    expectError(await send(id, { send_at: ahead(366 * 24 * HOUR) }), 400, late);
    expectError(await send(randomUUID()), 404, 'campaign not found');
    expectError(
      await send(id),
      400,
      'campaign is not ready: subject_missing, sender_missing, lists_missing, content_missing',
    );
    expect((await read(id)).status).toBe('draft');
    await marketing({ daily_limit: 0 });
    const { id: ready } = await draft();
    expectError(await send(ready), 403, 'marketing mail is off for this account');
    ok(await api('DELETE', `campaigns/${id}`), 200);
    expectError(await send(id), 404, 'campaign not found');
  });

  it('spec 3-marketing §4.1 T4 T8 T12: a campaign of later is scheduled, can be taken back, and begins at its time', async () => {
    const { id } = await draft();
    const answers = await Promise.all([1, 2].map(() => send(id, { send_at: ahead(HOUR) })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    await reaches(id, 'scheduled');
    const back = ok(await api('POST', `campaigns/${id}/unschedule`), 200);
    expect([back.status, back.send_at, back.ready, back.issues]).toEqual(['draft', null, true, []]);
    const send_at = ahead(3_000);
    ok(await send(id, { send_at }), 200);
    const done = await reaches(id, 'sent');
    expect(Date.parse(done.finished_at)).toBeGreaterThanOrEqual(Date.parse(send_at));
  });

  it('spec 3-marketing §4.1 T7 T13: fails when nobody is left, before or at its start', async () => {
    const { id, emails } = await draft();
    ok(await send(id, { send_at: ahead(HOUR) }), 200);
    await reaches(id, 'scheduled');
    ok(await api('PUT', `contacts/${emails[0]}`, { unsubscribed: true }), 200);
    await postmesh.sql('update marketing.campaigns set send_at = now(), due_at = now() where id = $1', [id]);
    expect((await reaches(id, 'failed', 'no subscribers to send to')).finished_at).not.toBeNull();
    const { id: checked, emails: gone } = await draft();
    // the only contact is found to be none
    await postmesh.sql(`update marketing.contacts set email = 'a..b@mail.test' where email = $1`, [gone[0]]);
    ok(await send(checked), 200);
    await reaches(checked, 'failed', 'no subscribers to send to');
    const page = ok(await api('GET', 'contacts?limit=1'), 200);
    expect(page.data[0]).toMatchObject({ email: 'a..b@mail.test', validation_status: 'invalid' });
    expect(page.data[0].last_validated_at).not.toBeNull();
  });
});

describe('spec 3-marketing §6: review', () => {
  it('spec 3-marketing §4.1 T6 T9 T10 T11, §4.3, §6 rule 4, §6 rule 5, §11: held, returned, rejected or approved by an operator; members are told', async () => {
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
    expectRefused(await operate(rejected, 'approve'), 409, 'campaign is not waiting for review');
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
    const audit = await postmesh.operator('GET', '/operator/accounts/audit?limit=100');
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

describe('spec 3-marketing §4.2: pauses and ends', () => {
  it('spec 3-marketing §4.1 T14 T15, §4.4 rule 3, §4.4 rule 5: the daily limit pauses until the next UTC day, and a higher one resumes', async () => {
    await postmesh.sql('delete from marketing.marketing_days where account_id = $1', [account.id]);
    await marketing({ daily_limit: 1 });
    const { id } = await draft(3);
    ok(await send(id), 200);
    const paused = await reaches(id, 'paused', 'daily marketing limit reached');
    expect(paused.send_resumes_at).toMatch(/T00:00:00(\.000)?Z$/);
    expect(Date.parse(paused.send_resumes_at)).toBeGreaterThan(Date.now());
    await marketing({ daily_limit: 100 });
    expect((await reaches(id, 'sent')).send_resumes_at).toBeNull();
  });

  it('spec 3-marketing §4.1 T14 T15 T18 §11: an operator pauses, resumes and cancels', async () => {
    const id = await sending();
    ok(await operate(id, 'pause'), 200);
    await reaches(id, 'paused', 'paused by an operator');
    expectRefused(await operate(id, 'pause'), 409, 'campaign is not sending');
    ok(await operate(id, 'resume'), 200);
    await reaches(id, 'sending');
    ok(await operate(id, 'cancel'), 200);
    expect((await reaches(id, 'canceled', 'canceled by an operator')).finished_at).not.toBeNull();
    expectRefused(await operate(id, 'resume'), 409, 'campaign is not paused');
    expectRefused(await operate(randomUUID(), 'cancel'), 404, 'campaign not found');
  });

  it('spec 3-marketing §4.1 T14 T15 T18 T19 §4.2: a paused domain pauses, for 72 hours at most; a deleted one cancels', async () => {
    const own = await postmesh.verifiedDomain(account);
    const reason = "sending from the sender's domain is paused";
    const domainAction = (action: string, body?: object) =>
      postmesh.operator('POST', `/operator/domains/accounts/${account.id}/domains/${own}/${action}`, body);
    const [first, second] = [await sending(own), await sending(own)];
    ok(await domainAction('pause', { reason: 'complaints' }), 200);
    await reaches(first, 'paused', reason);
    await reaches(second, 'paused', reason);
    await postmesh.sql(
      `update marketing.campaigns set paused_at = now() - interval '72 hours', due_at = now() where id = $1`,
      [second],
    );
    await reaches(second, 'canceled', 'paused for too long');
    ok(await domainAction('unpause'), 200);
    await reaches(first, 'sending');
    ok(await api('DELETE', `domains/${own}`), 200);
    expect((await reaches(first, 'canceled', "the sender's domain was deleted")).from).toBeNull();
  });

  it('spec 3-marketing §4.1 T17: fails when not one message could be made', async () => {
    const id = await sending();
    await postmesh.sql(
      `update marketing.campaign_recipients set status = 'failed', status_reason = 'render_error' where campaign_id = $1`,
      [id],
    );
    await postmesh.sql('delete from marketing.campaign_batches where campaign_id = $1', [id]);
    await reaches(id, 'failed', 'the content cannot be rendered');
  });

  it('spec 3-marketing §4.2 a suspended account pauses, and goes on when it may send again', async () => {
    const id = await sending();
    const state = (action: string, body?: object) =>
      postmesh.operator('POST', `/operator/accounts/accounts/${account.id}/${action}`, body);
    ok(await state('suspend', { reason: 'unpaid' }), 200);
    await reaches(id, 'paused', 'the account is suspended');
    ok(await state('resume'), 200);
    await reaches(id, 'sending');
    ok(await operate(id, 'cancel'), 200);
  });
});
