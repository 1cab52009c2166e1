import { newId } from '@postmesh/contracts';
import { testDatabase } from '@postmesh/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startCampaigns, type CampaignsUnderTest } from '../testing/campaigns-under-test.js';
import { waitFor } from './test-budget.js';

const database = testDatabase();
let under: CampaignsUnderTest;
let account: string;
beforeAll(async () => {
  under = await startCampaigns(database.url);
});
afterAll(() => under.stop());
beforeEach(() => {
  account = under.account();
  under.sends.length = 0;
  under.answer = undefined;
});

const SENDABLE = {
  subject: 'Sale {{ first_name }}',
  from: { email: 'news@shop.test', name: 'Shop' },
  reply_to: 'help@shop.test',
  content: { html: '<p>Hi {{ first_name }}</p>' },
};
const call = (method: 'GET' | 'POST' | 'PUT', rest = '', body?: unknown, headers = {}) =>
  under.campaigns(account, method, rest, body, { headers });
async function made(body: object = SENDABLE) {
  const response = await call('POST', '', { name: 'Spring', ...body });
  expect([response.status, response.body.message]).toEqual([201, undefined]);
  return response.body;
}
const test = (id: string, body: unknown, headers = {}) => call('POST', `/${id}/test-send`, body, headers);
async function contact(email: string, first_name: string, attributes: object = {}): Promise<string> {
  const id = newId();
  await under.sql(
    `insert into contacts (id, account_id, created_at, updated_at, email, first_name, last_name, status,
       status_reason, unsubscribed, attributes)
     values ($1, $2, now(), now(), $3, $4, '', 'enabled', '', false, $5)`,
    [id, account, email, first_name, JSON.stringify(attributes)],
  );
  return id;
}

