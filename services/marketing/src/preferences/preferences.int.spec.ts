import type { AccountId } from '@postmesh/contracts';
import { testDatabaseWithClock } from '@postmesh/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startSignUps, type SignUpsUnderTest } from '../sign-ups/testing/sign-ups-under-test.js';

const database = testDatabaseWithClock();
let marketing: SignUpsUnderTest;
beforeAll(async () => {
  marketing = await startSignUps(database.url);
});
afterAll(() => marketing?.stop());
beforeEach(() => database.advance(0));

const DAY = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * DAY).toISOString().slice(0, 10);

interface Reader {
  accountId: AccountId;
  contactId: string;
  /** public under these titles, then one that is private */
  lists: string[];
  link: string;
}

/** A contact on the first and on the last of its lists. */
async function newReader(titles: readonly string[] = ['News', 'Offers']): Promise<Reader> {
  const accountId = marketing.account();
  const api = async (method: 'PUT' | 'POST', path: string, body: object) =>
    (await marketing.call(method, `/v2/accounts/${accountId}${path}`, { account_id: accountId, body })).body;
  const { id: contactId } = await api('POST', '/contacts', { email: 'ann@mail.test' });
  const lists: string[] = [];
  for (const title of [...titles, '']) {
    const id = await marketing.list(accountId, 0);
    lists.push(id);
    if (title === '') continue;
    const shown = await marketing.console(accountId, 'PUT', `/lists/${id}/preferences`, {
      is_public: true,
      title,
    });
    expect(shown.body).toEqual({ object: 'public_list', list_id: id, is_public: true, title });
  }
  for (const id of [lists[0], lists.at(-1)]) await api('PUT', `/lists/${id}/contacts/${contactId}`, {});
  const link = `/p/${marketing.tokens.sign({ kind: 'preferences', accountId, contactId })}`;
  return { accountId, contactId, lists, link };
}

const statusesOf = async ({ contactId, lists }: Reader) => {
  const rows = await marketing.sql<{ list: string; status: string }>(
    'select list_id as list, subscription_status as status from memberships where contact_id = $1',
    [contactId],
  );
  return lists.map((id) => rows.find(({ list }) => list === id)?.status ?? null);
};
const contactOf = async ({ accountId, contactId }: Reader) =>
  (await marketing.call('GET', `/v2/accounts/${accountId}/contacts/${contactId}`, { account_id: accountId }))
    .body;
const consentsOf = async ({ accountId, contactId }: Reader) =>
  (await marketing.console(accountId, 'GET', `/contacts/${contactId}/consents`)).body.data;
/** The fields of the page, with other boxes. */
const saved = ({ lists }: Reader, wanted: readonly number[], more: Record<string, string> = {}) => ({
  save: '1',
  ...Object.fromEntries(lists.slice(0, -1).map((id) => [`shown-${id}`, '1'])),
  ...Object.fromEntries(wanted.map((at) => [`list-${lists[at]}`, '1'])),
  pause: '',
  ...more,
});

