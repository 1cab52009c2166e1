import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testDatabase } from '@postmesh/testing';
import { startSending, type SendingUnderTest } from './testing/sending-under-test.js';

const database = testDatabase();
const WAIT = { interval: 20 };
let under: SendingUnderTest;
beforeAll(async () => {
  under = await startSending(database.url, { campaignWindow: 500 });
});
afterAll(() => under?.stop());

/** Applies outcomes like their events. */
const delivered = (campaignId: string, count: number) =>
  under.sql(
    `with first as (
       select campaign_id, position from campaign_recipients where campaign_id = $1 and status = 'queued'
       order by position limit $2),
     moved as (
       update campaign_recipients r set status = 'delivered' from first
       where r.campaign_id = first.campaign_id and r.position = first.position returning 1)
     insert into campaign_count_deltas (campaign_id, created_at, queued, delivered)
     select $1, now(), -count(*), count(*) from moved`,
    [campaignId, count],
  );

describe('the window of a campaign', () => {
  it('bounds the messages without an outcome, and continues as outcomes arrive', async () => {
    const list = await under.list();
    await under.contacts(2_000, [list]);
    const campaign = await under.campaign({ lists: [list] });
    await under.start(campaign);
    let most = 0;
    for (let done = 0; done < 2_000; done += 500) {
      await expect
        .poll(async () => {
          const { queued = 0 } = await under.counts(campaign);
          most = Math.max(most, queued);
          return queued;
        }, WAIT)
        .toBe(500);
      await delivered(campaign, 500);
    }
    await expect.poll(() => under.batches(campaign), WAIT).toBe(0);
    expect(most).toBe(500);
    expect(await under.counts(campaign)).toEqual({ delivered: 2_000 });
  });
});
