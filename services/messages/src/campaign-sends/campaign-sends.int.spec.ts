import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '@postmesh/contracts';
import { testDatabase } from '@postmesh/testing';
import { CONTENT, campaignSend, recipientOf, someRecipients } from '../testing/campaign-sends-under-test.js';
import { startSends, type SendsUnderTest } from '../testing/sends-under-test.js';

// proven again: a batch is one commit, also when several workers hand it over at once or repeatedly
const database = testDatabase();
let under: SendsUnderTest;

beforeAll(async () => {
  under = await startSends(database.url);
});
afterAll(() => under?.stop());

const acceptedOf = (recipients: readonly { message_id: string }[]) => ({
  ok: true,
  recipients: recipients.map(({ message_id }) => ({ message_id, outcome: 'accepted' })),
});

const rowsOf = (ids: readonly string[]) =>
  under.sql<{ id: string; campaign_id: string; subject: string; kind: string; status: string }>(
    `select m.id, m.campaign_id, coalesce(m.subject, s.subject) as subject, s.kind, m.status
     from messages m join send_requests s on s.id = m.send_request_id where m.id = any($1::uuid[]) order by m.id`,
    [ids],
  );
const idsOf = (recipients: readonly { message_id: string }[]) =>
  recipients.map(({ message_id }) => message_id);

describe('a batch of a campaign', () => {
  it('spec 3-marketing §7.2 rule 2: is stored in one commit, under the ids of the request', async () => {
    const recipients = someRecipients(100);
    const campaignId = newId();
    expect(await campaignSend(under, recipients, { campaignId })).toEqual(acceptedOf(recipients));
    const rows = await rowsOf(idsOf(recipients));
    expect(rows).toHaveLength(100);
    expect(new Set(rows.map(({ campaign_id }) => campaign_id))).toEqual(new Set([campaignId]));
    expect(rows[0]).toMatchObject({ kind: 'campaign', subject: 'Hello Ann', status: 'Received' });
    const event = await under.accepted.until(() =>
      under.accepted.events.find(({ data }) => data.send_request_id === recipients[0]!.message_id),
    );
    expect(event.data).toMatchObject({
      campaign: true,
      campaign_id: campaignId,
      sender: 'news@shop.test',
      sender_name: 'Shop',
    });
    expect(event.data.recipients).toHaveLength(100);
  });

  it('spec 3-marketing §7.2 rule 2: that is handed over again is the stored one', async () => {
    const recipients = someRecipients(3);
    const campaignId = newId();
    const first = await campaignSend(under, recipients, { campaignId });
    const account = { status: 'suspended' as const };
    expect(await campaignSend(under, recipients, { campaignId, account })).toEqual(first);
    expect(await rowsOf(idsOf(recipients))).toHaveLength(3);
  });

  it('spec 3-marketing §7.2 rule 2: that is handed over several times at once is stored once', async () => {
    const recipients = someRecipients(20);
    const campaignId = newId();
    // a worker that has lost its lease, and its successor, which left some out
    const batches = [recipients, recipients.slice(3), recipients, recipients.slice(0, 10), recipients];
    const results = await Promise.all(batches.map((batch) => campaignSend(under, batch, { campaignId })));
    expect(results).toEqual(batches.map(acceptedOf));
    expect(await rowsOf(idsOf(recipients))).toHaveLength(20);
    const announced = await under.accepted.until(() => {
      const events = under.accepted.events.filter(({ data }) => data.campaign_id === campaignId);
      const ids = events.flatMap(({ data }) => data.recipients.map(({ id }) => id));
      return ids.length >= 20 && ids;
    });
    expect(announced.sort()).toEqual(idsOf(recipients).sort());
  });

  it('spec 3-marketing §7.3: leaves suppressed recipients out, and reports them again', async () => {
    const [suppressed, other] = [recipientOf({ email: 'gone@mail.test' }), recipientOf()];
    await under.sql(
      `insert into suppressions (id, account_id, domain, email, reason, protected, source, created_at, expires_at)
       values ($1, $2, 'shop.test', 'gone@mail.test', '', false, 'api', now(), now() + interval '1 day')`,
      [newId(), under.accountId],
    );
    const expected = {
      ok: true,
      recipients: [
        { message_id: suppressed.message_id, outcome: 'suppressed' },
        { message_id: other.message_id, outcome: 'accepted' },
      ],
    };
    expect(await campaignSend(under, [suppressed, other])).toEqual(expected);
    expect(await campaignSend(under, [suppressed, other])).toEqual(expected);
  });

  it('spec 3-marketing §7.2 rule 4: continues without a recipient whose message cannot be rendered', async () => {
    const html = '<p>{% for n in numbers %}{{ n }}{% endfor %}</p>';
    const bad = recipientOf({ values: { numbers: 'x'.repeat(3), many: 1 } });
    const broken = recipientOf({ email: 'no address' });
    const good = recipientOf({ values: { numbers: [1, 2] } });
    const loops = recipientOf({ values: { numbers: Array.from({ length: 10_001 }, () => 1) } });
    const result = await campaignSend(under, [bad, broken, good, loops], { content: { ...CONTENT, html } });
    expect(result).toMatchObject({
      ok: true,
      recipients: [
        { outcome: expect.stringMatching(/accepted|failed/) as string },
        { outcome: 'failed', reason: expect.stringContaining('address') as string },
        { message_id: good.message_id, outcome: 'accepted' },
        { outcome: 'failed', reason: expect.stringContaining('10000 loop steps') as string },
      ],
    });
  });

  it.each([
    ['account_suspended', { account: { status: 'suspended' as const } }],
    ['domain_missing', { content: { from: { email: 'a@unknown.test', name: '' } } }],
    ['domain_dns_invalid', { content: { from: { email: 'a@unchecked.test', name: '' } } }],
    ['domain_paused', { content: { from: { email: 'a@paused.test', name: '' } } }],
    ['credit_used_up', { accountId: newId(), account: { monthly_credit: 1 } }],
  ])('spec 3-marketing §4.2: is stored as a whole or not at all: %s', async (problem, wanted) => {
    const recipients = someRecipients(2);
    expect(await campaignSend(under, recipients, wanted)).toEqual({ ok: false, problem });
    expect(await rowsOf(idsOf(recipients))).toEqual([]);
  });

  // the last test: from then on every batch has the flag
  it('has a flag when others send, so that campaigns slow down', async () => {
    expect(await campaignSend(under, someRecipients(1))).not.toHaveProperty('beside_others');
    const { status } = await under.send('/conversation', {
      from: { email: 'news@shop.test' },
      to: [{ email: 'ann@mail.test' }],
      subject: 'Your code',
      text_content: '123456',
    });
    expect(status).toBe(202);
    expect(await campaignSend(under, someRecipients(1))).toHaveProperty('beside_others', true);
    const again = someRecipients(1);
    await campaignSend(under, again, { campaignId: newId() });
    expect(await campaignSend(under, again)).toHaveProperty('beside_others', true);
  });
});
