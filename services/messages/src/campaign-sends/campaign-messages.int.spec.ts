import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DeliveryAttempted } from '@postmesh/delivery-worker-contract';
import { MessageChanged, type MessageChangedEvent } from '@postmesh/messages-contract';
import { newId, type EventEnvelope, type MessageId } from '@postmesh/contracts';
import type { BlobStore } from '@postmesh/blob-store';
import { BLOB_STORE } from '@postmesh/service-host';
import { parseMessage } from '@postmesh/mail-format';
import { LinkTokens, type PublicLink } from '@postmesh/public-links';
import { deliver, recordEvents, type RecordedEvents } from '@postmesh/service-testing';
import { testDatabase } from '@postmesh/testing';
import { MessagesRepository } from '../read-message/messages.repository.js';
import { StoredContents } from '../read-message/stored-contents.js';
import { SealSegments } from '../search-index/seal-segments.js';
import { FoldStatistics } from '../statistics/fold-statistics.js';
import { campaignSend, recipientOf, someRecipients } from '../testing/campaign-sends-under-test.js';
import { complaint, dsn, report } from '../testing/reports-under-test.js';
import { startSends, type SendsUnderTest } from '../testing/sends-under-test.js';

// proven again: contents of links, values that no contact of the API can have, and rows, events and stored bytes
const database = testDatabase();
const TRACKED = { track_opens: true, track_clicks: true };
const never = new AbortController().signal;
let under: SendsUnderTest;
let published: RecordedEvents<EventEnvelope>;

beforeAll(async () => {
  under = await startSends(database.url);
  published = await recordEvents(under.bus, { streams: ['messages'], pick: (event) => event });
});
afterAll(() => under?.stop());

type Wanted = Parameters<typeof campaignSend>[2];

/** One accepted message in its sent form. */
async function sent(recipient: ReturnType<typeof recipientOf>, wanted: Wanted = {}) {
  const result = await campaignSend(under, [recipient], wanted);
  expect(result).toMatchObject({ ok: true, recipients: [{ outcome: 'accepted' }] });
  return composed(recipient.message_id);
}

async function composed(id: string) {
  const stored = await under.service.get(MessagesRepository).find(id as MessageId);
  const raw = await under.service.get(StoredContents).read(stored!);
  const { parts, headers } = await parseMessage(raw!);
  const textOf = (type: string) => parts.find((part) => part.content_type.startsWith(type))?.content;
  return {
    headers,
    html: textOf('text/html'),
    text: textOf('text/plain'),
    types: parts.map((p) => p.content_type),
  };
}

const linkOf = (url: string | undefined): PublicLink | undefined =>
  under.service.get(LinkTokens).read(url?.split('/').at(-1) ?? '');
