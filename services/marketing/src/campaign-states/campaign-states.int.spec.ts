import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { newId } from '@postmesh/contracts';
import { memberOf } from '@postmesh/service-testing';
import { testDatabase } from '@postmesh/testing';
import { HTML, startStates, type StatesUnderTest } from './testing/states-under-test.js';

const database = testDatabase();
let under: StatesUnderTest;
let account: string;
/** The answer of the operator's content check, and the last posted body. */
const check = { answer: '{"review": false}', posted: '' };
const checker = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    check.posted = Buffer.concat(parts).toString();
    response.end(check.answer);
  });
});
beforeAll(async () => {
  await new Promise<void>((resolve) => checker.listen(0, '127.0.0.1', resolve));
  const { port } = checker.address() as AddressInfo;
  const campaignContentCheckUrl = `http://127.0.0.1:${port}/check`;
  under = await startStates(database.url, { campaignReview: true, campaignContentCheckUrl });
});
afterAll(async () => {
  await under?.stop();
  checker.close();
});
beforeEach(() => {
  account = under.account();
  under.domains.clear();
  under.domains.set('shop.test', {});
  under.hosts.clear();
  under.asked.length = 0;
  under.workerAway = false;
  under.answer = undefined;
  check.answer = '{"review": false}';
});

const HOUR = 3_600_000;
const ahead = (ms: number) => new Date(Date.now() + ms);
const send = (id: string, body?: object) => under.campaigns(account, 'POST', `/${id}/send`, body);
const unschedule = (id: string) => under.campaigns(account, 'POST', `/${id}/unschedule`);
const reviewed = (id: string) =>
  under.until(() => under.reviews.findLast(({ campaign_id }) => campaign_id === id));
const marketing = (body: object) =>
  under.internal('PUT', `/operator/accounts/${account}/marketing`, body, 'ann');
const said = ({ status, body }: { status: number; body: { message?: string } }) => [status, body.message];
const recipients = (id: string) =>
  under.sql<{ status: string; count: number }>(
    'select status, count(*)::int as count from campaign_recipients where campaign_id = $1 group by 1 order by 1',
    [id],
  );

