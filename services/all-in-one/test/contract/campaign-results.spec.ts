import { beforeAll, describe, expect, it } from 'vitest';
import {
  eventually,
  sharedInstallation,
  TIMESTAMP,
  unique,
  type Account,
  type HttpResponse,
} from './harness.js';
import { send as request } from './http-request.js';

const postmesh = sharedInstallation();
const FORM = 'application/x-www-form-urlencoded';
const ONE_CLICK = 'List-Unsubscribe=One-Click';
// A person behind an image proxy: such a click does not count as automatic, even soon after the delivery.
const PERSON = 'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)';
const BOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
const HTML =
  '<html><body><p>Hi {{ first_name }}</p><p><a href="https://shop.test/a">shop</a></p><p><a href="{{ unsubscribe_url }}">stop</a></p></body></html>';

// The local part of a recipient selects the behaviour of the sink (docs/local-internet.md).
const KINDS = ['reader', 'bot', 'stops', 'bounce', 'latebounce', 'complain'] as const;
type Kind = (typeof KINDS)[number];

let account: Account;
let domain: string;
let lists: string[];
let campaign: string;
const people = Object.fromEntries(KINDS.map((kind) => [kind, `${unique(kind)}@mail.test`])) as Record<
  Kind,
  string
>;

const ok = ({ status, body, bytes }: HttpResponse, wanted: number) => {
  if (status !== wanted) throw new Error(`${status} ${bytes.toString()}`);
  return body;
};
const api = async (wanted: number, method: string, path: string, body?: object) =>
  ok(await postmesh.api(account.key, method, `{A}${path}`, body === undefined ? {} : { body }), wanted);
const stats = () => api(200, 'GET', `/campaigns/${campaign}/stats`);
const recipients = async (parameters = '') =>
  (await api(200, 'GET', `/campaigns/${campaign}/recipients?${parameters}`)).data;
const recipient = async (kind: Kind) => (await recipients(`email=${encodeURIComponent(people[kind])}`))[0];
const contact = (kind: Kind) => api(200, 'GET', `/contacts/${encodeURIComponent(people[kind])}`);
const membership = async (kind: Kind, list: string) =>
  (await api(200, 'GET', `/lists/${list}/contacts?email=${encodeURIComponent(people[kind])}`)).data[0];

async function mailOf(kind: Kind) {
  await eventually(() => postmesh.messagesTo(people[kind]), 30_000).toHaveLength(1);
  const [message] = await postmesh.messagesTo(people[kind]);
  const text = (await postmesh.messageText(message!.id)).replaceAll(/=\r?\n/g, '').replaceAll('=3D', '=');
  const head = text.replaceAll(/\r?\n[ \t]+/g, ' ');
  return {
    unsubscribe: new URL(/^List-Unsubscribe: <([^>]+)>/im.exec(head)![1]!).pathname,
    pixel: new URL(/<img src="([^"]+\/o\/[\w-]+)"/.exec(text)![1]!).pathname,
    link: new URL(/href="([^"]+\/c\/[\w-]+)"/.exec(text)![1]!).pathname,
    text,
  };
}

const get = (path: string) => postmesh.api(null, 'GET', path);
const post = (path: string, body: string) =>
  postmesh.api(null, 'POST', path, { rawBody: body, headers: { 'content-type': FORM } });
const fetchAs = (path: string, agent: string) =>
  request({ method: 'GET', url: `${postmesh.url}${path}`, headers: { 'user-agent': agent } });

beforeAll(async () => {
  account = await postmesh.newAccount();
  domain = await postmesh.verifiedDomain(account);
  await api(200, 'PUT', '', { track_opens: true, track_clicks: true });
  const made = ['One', 'Other'].map(async (name) => (await api(201, 'POST', '/lists', { name })).id);
  lists = await Promise.all(made);
  for (const email of Object.values(people))
    await api(201, 'POST', '/contacts', { email, first_name: 'Ann' });
  for (const list of lists)
    await api(200, 'POST', `/lists/${list}/contacts/batch`, {
      data: Object.values(people).map((email) => ({ email })),
    });
  const body = {
    ...{ name: unique('News'), subject: 'News', list_ids: lists },
    ...{ from: { email: `news@${domain}`, name: 'Shop' }, content: { html: HTML } },
  };
  campaign = (await api(201, 'POST', '/campaigns', body)).id;
});

it('spec 3-marketing §8.1 results need the scope to read campaigns', async () => {
  const narrow = await postmesh.newKey(account, { scopes: ['campaigns:write'] });
  for (const path of ['stats', 'recipients']) {
    expect((await postmesh.api(narrow, 'GET', `{A}/campaigns/${campaign}/${path}`)).status).toBe(403);
  }
});