describe('spec 3-marketing §3.2 test-send', () => {
  it('spec 3-marketing §3.2 test-send: each address gets a message with its own values, the campaign stays as it is', async () => {
    const campaign = await made();
    const ann = await contact('ann@mail.test', 'Ann', { city: 'Bern', email: 'x' });
    const response = await test(campaign.id, { to: [' Ann@Mail.test ', 'nobody@mail.test'] });
    const id = expect.stringMatching(/^<[0-9a-f-]{36}@shop\.test>$/);
    expect([response.status, response.body]).toEqual([
      202,
      {
        object: 'list',
        data: [
          { object: 'message', id, recipient: { email: 'ann@mail.test', name: 'Ann' }, status: 'queued' },
          { object: 'message', id, recipient: { email: 'nobody@mail.test', name: '' }, status: 'queued' },
        ],
      },
    ]);
    expect(under.sends).toEqual([
      expect.objectContaining({
        account_id: account,
        campaign_id: campaign.id,
        test: true,
        content: {
          from: SENDABLE.from,
          reply_to: SENDABLE.reply_to,
          subject: SENDABLE.subject,
          preheader: null,
          html: SENDABLE.content.html,
          text: 'Hi {{ first_name }}',
        },
        recipients: [
          {
            message_id: response.body.data[0].id.slice(1, 37),
            contact_id: ann,
            email: 'ann@mail.test',
            name: 'Ann',
            values: { city: 'Bern', email: 'ann@mail.test', first_name: 'Ann' },
          },
          expect.objectContaining({ contact_id: null, values: { email: 'nobody@mail.test' } }),
        ],
      }),
    ]);
    expect((await call('GET', `/${campaign.id}`)).body).toEqual(campaign);
  });

  it('spec 3-marketing §3.2 test-send: the values of a chosen contact are used for every address', async () => {
    const campaign = await made();
    const id = await contact('bea@mail.test', 'Bea');
    for (const wanted of [id, id.toUpperCase(), 'BEA@mail.test']) {
      expect((await test(campaign.id, { to: ['me@mail.test'], contact: wanted })).status).toBe(202);
      const values = { email: 'bea@mail.test', first_name: 'Bea' };
      expect(under.sends.at(-1)?.recipients).toEqual([
        expect.objectContaining({ email: 'me@mail.test', values }),
      ]);
    }
    for (const wanted of [newId(), 'gone@mail.test', 'nobody']) {
      const response = await test(campaign.id, { to: ['me@mail.test'], contact: wanted });
      expect([response.status, response.body.message]).toEqual([404, 'contact not found']);
    }
  });

  it('spec 3-marketing §3.2 test-send: to has one to five addresses, each once', async () => {
    const campaign = await made();
    const six = Array.from({ length: 6 }, (_, n) => `me-${n}@mail.test`);
    for (const [body, message] of [
      [{}, 'to is required'],
      [{ to: [] }, 'to must have at least 1 items'],
      [{ to: six }, 'to must have at most 5 items'],
      [{ to: ['me@mail.test', 'ME@mail.test '] }, 'to must hold each address once'],
      [{ to: ['nobody'] }, 'to must hold valid email addresses'],
      [{ to: 'me@mail.test' }, 'to must be an array'],
      [{ to: ['me@mail.test'], subject: 'S' }, 'unknown field: subject'],
    ] as const) {
      const response = await test(campaign.id, body);
      expect([response.status, response.body.message]).toEqual([400, message]);
    }
    const unknown = await test(newId(), { to: ['me@mail.test'] });
    expect([unknown.status, unknown.body.message]).toEqual([404, 'campaign not found']);
    expect(under.sends).toEqual([]);
  });

  it('spec 3-marketing §3.2 test-send: it needs a sender, a subject and content, and nothing else, in any status', async () => {
    const empty = await made({});
    const refused = await test(empty.id, { to: ['me@mail.test'] });
    expect([refused.status, refused.body.message]).toEqual([
      400,
      'campaign is not ready: subject_missing, sender_missing, content_missing',
    ]);
    const campaign = await made();
    for (const status of ['draft', 'scheduled', 'paused', 'sent', 'canceled']) {
      await under.sql('update campaigns set status = $2 where id = $1', [campaign.id, status]);
      expect((await test(campaign.id, { to: ['me@mail.test'] })).status).toBe(202);
    }
    under.domains.set('shop.test', { dns_valid: false });
    await under.domainChanged(account, 'shop.test');
    const broken = await test(campaign.id, { to: ['me@mail.test'] });
    expect(broken.body.message).toBe('campaign is not ready: sender_domain_invalid');
    under.domains.set('shop.test', {});
  });

  it('spec 3-marketing §3.2 test-send: an error of the messages service is returned, and does not count', async () => {
    const campaign = await made();
    for (const [problem, status, message] of [
      ['account_suspended', 403, 'account is suspended'],
      ['credit_used_up', 403, 'monthly sending limit reached'],
      ['domain_missing', 400, 'campaign is not ready: sender_missing'],
      ['domain_paused', 400, 'campaign is not ready: sender_domain_paused'],
      ['domain_dns_invalid', 400, 'campaign is not ready: sender_domain_invalid'],
    ] as const) {
      under.answer = () => ({ ok: false, problem });
      for (let nth = 0; nth < 5; nth += 1) {
        const response = await test(campaign.id, { to: ['me@mail.test'] });
        expect([response.status, response.body.message]).toEqual([status, message]);
      }
    }
    under.answer = ({ recipients }) => ({
      ok: true,
      recipients: recipients.map(({ message_id }) => ({
        message_id,
        outcome: 'failed',
        reason: 'too large',
      })),
    });
    const { body } = await test(campaign.id, { to: ['me@mail.test'] });
    const recipient = { email: 'me@mail.test', name: '' };
    expect(body.data).toEqual([
      { object: 'message', id: null, recipient, status: 'error', error: 'too large' },
    ]);
  });

  it('spec 3-marketing §3.2 test-send: 20 test messages of a campaign an hour, also with concurrent requests', async () => {
    const [campaign, other] = [await made(), await made()];
    const to = ['a@mail.test', 'b@mail.test', 'c@mail.test', 'd@mail.test', 'e@mail.test'];
    const responses = await Promise.all(Array.from({ length: 6 }, () => test(campaign.id, { to })));
    expect(responses.map(({ status }) => status).toSorted()).toEqual([202, 202, 202, 202, 429, 429]);
    const late = responses.find(({ status }) => status === 429);
    const seconds = Number(late?.headers['retry-after']);
    expect(seconds > 0 && seconds <= 3_600).toBe(true);
    expect((await test(other.id, { to })).status).toBe(202);
    await under.sql(
      `update campaign_tests set created_at = created_at - interval '1 hour' where campaign_id = $1`,
      [campaign.id],
    );
    expect((await test(campaign.id, { to })).status).toBe(202);
  });

  it('spec 3-marketing §3.2 test-send: a key sends once', async () => {
    const campaign = await made();
    const headers = { 'idempotency-key': newId() };
    const first = await test(campaign.id, { to: ['me@mail.test'] }, headers);
    const again = await test(campaign.id, { to: ['me@mail.test'] }, headers);
    expect([again.status, again.text, under.sends.length]).toEqual([202, first.text, 1]);
  });

  it('spec 3-marketing §3.2 test-send: repeated with its key after a lost answer, it sends the same messages once', async () => {
    const campaign = await made();
    const headers = { 'idempotency-key': newId() };
    const body = { to: ['me@mail.test', 'you@mail.test'] };
    const idsOf = () => under.sends.map(({ recipients }) => recipients.map((one) => one.message_id));
    under.answer = () => {
      throw new Error('the answer is lost');
    };
    for (let nth = 0; nth < 12; nth += 1)
      expect((await test(campaign.id, body, headers)).status).toBeGreaterThanOrEqual(500);
    under.answer = undefined;
    const response = await test(campaign.id, body, headers);
    expect(response.status).toBe(202);
    expect(new Set(idsOf().map((ids) => ids.join())).size).toBe(1);
    expect(response.body.data.map(({ id }: { id: string }) => id.slice(1, 37))).toEqual(idsOf()[0]);
    const other = await test(campaign.id, body, { 'idempotency-key': newId() });
    expect(other.status).toBe(202);
    expect(idsOf().at(-1)).not.toEqual(idsOf()[0]);
  });

  it('spec 3-marketing §3.2 test-send: the response has the time to wait', () => {
    const at = (minutes: number, messages: number) => ({ messages, createdAt: new Date(minutes * 60_000) });
    const now = new Date(30 * 60_000);
    expect(waitFor([], 5, now)).toBe(0);
    expect(waitFor([at(0, 15)], 5, now)).toBe(0);
    expect(waitFor([at(0, 1), at(10, 5), at(20, 14)], 1, now)).toBe(30 * 60_000);
    expect(waitFor([at(0, 1), at(10, 5), at(20, 14)], 5, now)).toBe(40 * 60_000);
  });
});