describe('spec 3-marketing §3.2 send', () => {
  it('is due by the clock of the database, not by that of the service', async () => {
    under.workerAway = true;
    const { id } = await under.draft(account);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + HOUR });
    try {
      expect((await send(id)).status).toBe(200);
    } finally {
      vi.useRealTimers();
    }
    const [row] = await under.sql<{ soon: boolean }>(
      `select due_at <= now() + interval '5 minutes' as soon from campaigns where id = $1`,
      [id],
    );
    expect(row).toEqual({ soon: true });
  });

  it('spec 3-marketing §4.1 T3: a draft validates from its acceptance on, without any field of a draft', async () => {
    under.workerAway = true;
    const { id } = await under.draft(account);
    const before = Date.now();
    const sent = await send(id);
    expect([
      sent.status,
      sent.body.status,
      sent.body.ready,
      sent.body.issues,
      sent.body.status_reason,
    ]).toEqual([200, 'validating', null, null, null]);
    expect(Date.parse(sent.body.send_at)).toBeGreaterThanOrEqual(before);
    expect(said(await send(id))).toEqual([409, 'campaign is not a draft']);
    expect(said(await under.campaigns(account, 'PUT', `/${id}`, { name: 'x' }))).toEqual([
      409,
      'campaign is not a draft',
    ]);
  });

  it('spec 3-marketing §3.2 rule 1: reports problems in the order of the checks', async () => {
    const { body } = await under.campaigns(account, 'POST', '', { name: 'x' });
    const codes = 'subject_missing, sender_missing, lists_missing, content_missing';
    const late = 'send_at must be in the future and within 365 days';
    const invalid = 'invalid send_at, provide a valid RFC3339 time string';
    const cases: [id: string, body: object, answer: [number, string]][] = [
      [body.id, { at: 1, send_at: 2 }, [400, 'unknown field: at']],
      [body.id, { send_at: 2 }, [400, 'send_at must be a string']],
      [newId(), { send_at: 'tomorrow' }, [400, invalid]],
      [newId(), { send_at: ahead(-1_000).toISOString() }, [400, late]],
      [newId(), { send_at: ahead(366 * 24 * HOUR).toISOString() }, [400, late]],
      [newId(), { send_at: ahead(364 * 24 * HOUR).toISOString() }, [404, 'campaign not found']],
      ['x', {}, [400, 'invalid campaign_id']],
      [body.id, {}, [400, `campaign is not ready: ${codes}`]],
    ];
    for (const [id, given, answer] of cases) expect(said(await send(id, given))).toEqual(answer);
    expect((await under.row(body.id)).status).toBe('draft');
    const other = under.account();
    expect(said(await under.campaigns(other, 'POST', `/${body.id}/send`))).toEqual([
      404,
      'campaign not found',
    ]);
  });

  it('spec 3-marketing §3.2 rule 1: needs an account that may send marketing mail', async () => {
    const { id } = await under.draft(account);
    const suspended = { account: { status: 'suspended' as const } };
    const refused = await under.campaigns(account, 'POST', `/${id}/send`, undefined, suspended);
    expect(said(refused)).toEqual([403, 'account is suspended']);
    expect((await marketing({ daily_limit: 0 })).body).toMatchObject({
      daily_limit: 0,
      has_daily_limit: true,
    });
    expect(said(await send(id))).toEqual([403, 'marketing mail is off for this account']);
    await marketing({ daily_limit: 'default' });
    expect((await send(id)).status).toBe(200);
  });

  it('an unknown account has no limit to change', async () => {
    under.accounts.set(account, 'deleted');
    expect(said(await marketing({ daily_limit: 5 }))).toEqual([404, 'account not found']);
    const path = `/operator/accounts/${account}/marketing`;
    expect(said(await under.internal('GET', path, undefined, 'ann'))).toEqual([404, 'account not found']);
    expect(await under.sql('select from marketing_limits where account_id = $1', [account])).toEqual([]);
  });

  it('spec 3-marketing §3.2 of two sends at once exactly one is answered 200', async () => {
    const { id } = await under.draft(account);
    const answers = await Promise.all([send(id), send(id), send(id)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  });
});