const urlsIn = (text = ''): string[] => text.match(/https?:\/\/[^\s"<>]+/g) ?? [];

async function contentIdOf(id: string): Promise<string> {
  const rows = await under.sql<{ id: string }>('select content_id as id from send_requests where id = $1', [
    id,
  ]);
  return rows[0]?.id ?? '';
}

const attempted = (recipient: { message_id: string; email: string }, change: object) => {
  const [example] = DeliveryAttempted.examples;
  const data = { ...example!, message_id: recipient.message_id, recipient: recipient.email, tags: undefined };
  return DeliveryAttempted.make({ ...data, ...change }, { account_id: under.accountId });
};

describe('the message of a campaign', () => {
  it('spec 3-marketing §7.2 rule 3: has its own Message-ID, To and Reply-To, and the headers for unsubscribing', async () => {
    const recipient = recipientOf({ name: 'Ann Example' });
    const campaignId = newId();
    const content = { from: { email: 'news@links.test', name: 'Shop, Inc.' }, reply_to: 'help@else.test' };
    const { headers, types } = await sent(recipient, { campaignId, content });
    expect(headers).toMatchObject({
      'Message-ID': [`<${recipient.message_id}@links.test>`],
      'List-Unsubscribe-Post': ['List-Unsubscribe=One-Click'],
      'Reply-To': ['help@else.test'],
      To: ['Ann Example <ann@mail.test>'],
      From: [expect.stringContaining('<news@links.test>')],
      'Feedback-ID': [`${campaignId}:${under.accountId}:marketing:postmesh`],
    });
    expect(types).toEqual([expect.stringContaining('text/plain'), expect.stringContaining('text/html')]);
    const [unsubscribe = ''] = headers['List-Unsubscribe'] ?? [];
    expect(unsubscribe).toMatch(/^<https:\/\/subs\.links\.test\/u\/[\w-]+>$/);
    expect(linkOf(unsubscribe.slice(1, -1))).toEqual({
      kind: 'campaign-unsubscribe',
      messageId: recipient.message_id,
      accountId: under.accountId,
      campaignId,
      contactId: recipient.contact_id,
    });
  });

  it('spec 3-marketing §7.2 rule 3: without HTML is one text', async () => {
    const { types } = await sent(recipientOf(), { content: { html: null } });
    expect(types).toEqual([expect.stringContaining('text/plain')]);
  });

  it('spec 3-marketing §7.6 rule 1: has its own links unchanged, with any tracking', async () => {
    const html = `<p><a href="https://shop.test/a">a</a><a href="{{ unsubscribe_url }}">u</a>
      <a href="{{ view_browser_url }}?from=mail">v</a></p>`;
    const recipient = recipientOf();
    const mail = await sent(recipient, {
      account: TRACKED,
      content: { html, text: '{{ view_browser_url }}' },
    });
    const kinds = urlsIn(mail.html).map((url) => linkOf(url.split('?')[0])?.kind);
    expect(kinds).toEqual(['click', 'campaign-unsubscribe', 'view', 'open']);
    expect(linkOf(urlsIn(mail.text)[0])).toEqual({ kind: 'view', messageId: recipient.message_id });
  });

  it('spec 3-marketing §5.4 rule 1: treats an empty value as none, and prefers its own names to attributes', async () => {
    const values = {
      first_name: '',
      last_name: null,
      email: 'else@mail.test',
      unsubscribe_url: 'https://bad.test',
      score: 12.5,
      vip: true,
    };
    const text =
      '{{ first_name|default("there") }}|{{ last_name }}|{{ email }}|{{ score }}|{{ vip }}|{{ unsubscribe_url }}';
    const mail = await sent(recipientOf({ values }), { content: { text } });
    const [name, last, email, score, vip, unsubscribe] = (mail.text ?? '').trim().split('|');
    expect([name, last, email, score, vip]).toEqual(['there', '', 'ann@mail.test', '12.5', 'true']);
    expect(linkOf(unsubscribe)?.kind).toBe('campaign-unsubscribe');
  });

  it('spec 3-marketing §5.4 rule 2: escapes values in HTML and preheader, and nowhere else', async () => {
    const values = { first_name: '<b>\r\nAnn</b>' };
    const html = '<body>{{ first_name }}|{{ first_name|safe }}</body>';
    const preheader = 'R&D {{ first_name }} {{ first_name|safe }}';
    const { headers, ...mail } = await sent(recipientOf({ values }), { content: { html, preheader } });
    expect(headers['Subject']).toEqual(['Hello <b> Ann</b>']);
    expect(mail.text).toContain('Hi <b>');
    const flat = mail.html?.replaceAll(/\r?\n/g, '') ?? '';
    expect(flat).toMatch(/<div style="display:none[^>]*>R&amp;D &lt;b&gt;Ann&lt;\/b&gt; <b>Ann<\/b><\/div>/);
    expect(flat).toContain('&lt;b&gt;Ann&lt;/b&gt;|<b>Ann</b></body>');
  });

  it('spec 3-marketing §5.4: stores no attribute that it does not use', async () => {
    const recipients = someRecipients(2, { values: { first_name: 'Ann', secret: 'not for blobs' } });
    await campaignSend(under, recipients);
    const id = await contentIdOf(recipients[0]!.message_id);
    const kept = (await under.service.get<BlobStore>(BLOB_STORE).get([id])).get(id)?.toString() ?? '';
    expect(kept).toContain('Ann');
    expect(kept).not.toContain('not for blobs');
    expect((await composed(recipients[1]!.message_id)).text).toContain('Hi Ann');
  });
});

describe('a test of a campaign', () => {
  it('spec 3-marketing §3.2 rule 3: is an ordinary message of the account', async () => {
    const recipient = recipientOf({ contact_id: null, email: 'tester@mail.test' });
    await campaignSend(under, [recipient], { test: true });
    const path = `/v2/accounts/${under.accountId}/messages`;
    expect((await under.call('GET', `${path}/${recipient.message_id}`)).body).toMatchObject({
      recipient: 'tester@mail.test',
      template_id: null,
    });
    expect((await under.call('GET', `${path}?recipient=tester@mail.test`)).body.data).toHaveLength(1);
    const { data } = await under.accepted.until(() =>
      under.accepted.events.find((event) => event.data.send_request_id === recipient.message_id),
    );
    expect(data).not.toHaveProperty('campaign');
    expect(data).not.toHaveProperty('campaign_id');
    expect(data).not.toHaveProperty('sender_name');
  });
});

describe('a mail of a sign-up', () => {
  const links = {
    confirm_url: 'https://subs.links.test/j/abc',
    unsubscribe_url: 'https://subs.links.test/p/def',
  };
  const from = { email: 'news@links.test', name: 'Shop' };

  it('asks for a confirmation without tracking, a mark of tests, or a way to unsubscribe', async () => {
    const values = { confirm_url: links.confirm_url, subject: 'Please {{ confirm }}', parts: ['a <b>'] };
    const recipient = recipientOf({ contact_id: null, values });
    const content = {
      ...{ from, subject: '{{ subject }}', text: '{{ confirm_url }}' },
      html: '{% for part in parts %}<p>{{ part }}</p>{% endfor %}<a href="{{ confirm_url }}">ok</a>',
    };
    const mail = await sent(recipient, { test: true, purpose: 'confirmation', content, account: TRACKED });
    expect(mail.headers).toMatchObject({ Subject: ['Please {{ confirm }}'] });
    expect(mail.headers).not.toHaveProperty('List-Unsubscribe');
    expect(urlsIn(mail.html)).toEqual([links.confirm_url]);
    expect(mail.html).toContain('<p>a &lt;b&gt;</p>');
  });

  it('welcomes with the way out that the caller gives', async () => {
    const recipient = recipientOf({ values: { unsubscribe_url: links.unsubscribe_url } });
    const content = { from, subject: 'Welcome', html: '<a href="{{ unsubscribe_url }}">stop</a>' };
    const mail = await sent(recipient, { test: true, purpose: 'welcome', content });
    expect(mail.headers).toMatchObject({
      Subject: ['Welcome'],
      'List-Unsubscribe': [`<${links.unsubscribe_url}>`],
      'List-Unsubscribe-Post': ['List-Unsubscribe=One-Click'],
    });
    expect(urlsIn(mail.html)).toEqual([links.unsubscribe_url]);
  });
});

describe('messages of campaigns', () => {
  it('spec 3-marketing §7.7: are in no segment of the search, and their changes are not noted', async () => {
    const account = newId();
    const recipients = someRecipients(100);
    await campaignSend(under, recipients, { accountId: account });
    await under.sql(`update messages set created_at = now() - interval '1 hour' where account_id = $1`, [
      account,
    ]);
    await under.sql(`update messages set status = 'Delivered' where account_id = $1`, [account]);
    expect(await under.sql('select from search_changes where account_id = $1', [account])).toEqual([]);
    await under.service.get(SealSegments).findAccounts();
    expect(await under.sql('select from search_accounts where account_id = $1', [account])).toEqual([]);
  });

  it('spec 1-platform §15 rule 4: count in no statistics except the bounce rate of their domain', async () => {
    const account = newId();
    const recipients = someRecipients(3);
    const [one, two, three] = recipients as [
      (typeof recipients)[0],
      (typeof recipients)[0],
      (typeof recipients)[0],
    ];
    const campaignId = newId();
    await campaignSend(under, recipients, { accountId: account, campaignId });
    const now = new Date().toISOString();
    const about = { campaign_id: campaignId, finished_at: now };
    const events = [
      attempted(one, about),
      attempted(two, { ...about, outcome: 'bounced' }),
      attempted(three, { ...about, outcome: 'deferred' }),
    ].map((event) => ({ ...event, account_id: account }));
    await deliver(under.service, events);
    const left = async () => {
      await under.service.get(FoldStatistics).fold(never);
      return (await under.sql('select from statistics_facts')).length;
    };
    await expect.poll(left).toBe(0);
    const counters = await under.sql<{ detail: string; sum: number }>(
      `select detail, sum(delivered + bounced + received + deferred)::int as sum from statistics_counters
       where account_id = $1 group by detail order by detail`,
      [account],
    );
    // the console alone shows providers: three outcomes, by hour, day and month (decision 127)
    expect(counters).toEqual([
      { detail: 'campaigns', sum: 6 },
      { detail: 'providers', sum: 9 },
    ]);
    const since = new Date(Date.now() - 3_600_000).toISOString();
    const domains = [{ account_id: account, domain: 'shop.test', since }];
    const { body } = await under.internal('POST', '/internal/bounce-figures', { domains });
    expect(body).toMatchObject({ figures: [{ delivered: 1, bounced: 1 }] });
    const statistics = await under.internal('POST', '/internal/bounce-figures', {
      min_bounced: 1,
      offset: 0,
    });
    expect((statistics.body as { figures: object[] }).figures).toContainEqual(
      expect.objectContaining({ account_id: account, bounced: 1 }),
    );
  });

  it('spec 1-platform §10.4 rule 6: count in the credit of the account', async () => {
    const account = newId();
    const capped = { accountId: account, account: { monthly_credit: 3 } };
    expect(await campaignSend(under, someRecipients(2), capped)).toMatchObject({ ok: true });
    expect(await campaignSend(under, someRecipients(2), capped)).toEqual({
      ok: false,
      problem: 'credit_used_up',
    });
    expect(await campaignSend(under, someRecipients(1), capped)).toMatchObject({ ok: true });
    const [row] = await under.sql<{ accepted: number }>(
      'select sum(accepted)::int as accepted from usage where account_id = $1 and not whole_family',
      [account],
    );
    expect(row).toEqual({ accepted: 3 });
  });

  it('spec 3-marketing §7.5: publish bounces and complaints with their campaign, a complaint once', async () => {
    const [bounced, complained] = [
      recipientOf({ email: 'b@mail.test' }),
      recipientOf({ email: 'c@mail.test' }),
    ];
    const campaignId = newId();
    await campaignSend(under, [bounced, complained], { campaignId });
    const outcomes = [bounced, complained].map((one) => attempted(one, { campaign_id: campaignId }));
    await deliver(under.service, outcomes);
    await report(under, { kind: 'bounce', recordId: bounced.message_id, raw: dsn(bounced.email) });
    for (let nth = 0; nth < 2; nth++) {
      const raw = complaint('abuse', complained.email);
      await report(under, { kind: 'feedback', recordId: complained.message_id, raw });
    }
    const changes = await published.until(() => {
      const of = published.events.filter(
        ({ data }) => (data as { campaign_id?: string }).campaign_id === campaignId,
      );
      const changed = of.filter(({ type }) => type === MessageChanged.type) as MessageChangedEvent[];
      const reported = changed.filter(({ data }) => data.change !== 'delivered');
      return reported.length >= 3 && reported;
    });
    const bounce = changes.find(({ data }) => data.change === 'bounced');
    expect(bounce?.data).toMatchObject({ message_id: bounced.message_id, sender_name: 'Shop' });
    const complaints = changes.filter(({ data }) => data.change === 'complained');
    expect(complaints.map(({ data }) => data)).toMatchObject([
      { message_id: complained.message_id, recipient: 'c@mail.test' },
      { message_id: complained.message_id },
    ]);
    expect(new Set(complaints.map(({ id }) => id)).size).toBe(1);
    expect(await under.sql(`select protected from suppressions where email = 'c@mail.test'`)).toEqual([
      { protected: true },
    ]);
  });
});