describe('after sending', () => {
  it('spec 3-marketing §8.1 rule 2: the outcome of each message is the status of its recipient', async () => {
    await api(200, 'POST', `/campaigns/${campaign}/send`, {});
    await eventually(async () => (await api(200, 'GET', `/campaigns/${campaign}`)).status, 60_000).toBe(
      'sent',
    );
    await eventually(async () => (await stats()).complained, 60_000).toBe(1);
    await eventually(async () => (await stats()).bounced, 60_000).toBe(2);
    await eventually(async () => (await stats()).delivered, 60_000).toBe(4);
    expect(await stats()).toEqual({
      ...{
        object: 'campaign_stats',
        campaign_id: campaign,
        recipients: 6,
        updated_at: expect.stringMatching(TIMESTAMP),
      },
      ...{
        pending: 0,
        queued: 0,
        deferred: 0,
        delivered: 4,
        bounced: 2,
        failed: 0,
        suppressed: 0,
        skipped: 0,
      },
      ...{ canceled: 0, opened: 0, opens: 0, clicked: 0, clicks: 0, unsubscribed: 0, complained: 1 },
      ...{ track_opens: true, track_clicks: true },
    });
    const bounced = await recipients('status=bounced');
    expect(bounced.map(({ email }: { email: string }) => email).toSorted()).toEqual(
      [people.bounce, people.latebounce].toSorted(),
    );
    expect(await recipient('bounce')).toMatchObject({ status_reason: 'InvalidRecipient' });
    expect(await recipient('latebounce')).toMatchObject({ delivered_at: expect.any(String) });
    expect(await recipient('reader')).toMatchObject({
      message_id: expect.stringMatching(new RegExp(`^<[0-9a-f-]{36}@${domain.replaceAll('.', '\\.')}>$`)),
    });
  });

  it('spec 3-marketing §7.5: a complaint freezes all matched memberships; contact and status stay', async () => {
    const { complained_at: at, status } = await recipient('complain');
    expect([status, at]).toEqual(['delivered', expect.stringMatching(TIMESTAMP)]);
    for (const list of lists)
      expect(await membership('complain', list)).toMatchObject({
        subscription_status: 'complained',
        unsubscribed_at: at,
      });
    expect(await contact('complain')).toMatchObject({ unsubscribed: false, status: 'enabled' });
    const rows = await api(200, 'GET', `/suppressions?email=${encodeURIComponent(people.complain)}`);
    expect(rows.data).toMatchObject([{ reason: 'FBL Complaint Report', protected: true }]);
  });

  it('spec 3-marketing §7.6: opens and clicks count, recipients once and events each; bots count nowhere, unsubscribe links are not rewritten', async () => {
    const mail = await mailOf('reader');
    const bot = await mailOf('bot');
    expect(mail.text).toContain(`href="${postmesh.credentials.base_url}${mail.unsubscribe}"`);
    await fetchAs(mail.pixel, PERSON);
    await fetchAs(mail.link, PERSON);
    await fetchAs(mail.link, PERSON);
    await fetchAs(bot.pixel, BOT);
    await eventually(stats, 30_000).toMatchObject({ clicked: 1, clicks: 2 });
    await eventually(
      () =>
        postmesh.sql<{ is_bot: boolean }>(
          'select is_bot from marketing.campaign_fetches where campaign_id = $1 order by is_bot',
          [campaign],
        ),
      30_000,
    ).toEqual([false, false, false, true].map((isBot) => ({ is_bot: isBot })));
    expect(await stats()).toMatchObject({ opened: 1, opens: 1, clicked: 1, clicks: 2 });
    expect(await recipient('reader')).toMatchObject({
      open_count: 1,
      click_count: 2,
      opened_at: expect.any(String),
    });
    expect(await recipient('bot')).toMatchObject({ open_count: 0, opened_at: null });
    expect(await recipients('opened=true')).toHaveLength(1);
  });

  it('spec 3-marketing §7.4 rule 5, §7.4 rule 6: one click counts once, suppresses no address and can be undone', async () => {
    const before = (await stats()).unsubscribed;
    const { unsubscribe } = await mailOf('stops');
    const page = await get(unsubscribe);
    expect([page.status, page.bytes.toString().includes(people.stops)]).toEqual([200, true]);
    for (const _repeated of [1, 2]) {
      const { status, bytes, headers } = await post(unsubscribe, ONE_CLICK);
      expect([status, bytes.length, headers['set-cookie']]).toEqual([200, 0, undefined]);
    }
    for (const list of lists)
      expect(await membership('stops', list)).toMatchObject({ subscription_status: 'unsubscribed' });
    expect(await contact('stops')).toMatchObject({ unsubscribed: false });
    expect((await api(200, 'GET', `/suppressions?email=${encodeURIComponent(people.stops)}`)).data).toEqual(
      [],
    );
    expect((await stats()).unsubscribed).toBe(before + 1);
    // spec 3-marketing §7.4 rule 5: reversible
    await api(200, 'PUT', `/lists/${lists[0]}/contacts/${encodeURIComponent(people.stops)}`, {
      subscription_status: 'confirmed',
    });
    expect(await membership('stops', lists[0]!)).toMatchObject({ subscription_status: 'confirmed' });
  });

  it('spec 3-marketing §7.7: campaign messages are not among messages nor in transactional statistics', async () => {
    // the bounce and the complaint of two of them are mail that the account received
    const { data } = await api(200, 'GET', '/messages');
    expect(data.filter((message: { direction: string }) => message.direction !== 'inbound')).toEqual([]);
    const [sums] = (await api(200, 'GET', '/statistics/transactional/deliverability?group_by=month')).data;
    expect(sums).toMatchObject({ reception_count: 0, delivered_count: 0, bounced_count: 0, opened_count: 0 });
  });
});