describe('spec 3-marketing §4.1: checks', () => {
  it('spec 3-marketing §4.1 T4: a campaign of later is scheduled, and unscheduled by T8', async () => {
    const { id } = await under.draft(account);
    const send_at = ahead(HOUR).toISOString();
    await send(id, { send_at });
    const row = await under.reaches(id, 'scheduled');
    expect([row.send_at, row.due_at, row.status_reason]).toEqual([
      new Date(send_at),
      new Date(send_at),
      null,
    ]);
    const back = await unschedule(id);
    expect([back.status, back.body.status, back.body.send_at, back.body.ready, back.body.issues]).toEqual([
      200,
      'draft',
      null,
      true,
      [],
    ]);
    expect(said(await unschedule(id))).toEqual([409, 'campaign is not scheduled']);
    expect(said(await unschedule(newId()))).toEqual([404, 'campaign not found']);
  });

  it('spec 3-marketing §4.1 T5, T16: one of now is sent when its checks pass', async () => {
    const { id } = await under.draft(account, { members: 3 });
    await send(id);
    const row = await under.reaches(id, 'sent');
    expect([row.status_reason, row.finished_at instanceof Date, row.started_at instanceof Date]).toEqual([
      null,
      true,
      true,
    ]);
    expect(under.sends.filter(({ campaign_id }) => campaign_id === id)[0]?.recipients).toHaveLength(3);
    expect(said(await unschedule(id))).toEqual([409, 'campaign is not scheduled']);
  });

  it('spec 3-marketing §4.1 T8: makes a campaign a draft during its check; the result of the check changes nothing', async () => {
    under.workerAway = true;
    const { id } = await under.draft(account);
    await send(id);
    expect((await unschedule(id)).body.status).toBe('draft');
    under.workerAway = false;
    await send(id);
    await under.reaches(id, 'sent');
  });

  it.each([
    ['domain_paused', { paused: true }, "sending from the sender's domain is paused"],
    ['domain_dns', { dns_valid: false }, "the sender's domain has no valid DNS records"],
    ['domain_deleted', { deleted: true }, "the sender's domain was deleted"],
    ['another domain', { domain_id: newId() }, "the sender's domain was deleted"],
  ])('spec 3-marketing §4.1 T7, T13, §4.3: fails for its sender: %s', async (_, facts, reason) => {
    under.domains.set('shop.test', facts);
    for (const status of ['validating', 'scheduled']) {
      const id = await under.inStatus(account, status);
      const row = await under.looked(id);
      expect([row.status, row.status_reason, row.finished_at !== null]).toEqual(['failed', reason, true]);
    }
  });

  it('spec 3-marketing §4.1 T7, T13: fails without recipients, and without content', async () => {
    for (const status of ['validating', 'scheduled']) {
      const nobody = await under.inStatus(account, status);
      await under.sql(
        `update contacts set unsubscribed = true, unsubscribed_at = now() where account_id = $1`,
        [account],
      );
      expect(await under.looked(nobody)).toMatchObject({
        status: 'failed',
        status_reason: 'no subscribers to send to',
      });
      const empty = await under.inStatus(account, status, { html: null, text: null });
      const broken = await under.inStatus(account, status, { subject: '{% nothing %}' });
      for (const id of [empty, broken]) {
        expect(await under.looked(id)).toMatchObject({
          status: 'failed',
          status_reason: 'the content cannot be rendered',
        });
      }
    }
  });

  it('spec 3-marketing §4.1 T7: fails when its check leaves no recipient', async () => {
    const { id, list } = await under.draft(account);
    await under.sql(
      `update contacts set email = 'a..b@checked.test' from memberships where contact_id = id and list_id = $1`,
      [list],
    );
    await send(id);
    expect((await under.reaches(id, 'failed')).status_reason).toBe('no subscribers to send to');
    const { body } = await under.call('GET', `/v2/accounts/${account}/contacts`, { account_id: account });
    expect(body.data).toMatchObject([
      { email: 'a..b@checked.test', validation_status: 'invalid', last_validated_at: expect.any(String) },
    ]);
  });

  it('spec 3-marketing §6 rule 3: checks contacts once in 30 days: syntax, lists of domains and DNS', async () => {
    const { id, list } = await under.draft(account, { members: 8 });
    const emails: [string, string][] = [
      ['pat@checked.test', 'valid'],
      ['pat@gone.test', 'invalid'],
      ['pat@null.test', 'invalid'],
      ['a..b@checked.test', 'invalid'],
      ['info@checked.test', 'risky'],
      ['pat@gmial.com', 'risky'],
      ['pat@mailinator.com', 'risky'],
      ['pat@slow.test', 'unknown'],
    ];
    await under.sql(
      `update contacts set email = given.email from (
         select contact_id, (array[${emails.map(([email]) => `'${email}'`).join(', ')}])[row_number() over ()] as email
         from memberships where list_id = $1) as given where contacts.id = given.contact_id`,
      [list],
    );
    under.hosts.set('gone.test', 'no_such_domain').set('null.test', 'null_mx').set('slow.test', 'unknown');
    await send(id);
    await under.reaches(id, 'sent');
    const found = await under.sql<{
      email: string;
      validation_status: string;
      last_validated_at: Date | null;
    }>('select * from contacts where account_id = $1', [account]);
    const verdicts = new Map(found.map(({ email, validation_status }) => [email, validation_status]));
    expect(verdicts).toEqual(new Map(emails));
    expect(found.every(({ last_validated_at }) => last_validated_at !== null)).toBe(true);
    // campaigns of other tests may still be in progress, and a slow answer is requested once more
    const asked = () => under.asked.filter((domains) => domains.includes('checked.test'));
    const times = asked().length;
    expect(asked()[0]?.filter((domain) => domain === 'checked.test')).toHaveLength(1);
    expect(await recipients(id)).toEqual([{ status: 'queued', count: 5 }]);
    const count = await under.call('GET', `/v2/accounts/${account}/lists/${list}`, { account_id: account });
    if (count.status === 200) expect(count.body.contact_count).toBe(5);
    const again = await under.draft(account, { list });
    await send(again.id);
    await under.reaches(again.id, 'sent');
    expect(asked()).toHaveLength(times);
  });

  it('spec 3-marketing §6 rule 3: continues an interrupted check, and counts each contact once', async () => {
    const { id } = await under.draft(account, { members: 5 });
    await under.sql('update campaigns set checked_contacts = 9998, invalid_contacts = 501 where id = $1', [
      id,
    ]);
    await under.sql("update campaigns set status = 'validating', send_at = now() where id = $1", [id]);
    expect(await under.looked(id)).toMatchObject({
      status: 'waiting_for_review',
      status_reason: 'too many of the checked contacts may bounce',
    });
    const checked = await under.sql(
      'select from contacts where account_id = $1 and last_validated_at is not null',
      [account],
    );
    expect(checked).toHaveLength(2);
  });
});

