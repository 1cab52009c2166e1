import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testDatabase } from '@postmesh/testing';
import { startSending, type SendingUnderTest } from './testing/sending-under-test.js';

// proven again: writes that commit during the snapshot

const database = testDatabase();
let under: SendingUnderTest;
beforeAll(async () => {
  under = await startSending(database.url);
  // nothing is handed over: only the snapshot is tested
  under.messages.breaks = () => ({ status: 503, isStored: false });
});
afterAll(() => under?.stop());

interface Row {
  position: number;
  contact_id: string;
  list_ids: string[];
}
const recipients = (campaignId: string) =>
  under.sql<Row>(
    'select position, contact_id, list_ids from campaign_recipients where campaign_id = $1 order by position',
    [campaignId],
  );

describe('the snapshot', () => {
  it('spec 3-marketing §7.1 rule 2: takes mailable contacts that are confirmed on one of the lists', async () => {
    const [one, other] = [await under.list(), await under.list()];
    const ids = await under.contacts(8, [one]);
    await under.sql(`update contacts set status = 'disabled' where id = $1`, [ids[0]]);
    await under.sql(`update contacts set unsubscribed = true, unsubscribed_at = now() where id = $1`, [
      ids[1],
    ]);
    await under.sql(`update contacts set validation_status = 'invalid' where id = $1`, [ids[2]]);
    const away = ['unconfirmed', 'unsubscribed', 'complained'];
    for (const [nth, status] of away.entries()) {
      await under.sql(`update memberships set subscription_status = $2 where contact_id = $1`, [
        ids[3 + nth],
        status,
      ]);
    }
    // confirmed on one list is enough
    await under.sql(
      `insert into memberships (list_id, contact_id, account_id, subscription_status, created_at, updated_at)
       values ($1, $2, $3, 'confirmed', now(), now())`,
      [other, ids[4], under.accountId],
    );
    const campaign = await under.campaign({ lists: [one, other] });
    expect(await under.start(campaign)).toBe(3);
    expect((await recipients(campaign)).map(({ contact_id }) => contact_id)).toEqual([
      ids[6],
      ids[7],
      ids[4],
    ]);
  });

  it('spec 3-marketing §7.1 rule 3: has one row per contact with all matched lists in the order of the campaign', async () => {
    const [one, other, third] = [await under.list(), await under.list(), await under.list()];
    const [onBoth] = await under.contacts(1, [other, one]);
    const [onThird] = await under.contacts(1, [third]);
    const campaign = await under.campaign({ lists: [one, third, other] });
    await under.start(campaign);
    expect(await recipients(campaign)).toMatchObject([
      { position: 0, contact_id: onBoth, list_ids: [one, other] },
      { position: 1, contact_id: onThird, list_ids: [third] },
    ]);
  });

  it('spec 3-marketing §7.1 rule 4: is ordered by list, then by membership', async () => {
    const [one, other] = [await under.list(), await under.list()];
    const late = await under.contacts(30, [other]);
    const early = await under.contacts(30, [one]);
    const campaign = await under.campaign({ lists: [one, other] });
    await under.start(campaign);
    expect((await recipients(campaign)).map(({ contact_id }) => contact_id)).toEqual([...early, ...late]);
  });

  it('spec 3-marketing §7.1 rule 1: is taken once; later contacts are not in it', async () => {
    const list = await under.list();
    await under.contacts(250, [list]);
    const campaign = await under.campaign({ lists: [list] });
    expect(await under.start(campaign)).toBe(250);
    await under.contacts(5, [list]);
    expect(await under.start(campaign)).toBe(250);
    expect(await recipients(campaign)).toHaveLength(250);
    const batches = await under.sql(
      `select first_position, last_position from campaign_batches where campaign_id = $1 order by 1`,
      [campaign],
    );
    expect(batches).toEqual([
      { first_position: 0, last_position: 99 },
      { first_position: 100, last_position: 199 },
      { first_position: 200, last_position: 249 },
    ]);
  });

  it('spec 3-marketing §7.1 rule 2: takes no contact of a deleted list, and may be empty', async () => {
    const list = await under.list();
    await under.contacts(3, [list]);
    await under.sql('update lists set deleted_at = now() where id = $1', [list]);
    const campaign = await under.campaign({ lists: [list] });
    expect(await under.start(campaign)).toBe(0);
    expect(await under.batches(campaign)).toBe(0);
  });
});