describe('the preference centre', () => {
  it('shows the public lists by their public names, and changes nothing by being looked at', async () => {
    const reader = await newReader(['News <b>', 'Offers']);
    for (let times = 0; times < 3; times += 1) {
      const { status, text, headers } = await marketing.page(reader.link);
      expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
      expect(text).toContain('News &lt;b&gt;');
      expect(text).toMatch(new RegExp(`list-${reader.lists[0]}" value="1" checked`));
      expect(text).not.toMatch(new RegExp(`list-${reader.lists[1]}" value="1" checked`));
      expect(text).not.toContain(reader.lists[2]);
    }
    expect(await statusesOf(reader)).toEqual(['confirmed', null, 'confirmed']);
    expect(await consentsOf(reader)).toEqual([]);
  });

  it('joins and leaves what the reader ticks, records both, and leaves other lists alone', async () => {
    const reader = await newReader();
    expect((await marketing.page(reader.link, saved(reader, [1]))).text).toContain('is saved');
    expect(await statusesOf(reader)).toEqual(['unsubscribed', 'confirmed', 'confirmed']);
    const recorded = await consentsOf(reader);
    expect(recorded).toMatchObject([
      { action: 'withdrawn', list_id: reader.lists[0], way: 'preferences', ip: '203.0.113.9' },
      { action: 'granted', list_id: reader.lists[1], way: 'preferences', email: 'ann@mail.test' },
    ]);
    await marketing.page(reader.link, saved(reader, [1]));
    expect(await consentsOf(reader)).toEqual(recorded);
  });

  it('does not touch a list that the page did not show, one of another account, or one that was reported as spam', async () => {
    const reader = await newReader();
    const other = await newReader();
    const [news = '', offers = '', secret = ''] = reader.lists;
    const [theirs = ''] = other.lists;
    const given = { [`shown-${theirs}`]: '1', [`list-${theirs}`]: '1', [`shown-${secret}`]: '1' };
    await marketing.page(reader.link, { save: '1', ...given });
    await marketing.sql(`update memberships set subscription_status = 'complained' where list_id = $1`, [
      news,
    ]);
    await marketing.page(reader.link, { save: '1', [`shown-${news}`]: '1', [`list-${news}`]: '1' });
    expect(await statusesOf(reader)).toEqual(['complained', null, 'confirmed']);
    expect((await marketing.page(reader.link)).text).not.toContain(`shown-${news}`);
    expect((await marketing.page(reader.link)).text).toContain(`shown-${offers}`);
    const members = await marketing.sql('select from memberships where list_id = $1', [theirs]);
    expect(members).toHaveLength(1);
  });

  it('stops everything, by its button or by one click, and brings back the chosen lists alone', async () => {
    for (const fields of [{ stop: 'all' }, { 'List-Unsubscribe': 'One-Click' }] as Record<string, string>[]) {
      const reader = await newReader();
      expect((await marketing.page(reader.link, fields)).status).toBe(200);
      expect(await contactOf(reader)).toMatchObject({ unsubscribed: true });
      expect((await marketing.page(reader.link)).text).not.toContain(' checked');
      await marketing.page(reader.link, saved(reader, []));
      expect(await contactOf(reader)).toMatchObject({ unsubscribed: true });
      await marketing.page(reader.link, saved(reader, [1]));
      expect(await contactOf(reader)).toMatchObject({ unsubscribed: false });
      expect(await statusesOf(reader)).toEqual(['unsubscribed', 'confirmed', 'unsubscribed']);
    }
  });

  it('pauses until a day, a year at most', async () => {
    const reader = await newReader();
    const pauseOf = async () => {
      const [, until = ''] =
        /name="pause"[^>]* value="([^"]*)"/.exec((await marketing.page(reader.link)).text) ?? [];
      return until;
    };
    const until = inDays(30);
    for (const pause of ['soon', '2026-02-30', inDays(400)]) {
      expect((await marketing.page(reader.link, saved(reader, [0], { pause }))).status).toBe(400);
    }
    await marketing.page(reader.link, saved(reader, [0], { pause: until }));
    expect(await pauseOf()).toBe(until);
    expect(await statusesOf(reader)).toEqual(['confirmed', null, 'confirmed']);
    await database.advance(31 * DAY);
    expect(await pauseOf()).toBe('');
    await marketing.page(reader.link, saved(reader, [0], { pause: inDays(3) }));
    await marketing.page(reader.link, saved(reader, [0]));
    expect(await pauseOf()).toBe('');
  });

  it('keeps how often mail may come: in the console, and exported with the contact and its consents', async () => {
    const reader = await newReader();
    const { accountId, contactId } = reader;
    const chosen = async () => {
      const [, shown = ''] =
        /<option value="(\w+)" selected>/.exec((await marketing.page(reader.link)).text) ?? [];
      const { body } = await marketing.console(accountId, 'GET', `/contacts/${contactId}/preferences`);
      const [consent] = await consentsOf(reader);
      const operator = `/operator/accounts/${accountId}`;
      const { text } = (await marketing.internal('GET', `${operator}/contact-export?format=ndjson`)).body;
      const { frequency: exported } = (await marketing.internal('GET', `${operator}/contacts/${contactId}`))
        .body;
      return [shown, body.frequency, consent?.frequency, JSON.parse(text)['preferences.frequency'], exported];
    };
    const { body: never } = await marketing.console(accountId, 'GET', `/contacts/${contactId}/preferences`);
    expect(never).toEqual({
      ...{ object: 'contact_preferences', contact_id: contactId, frequency: 'every' },
      ...{ frequency_chosen_at: null, paused_until: null },
    });
    for (const frequency of ['weekly', 'monthly']) {
      await marketing.page(reader.link, saved(reader, [1], { frequency }));
      expect(await chosen()).toEqual(Array(5).fill(frequency));
    }
    // a page from before the release, which did not ask
    await marketing.page(reader.link, saved(reader, [1], { pause: inDays(2) }));
    expect((await marketing.page(reader.link, saved(reader, [1], { frequency: 'hourly' }))).status).toBe(400);
    expect(await chosen()).toEqual(Array(5).fill('monthly'));
    const { body } = await marketing.console(accountId, 'GET', `/contacts/${contactId}/preferences`);
    expect(body).toMatchObject({
      frequency_chosen_at: expect.stringMatching(/Z$/),
      paused_until: `${inDays(2)}T00:00:00.000Z`,
    });
    await marketing.page(reader.link, saved(reader, [1], { frequency: 'every' }));
    expect(await chosen()).toEqual(Array(5).fill('every'));
  });

  it('is behind the unsubscribe link of a campaign, too; other tokens lead nowhere', async () => {
    const { accountId, contactId } = await newReader();
    const ids = { messageId: contactId, campaignId: contactId, accountId, contactId };
    const token = marketing.tokens.sign({ kind: 'campaign-unsubscribe', ...ids });
    expect((await marketing.page(`/u/${token}`)).text).toContain(`href="../p/${token}"`);
    expect((await marketing.page(`/p/${token}`)).text).toContain('ann@mail.test');
    const test = marketing.tokens.sign({ kind: 'test-unsubscribe', messageId: contactId });
    expect((await marketing.page(`/p/${test}`)).status).toBe(404);
    const gone = marketing.tokens.sign({ kind: 'preferences', accountId: marketing.account(), contactId });
    for (const fields of [undefined, { stop: 'all' }, { save: '1' }] as (
      Record<string, string> | undefined
    )[]) {
      expect((await marketing.page(`/p/${gone}`, fields)).text).toContain('is not known here');
    }
    expect(await contactOf({ accountId, contactId } as Reader)).toMatchObject({ unsubscribed: false });
  });

  it('shows a list no longer that is hidden again; a title is needed, and 50 are the most', async () => {
    const reader = await newReader(['News']);
    const [news = ''] = reader.lists;
    const put = (id: string, body: object) =>
      marketing.console(reader.accountId, 'PUT', `/lists/${id}/preferences`, body);
    expect((await put(news, { is_public: true, title: ' ' })).status).toBe(400);
    for (let more = 1; more < 50; more += 1) {
      await put(await marketing.list(reader.accountId, 0), { is_public: true, title: 'x' });
    }
    const last = await marketing.list(reader.accountId, 0);
    expect((await put(last, { is_public: true, title: 'x' })).status).toBe(409);
    expect((await put(news, { is_public: false, title: '' })).body).toMatchObject({
      is_public: false,
      title: '',
    });
    expect((await marketing.page(reader.link)).text).not.toContain(news);
  });
});