describe('spec 3-marketing §6 rule 4: review', () => {
  async function held() {
    await marketing({ review_every_campaign: true });
    const { id, list } = await under.draft(account);
    await send(id);
    const row = await under.reaches(id, 'waiting_for_review');
    expect(row.status_reason).toBe("the account's campaigns are reviewed before sending");
    return { id, list };
  }

  it('spec 3-marketing §4.1 T6, T9: waits for an operator, who approves it; members are notified', async () => {
    const { id } = await held();
    expect(await reviewed(id)).toMatchObject({
      outcome: 'pending',
      name: 'Spring',
      note: "the account's campaigns are reviewed before sending",
    });
    expect(await under.operator(id, 'approve')).toMatchObject({ status: 200 });
    expect((await under.reaches(id, 'sent')).status_reason).toBeNull();
    await under.until(() =>
      under.reviews.some((one) => one.campaign_id === id && one.outcome === 'approved'),
    );
    expect(await under.operator(id, 'approve')).toEqual({
      status: 409,
      message: 'campaign is not waiting for review',
    });
  });

  it.each(['{"review": true}', 'no JSON', '{"review": 1}'])(
    'spec 3-marketing §6.4 a content check holds a campaign by answering %s',
    async (answer) => {
      check.answer = answer;
      const { id } = await under.draft(account);
      await send(id);
      const row = await under.reaches(id, 'waiting_for_review');
      expect(row.status_reason).toBe('the content needs a review');
      expect(JSON.parse(check.posted)).toMatchObject({
        campaign_id: id,
        account_id: account,
        from: 'news@shop.test',
        subject: 'Spring is here',
        html: HTML,
      });
    },
  );

  it('spec 3-marketing §4.1 T9: approved before its time it is scheduled, and its sender is checked again then', async () => {
    const id = await under.inStatus(account, 'waiting_for_review', { send_at: ahead(HOUR) });
    await under.operator(id, 'approve');
    expect((await under.row(id)).status).toBe('scheduled');
    const due = await under.inStatus(account, 'waiting_for_review');
    under.domains.set('shop.test', { paused: true });
    await under.operator(due, 'approve');
    expect((await under.reaches(due, 'failed')).status_reason).toBe(
      "sending from the sender's domain is paused",
    );
  });

  it('spec 3-marketing §4.1 T10: returned it is a draft with the note, until it is sent again', async () => {
    const { id } = await held();
    expect(await under.operator(id, 'return', {})).toMatchObject({
      status: 400,
      message: 'note is required',
    });
    await under.operator(id, 'return', { note: ' Add your imprint ' });
    const draft = (await under.campaigns(account, 'GET', `/${id}`)).body;
    expect([draft.status, draft.status_reason, draft.send_at, draft.ready]).toEqual([
      'draft',
      'Add your imprint',
      null,
      true,
    ]);
    await under.until(() =>
      under.reviews.some(
        (one) => one.campaign_id === id && one.outcome === 'returned' && one.note === 'Add your imprint',
      ),
    );
    expect((await send(id)).body.status_reason).toBeNull();
  });

  it('spec 3-marketing §4.1 T11: rejected it is canceled, with the note when there is one', async () => {
    const plain = await under.inStatus(account, 'waiting_for_review');
    await under.operator(plain, 'reject');
    expect(await under.row(plain)).toMatchObject({ status: 'canceled', status_reason: 'rejected in review' });
    const noted = await under.inStatus(account, 'waiting_for_review');
    await under.operator(noted, 'reject', { note: 'no consent' });
    const row = await under.row(noted);
    expect([row.status_reason, row.finished_at !== null]).toEqual(['rejected in review: no consent', true]);
  });
});

