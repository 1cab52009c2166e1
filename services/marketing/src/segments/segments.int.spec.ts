import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '@postmesh/contracts';
import { memberOf } from '@postmesh/service-testing';
import { testDatabase } from '@postmesh/testing';
import { HTML, startStates, type StatesUnderTest } from '../campaign-states/testing/states-under-test.js';
import type { SegmentFilter } from './segment-filter.schema.js';

const database = testDatabase();
let under: StatesUnderTest;
beforeAll(async () => {
  under = await startStates(database.url);
});
afterAll(() => under?.stop());

const ask = (account_id: string, method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown) =>
  under.call(method, `/console/api/${path}`, { principal: memberOf(account_id), body });

const NEW: SegmentFilter = {
  match: 'all',
  groups: [{ match: 'all', conditions: [{ kind: 'created', days: 30, within: true }] }],
};
const named = (value: string): SegmentFilter => ({
  match: 'all',
  groups: [{ match: 'all', conditions: [{ kind: 'field', field: 'first_name', is: 'equal', value }] }],
});

async function segment(account: string, filter = NEW): Promise<string> {
  const { status, body } = await ask(account, 'POST', 'segments', { name: 'Some', filter });
  expect(status, JSON.stringify(body)).toBe(201);
  return body.id as string;
}

/** A draft without a list. */
async function draft(account: string): Promise<string> {
  const { body } = await under.campaigns(account, 'POST', '', {
    name: 'Spring',
    subject: 'Spring is here',
    from: { email: 'news@shop.test' },
    content: { html: HTML },
  });
  return body.id as string;
}

const recipients = (campaign: string) =>
  under.sql<{ contact_id: string; list_ids: string[] }>(
    'select contact_id, list_ids from campaign_recipients where campaign_id = $1 order by position',
    [campaign],
  );
const membersOf = (list: string) =>
  under.sql<{ id: string }>(
    'select contact_id as id from memberships where list_id = $1 order by created_at, contact_id',
    [list],
  );

describe('a segment', () => {
  it('is saved, counted, changed and deleted', async () => {
    const account = under.account();
    const list = await under.list(account, 3);
    const [first] = await membersOf(list);
    await under.sql(`update contacts set first_name = 'Ann' where id = $1`, [first!.id]);
    const id = await segment(account);
    expect((await ask(account, 'GET', 'segments')).body.data).toMatchObject([
      { object: 'segment', id, name: 'Some', filter: NEW, contacts: 3 },
    ]);
    const counted = await ask(account, 'POST', 'segment-counts', { filter: named('ann') });
    expect(counted.body).toEqual({ object: 'segment_count', contacts: 1 });
    const changed = await ask(account, 'PUT', `segments/${id}`, { name: 'Anns', filter: named('Ann') });
    expect(changed.body).toMatchObject({ name: 'Anns', contacts: 1, counted_at: expect.any(String) });
    expect((await ask(account, 'DELETE', `segments/${id}`)).body.message).toBe(
      `segment ${id} (Anns) deleted successfully`,
    );
    expect((await ask(account, 'GET', `segments/${id}`)).status).toBe(404);
  });

  it('counts contacts that a campaign would take: mailable, and confirmed on a list that exists', async () => {
    const account = under.account();
    const list = await under.list(account, 4);
    const [one, two] = await membersOf(list);
    await under.sql(`update contacts set status = 'disabled' where id = $1`, [one!.id]);
    await under.sql(`update memberships set subscription_status = 'unsubscribed' where contact_id = $1`, [
      two!.id,
    ]);
    const gone = await under.list(account, 2);
    await under.sql('update lists set deleted_at = now() where id = $1', [gone]);
    const { body } = await ask(account, 'POST', 'segment-counts', { filter: NEW });
    expect(body.contacts).toBe(2);
  });

  it('takes no list, segment or campaign of another account', async () => {
    const [mine, other] = [under.account(), under.account()];
    const list = await under.list(other, 1);
    const ofList: SegmentFilter = {
      match: 'all',
      groups: [{ match: 'all', conditions: [{ kind: 'list', list_id: list, member: true }] }],
    };
    const refused = await ask(mine, 'POST', 'segments', { name: 'x', filter: ofList });
    expect([refused.status, refused.body.message]).toEqual([400, `list ${list} not found`]);
    expect((await ask(mine, 'POST', 'segment-counts', { filter: ofList })).body.contacts).toBe(0);
    const theirs = await segment(other);
    for (const method of ['GET', 'DELETE'] as const)
      expect((await ask(mine, method, `segments/${theirs}`)).status).toBe(404);
    const campaign = await draft(mine);
    const put = await ask(mine, 'PUT', `campaigns/${campaign}/audience`, { segment_ids: [theirs] });
    expect([put.status, put.body.message]).toEqual([400, `segment ${theirs} not found`]);
    expect((await ask(other, 'GET', `campaigns/${campaign}/audience`)).status).toBe(404);
  });
});