describe('spec 3-marketing §4.1: the start', () => {
  it('spec 3-marketing §4.1 T12: begins at its time, and not before', async () => {
    const id = await under.inStatus(account, 'scheduled', { send_at: ahead(HOUR) });
    const early = await under.looked(id);
    expect([early.status, early.due_at]).toEqual(['scheduled', early.send_at]);
    await under.sql('update campaigns set send_at = now(), due_at = now() where id = $1', [id]);
    await under.reaches(id, 'sent');
    expect(await recipients(id)).toEqual([{ status: 'queued', count: 2 }]);
  });

  it('spec 3-marketing §4.2 with a suspended account it begins paused', async () => {
    under.accounts.set(account, 'suspended');
    const id = await under.inStatus(account, 'scheduled');
    expect(await under.looked(id)).toMatchObject({
      status: 'paused',
      status_reason: 'the account is suspended',
    });
    expect(await recipients(id)).toEqual([{ status: 'pending', count: 2 }]);
    await under.accountChanged(account, 'active');
    await under.reaches(id, 'sent');
  });

  it('spec 3-marketing §4.1 is done once by two machines, and repeated after a kill of one', async () => {
    const id = await under.inStatus(account, 'scheduled', {
      due_at: new Date(),
      leased_until: ahead(300),
      lease_token: '7',
    });
    await under.reaches(id, 'sent');
    expect(await recipients(id)).toEqual([{ status: 'queued', count: 2 }]);
  });
});

describe('spec 3-marketing §4.2: pauses', () => {
  it.each([
    ['its domain is paused', { paused: true }, "sending from the sender's domain is paused"],
    ['its domain has lost its records', { dns_valid: false }, "the sender's domain has no valid DNS records"],
  ])(
    'spec 3-marketing §4.1 T14, T15: pauses while %s, and continues afterwards',
    async (_, facts, reason) => {
      const id = await under.inStatus(account, 'sending');
      under.domains.set('shop.test', facts);
      await under.domainChanged(account, 'shop.test');
      const paused = await under.reaches(id, 'paused');
      expect([paused.status_reason, paused.send_resumes_at]).toEqual([reason, null]);
      under.domains.set('shop.test', {});
      await under.domainChanged(account, 'shop.test');
      expect((await under.reaches(id, 'sending')).status_reason).toBeNull();
    },
  );

  it('spec 3-marketing §4.1 T14, T15: pauses while its account is suspended, and continues afterwards', async () => {
    const id = await under.inStatus(account, 'sending');
    under.accounts.set(account, 'suspended');
    await under.accountChanged(account, 'suspended');
    expect((await under.reaches(id, 'paused')).status_reason).toBe('the account is suspended');
    under.accounts.set(account, 'active');
    await under.accountChanged(account, 'active');
    expect((await under.reaches(id, 'sending')).status_reason).toBeNull();
  });

  it('spec 3-marketing §4.2 continues automatically, also without an event', async () => {
    const cause = { pause_cause: 'domain_paused' };
    await under.reaches(await under.inStatus(account, 'paused', { ...cause, due_at: ahead(100) }), 'sent');
    under.domains.set('shop.test', { paused: true });
    await under.domainChanged(account, 'shop.test');
    const row = await under.looked(await under.inStatus(account, 'paused', cause));
    const soon = (row.due_at?.getTime() ?? 0) - Date.now();
    expect([row.status, soon > 0 && soon <= 300_000]).toEqual(['paused', true]);
  });

  it.each([
    ['bounced', 'too many messages bounced'],
    ['complained', 'too many recipients complained'],
  ])(
    'spec 3-marketing §4.2 %s too much: waits for an operator, after whom it counts anew',
    async (counter, reason) => {
      const id = await under.inStatus(account, 'sending');
      await under.sql(`update campaign_counts set delivered = 500, ${counter} = 30 where campaign_id = $1`, [
        id,
      ]);
      expect(await under.looked(id)).toMatchObject({ status: 'paused', status_reason: reason, due_at: null });
      expect((await under.looked(id)).status).toBe('paused');
      expect(await under.operator(id, 'resume')).toMatchObject({ status: 200 });
      expect((await under.looked(id)).status).toBe('sending');
    },
  );

  it('spec 3-marketing §4.1 T14, T15, §4.2: an operator pauses and resumes', async () => {
    const id = await under.inStatus(account, 'sending');
    await under.operator(id, 'pause');
    expect(await under.row(id)).toMatchObject({
      status: 'paused',
      status_reason: 'paused by an operator',
      due_at: null,
    });
    expect(await under.operator(id, 'pause')).toEqual({ status: 409, message: 'campaign is not sending' });
    await under.operator(id, 'resume');
    expect(await under.operator(id, 'resume')).toEqual({ status: 409, message: 'campaign is not paused' });
    expect((await under.row(id)).status).toBe('sending');
  });

  it('spec 3-marketing §4.4 rule 3, §4.4 rule 5: the daily limit pauses until the next UTC day, or until it is raised', async () => {
    await marketing({ daily_limit: 1 });
    const id = await under.inStatus(account, 'sending');
    await under.sql(
      "update campaign_batches set due_at = now() - make_interval(secs => 1), state = 'pending' where campaign_id = $1",
      [id],
    );
    await under.operator(id, 'pause');
    await under.operator(id, 'resume');
    const nextDay = () => new Date(new Date().setUTCHours(24, 0, 0, 0));
    const before = nextDay();
    const paused = await under.reaches(id, 'paused');
    expect(paused.status_reason).toBe('daily marketing limit reached');
    const midnight = paused.send_resumes_at ?? new Date(0);
    expect([before, nextDay()]).toContainEqual(midnight);
    const shown = (await under.campaigns(account, 'GET', `/${id}`)).body;
    expect(Date.parse(shown.send_resumes_at)).toBe(midnight.getTime());
    expect((await under.looked(id)).status).toBe('paused');
    await marketing({ daily_limit: null });
    expect((await under.reaches(id, 'sent')).send_resumes_at).toBeNull();
  });

  it('spec 3-marketing §4.4 rule 4: the campaign that began first takes the new day first', async () => {
    await marketing({ daily_limit: 2 });
    const limited = { pause_cause: 'daily_limit', status_reason: 'daily marketing limit reached' };
    const first = await under.inStatus(account, 'paused', { ...limited, started_at: ahead(-2 * HOUR) });
    const second = await under.inStatus(account, 'paused', { ...limited, started_at: ahead(-HOUR) });
    // neither campaign hands over anything in the meantime
    await under.sql(
      "update campaign_batches set state = 'waiting', due_at = now() + interval '1 day' where account_id = $1",
      [account],
    );
    expect((await under.looked(second)).status).toBe('paused');
    expect((await under.looked(first)).status).toBe('sending');
    expect((await under.looked(second)).status).toBe('paused');
    await under.sql("update campaigns set status = 'canceled' where id = $1", [first]);
    expect((await under.looked(second)).status).toBe('sending');
  });
});