describe('a campaign to a segment', () => {
  it('takes each contact once, with the lists for its unsubscribe link, and v2 shows nothing of it', async () => {
    const account = under.account();
    const [list, other] = [await under.list(account, 2), await under.list(account, 3)];
    const [shared] = await membersOf(list);
    await under.sql(
      `insert into memberships (list_id, contact_id, account_id, subscription_status, created_at, updated_at)
       values ($1, $2, $3, 'confirmed', now(), now())`,
      [other, shared!.id, account],
    );
    const { id } = await under.draft(account, { list });
    const before = (await under.campaigns(account, 'GET', `/${id}`)).body;
    // two segments that find the same contacts
    const segments = [await segment(account), await segment(account)].sort();
    const put = await ask(account, 'PUT', `campaigns/${id}/audience`, { segment_ids: segments });
    expect(put.body).toEqual({ object: 'campaign_audience', campaign_id: id, segment_ids: segments });
    expect((await under.campaigns(account, 'GET', `/${id}`)).body).toEqual(before);
    expect((await under.campaigns(account, 'POST', `/${id}/send`, {})).status).toBe(200);
    await under.reaches(id, 'sent');
    const rows = await recipients(id);
    expect(rows).toHaveLength(5);
    expect(new Set(rows.map((row) => row.contact_id)).size).toBe(5);
    // by its lists first, in their order; a contact of a list has the lists of the campaign alone
    expect(rows.map(({ list_ids }) => list_ids)).toEqual([[list], [list], [other], [other], [other]]);
    const sent = under.sends.filter(({ campaign_id }) => campaign_id === id);
    expect(sent.flatMap((one) => one.recipients)).toHaveLength(5);
  });

  it('needs no list, and fails without a contact', async () => {
    const account = under.account();
    await under.list(account, 1);
    const [id, empty] = [await draft(account), await draft(account)];
    expect((await under.campaigns(account, 'GET', `/${id}`)).body.issues).toMatchObject([
      { code: 'lists_missing' },
    ]);
    const put = (campaign: string, one: string) =>
      ask(account, 'PUT', `campaigns/${campaign}/audience`, { segment_ids: [one] });
    await put(id, await segment(account));
    await put(empty, await segment(account, named('Zoe')));
    for (const one of [id, empty]) {
      expect((await under.campaigns(account, 'GET', `/${one}`)).body.ready).toBe(true);
      expect((await under.campaigns(account, 'POST', `/${one}/send`, {})).status).toBe(200);
    }
    await under.reaches(id, 'sent');
    expect((await under.reaches(empty, 'failed')).status_reason).toBe('no subscribers to send to');
  });

  it('is copied with it, keeps its filter while it waits, and only a draft changes it', async () => {
    const account = under.account();
    await under.list(account, 1);
    const id = await draft(account);
    const one = await segment(account);
    await ask(account, 'PUT', `campaigns/${id}/audience`, { segment_ids: [one] });
    const { body: copy } = await under.campaigns(account, 'POST', `/${id}/duplicate`, {});
    expect((await ask(account, 'GET', `campaigns/${copy.id}/audience`)).body.segment_ids).toEqual([one]);
    const sendAt = new Date(Date.now() + 3_600_000).toISOString();
    await under.campaigns(account, 'POST', `/${id}/send`, { send_at: sendAt });
    await under.reaches(id, 'scheduled');
    const change = (filter: SegmentFilter) =>
      ask(account, 'PUT', `segments/${one}`, { name: 'Renamed', filter });
    expect((await change(NEW)).status).toBe(200);
    expect(await change(named('Ann'))).toMatchObject({
      status: 409,
      body: { message: 'a campaign that waits to be sent uses the segment' },
    });
    expect((await ask(account, 'DELETE', `segments/${one}`)).status).toBe(409);
    const put = await ask(account, 'PUT', `campaigns/${id}/audience`, { segment_ids: [] });
    expect([put.status, put.body.message]).toEqual([409, 'campaign is not a draft']);
  });
});

describe('on the operator interface', () => {
  it('segments are made, used, changed and deleted', async () => {
    const account = under.account();
    await under.list(account, 1);
    const at = `/operator/accounts/${account}`;
    const made = await under.internal('POST', `${at}/segments`, { name: 'Some', filter: NEW }, 'ann');
    expect(made).toMatchObject({ status: 201, body: { contacts: 1 } });
    const campaign = await draft(account);
    const audience = { segment_ids: [made.body.id] };
    const put = await under.internal('PUT', `${at}/campaigns/${campaign}/audience`, audience, 'ann');
    expect(put.body).toMatchObject(audience);
    const url = `${at}/segments/${made.body.id}`;
    expect((await under.internal('DELETE', url, undefined, 'ann')).status).toBe(409);
    await under.internal('PUT', `${at}/campaigns/${campaign}/audience`, { segment_ids: [] }, 'ann');
    const changed = await under.internal('PUT', url, { name: 'Other', filter: NEW }, 'ann');
    expect(changed.body.name).toBe('Other');
    expect((await under.internal('DELETE', url, undefined, 'ann')).status).toBe(200);
    const listed = await under.internal('GET', `/operator/accounts/${newId()}/segments`, undefined, 'ann');
    expect(listed.body).toEqual({ data: [] });
  });
});