describe('a member of the account in the console', () => {
  const hold = async (id: string, action: string, by = memberOf(account, 'Developer')) => {
    const path = `/console/api/campaigns/${id}/${action}`;
    const { status, body } = await under.call('POST', path, { principal: by });
    return { status, campaign: body, message: body.message };
  };

  it('pauses a campaign, and resumes it, each as often as it is asked', async () => {
    const id = await under.inStatus(account, 'sending');
    for (const _ of [1, 2]) {
      const { status, campaign } = await hold(id, 'pause');
      expect([status, campaign]).toMatchObject([
        200,
        { id, status: 'paused', status_reason: 'paused by a member', send_resumes_at: null, issues: null },
      ]);
    }
    expect(await under.looked(id)).toMatchObject({ status: 'paused', due_at: null });
    for (const _ of [1, 2])
      expect((await hold(id, 'resume')).campaign).toMatchObject({ status: 'sending', status_reason: null });
    expect((await under.looked(id)).status).toBe('sending');
  });

  it('cancels a campaign, and the others who wait get no mail', async () => {
    for (const status of ['waiting_for_review', 'scheduled', 'sending', 'paused']) {
      const id = await under.inStatus(account, status);
      for (const _ of [1, 2])
        expect((await hold(id, 'cancel')).campaign).toMatchObject({
          status: 'canceled',
          status_reason: 'canceled by a member',
          finished_at: expect.any(String),
        });
    }
  });

  it('ends no pause but that of a member, which one of an operator replaces', async () => {
    const id = await under.inStatus(account, 'sending');
    await hold(id, 'pause');
    expect(await under.operator(id, 'pause')).toMatchObject({ status: 200 });
    expect(await under.row(id)).toMatchObject({ status: 'paused', status_reason: 'paused by an operator' });
    expect(await hold(id, 'resume')).toMatchObject({
      status: 409,
      message: 'campaign was not paused by a member: paused by an operator',
    });
    expect(await hold(id, 'pause')).toMatchObject({ status: 409, message: 'campaign is not sending' });
    const bounced = await under.inStatus(account, 'paused', { pause_cause: 'bounces' });
    expect((await hold(bounced, 'resume')).status).toBe(409);
    await under.operator(id, 'resume');
    await hold(id, 'pause');
    await under.operator(id, 'resume');
    expect((await under.row(id)).status).toBe('sending');
  });

  it('does not reset the share of bounces by a pause', async () => {
    const id = await under.inStatus(account, 'sending');
    await hold(id, 'pause');
    await under.sql('update campaign_counts set delivered = 500, bounced = 30 where campaign_id = $1', [id]);
    await hold(id, 'resume');
    expect((await under.reaches(id, 'paused')).status_reason).toBe('too many messages bounced');
  });

  it('changes nothing of another account, without the scope, or in another status', async () => {
    const id = await under.inStatus(account, 'sending');
    const before = await under.row(id);
    const refused: [string, string, ReturnType<typeof memberOf>, number, string | RegExp][] = [];
    for (const action of ['pause', 'resume', 'cancel']) {
      refused.push([id, action, memberOf(under.account()), 404, 'campaign not found']);
      refused.push([id, action, memberOf(account, 'Analyst'), 403, /scope/]);
      refused.push([await under.inStatus(account, 'draft'), action, memberOf(account), 409, /^campaign is /]);
      refused.push([await under.inStatus(account, 'sent'), action, memberOf(account), 409, /^campaign is /]);
    }
    for (const [campaign, action, by, status, message] of refused)
      expect(await hold(campaign, action, by)).toMatchObject({
        status,
        message: expect.stringMatching(message),
      });
    expect(await under.row(id)).toEqual(before);
  });
});

describe('spec 3-marketing §4.1: the end', () => {
  it('spec 3-marketing §4.1 T17: fails when not one message could be made', async () => {
    for (const [why, reason] of [
      ['render_error', 'the content cannot be rendered'],
      ['no_answer', 'internal error'],
    ]) {
      const id = await under.inStatus(account, 'sending');
      await under.sql(
        "update campaign_recipients set status = 'failed', status_reason = $2 where campaign_id = $1",
        [id, why],
      );
      await under.sql('delete from campaign_batches where campaign_id = $1', [id]);
      expect(await under.looked(id)).toMatchObject({ status: 'failed', status_reason: reason });
    }
  });

  it.each(['validating', 'waiting_for_review', 'scheduled', 'sending', 'paused'])(
    'spec 3-marketing §4.1 T18: an operator cancels a campaign that is %s',
    async (status) => {
      const id = await under.inStatus(account, status);
      await under.operator(id, 'cancel');
      const row = await under.row(id);
      expect([row.status, row.status_reason, row.finished_at !== null]).toEqual([
        'canceled',
        'canceled by an operator',
        true,
      ]);
      expect(await under.operator(id, 'cancel')).toMatchObject({ status: 409 });
      // the batches claimed by a worker end there
      await under.sql(
        'update campaign_batches set due_at = now() - make_interval(secs => 1) where campaign_id = $1',
        [id],
      );
      const left = async () => (await recipients(id)).filter((one) => one.status !== 'canceled');
      await expect.poll(left).toEqual([]);
    },
  );

  it('spec 3-marketing §4.1 T18: the deletion of its account cancels every unfinished campaign', async () => {
    under.accounts.set(account, 'deleted');
    for (const status of ['validating', 'waiting_for_review', 'scheduled', 'sending', 'paused']) {
      const row = await under.looked(await under.inStatus(account, status));
      expect([status, row.status, row.status_reason]).toEqual([status, 'canceled', 'the account was closed']);
    }
  });

  it('spec 3-marketing §4.1 T18: the pending recipients are canceled and counted so, the others stay', async () => {
    const id = await under.inStatus(account, 'paused');
    await under.sql(
      "update campaign_recipients set status = 'queued', sent_at = now() where campaign_id = $1 and position = 0",
      [id],
    );
    await under.sql('update campaign_counts set pending = 1, queued = 1 where campaign_id = $1', [id]);
    await under.operator(id, 'cancel');
    expect(await recipients(id)).toEqual([
      { status: 'canceled', count: 1 },
      { status: 'queued', count: 1 },
    ]);
    const { body } = await under.internal('GET', `/operator/campaigns/${id}`, undefined, 'ann');
    expect(body.counts).toMatchObject({ pending: 0, queued: 1, canceled: 1 });
  });

  it.each(['sending', 'paused'])(
    'spec 3-marketing §4.1 T18: a campaign that is %s ends with the domain of its sender',
    async (status) => {
      const id = await under.inStatus(account, status);
      under.domains.delete('shop.test');
      await under.domainChanged(account, 'shop.test', true);
      expect((await under.reaches(id, 'canceled')).status_reason).toBe("the sender's domain was deleted");
      expect((await under.campaigns(account, 'GET', `/${id}`)).body.from).toBeNull();
    },
  );

  it('spec 3-marketing §4.1 T19: is canceled after 72 hours in a row without its domain', async () => {
    under.domains.set('shop.test', { paused: true });
    const cause = {
      pause_cause: 'domain_paused',
      status_reason: "sending from the sender's domain is paused",
    };
    const young = await under.inStatus(account, 'paused', { ...cause, paused_at: ahead(-71 * HOUR) });
    const old = await under.inStatus(account, 'paused', { ...cause, paused_at: ahead(-72 * HOUR) });
    const patient = await under.inStatus(account, 'paused', { paused_at: ahead(-1_000 * HOUR) });
    expect((await under.looked(young)).status).toBe('paused');
    expect(await under.looked(old)).toMatchObject({
      status: 'canceled',
      status_reason: 'paused for too long',
    });
    expect((await under.looked(patient)).status).toBe('paused');
    expect(await recipients(old)).toEqual([{ status: 'canceled', count: 2 }]);
  });

  it('spec 3-marketing §4.1 refuses every action on a campaign in another status', async () => {
    const actions = { approve: {}, return: { note: 'x' }, reject: {}, pause: {}, resume: {}, cancel: {} };
    const allowed: Record<string, string[]> = {
      draft: [],
      sent: [],
      failed: [],
      canceled: [],
      scheduled: ['cancel'],
      sending: ['pause', 'cancel'],
    };
    for (const [status, good] of Object.entries(allowed)) {
      const id = await under.inStatus(account, status);
      const before = await under.row(id);
      for (const [action, body] of Object.entries(actions)) {
        if (good.includes(action)) continue;
        expect([action, status, (await under.operator(id, action, body)).status]).toEqual([
          action,
          status,
          409,
        ]);
      }
      expect(await under.row(id)).toEqual(before);
    }
    expect(await under.operator(newId(), 'pause')).toEqual({ status: 404, message: 'campaign not found' });
  });
});
