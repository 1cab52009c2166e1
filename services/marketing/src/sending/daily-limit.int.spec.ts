import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '@postmesh/contracts';
import { testDatabase } from '@postmesh/testing';
import { DailyLimit } from './daily-limit.js';
import { startSending, type SendingUnderTest } from './testing/sending-under-test.js';

// proven again: several concurrent campaigns and workers

const database = testDatabase();
const WAIT = { interval: 20 };
let under: SendingUnderTest;
let other: SendingUnderTest;
beforeAll(async () => {
  under = await startSending(database.url);
  other = await startSending(database.url, {}, under.messages);
});
afterAll(async () => {
  await other?.stop();
  await under?.stop();
});

const limitOf = (accountId: string, limit: number | null) =>
  under.sql(
    `insert into marketing_limits (account_id, daily_limit, has_daily_limit) values ($1, $2, true)
     on conflict (account_id) do update set daily_limit = excluded.daily_limit`,
    [accountId, limit],
  );
const usedOf = async (accountId: string) => {
  const rows = await under.sql<{ used: number }>(
    `select used from marketing_days where account_id = $1 and day = (now() at time zone 'UTC')::date`,
    [accountId],
  );
  return rows[0]?.used ?? 0;
};
/** Ends the day by moving its row. Rows of earlier days are deleted, since they would conflict. */
const nextDay = async (accountId: string) => {
  const today = `(now() at time zone 'UTC')::date`;
  await under.sql(`delete from marketing_days where account_id = $1 and day < ${today}`, [accountId]);
  await under.sql('update marketing_days set day = day - 1 where account_id = $1', [accountId]);
};
const messagesOf = (campaignId: string) =>
  [...under.messages.stored.values()].filter((message) => message.campaignId === campaignId);
const isPaused = (campaignId: string) =>
  expect
    .poll(() => under.statusOf(campaignId), WAIT)
    .toEqual({ status: 'paused', pause_cause: 'daily_limit' });
const ends = (campaignId: string) => expect.poll(() => under.batches(campaignId), WAIT).toBe(0);

async function campaigns(accountId: string, ...sizes: number[]): Promise<string[]> {
  const made: string[] = [];
  for (const size of sizes) {
    const list = await under.list(accountId);
    await under.contacts(size, [list], accountId);
    made.push(await under.campaign({ accountId, lists: [list] }));
  }
  return made;
}

describe('the daily limit', () => {
  it('spec 3-marketing §4.4 rule 2: is never exceeded by several campaigns and workers together', async () => {
    const account = newId();
    await limitOf(account, 777);
    const all = await campaigns(account, 500, 500, 500);
    await Promise.all(all.map((id) => under.start(id)));
    const statuses = async () => {
      const found = await Promise.all(all.map((id) => under.statusOf(id)));
      return found.map(({ status }) => status).sort();
    };
    // one of them has all of its messages
    await expect.poll(statuses, WAIT).toEqual(['paused', 'paused', 'sending']);
    expect(all.flatMap(messagesOf)).toHaveLength(777);
    expect(await usedOf(account)).toBe(777);
  });

  it('spec 3-marketing §4.4 rule 3: pauses the campaign until the next day, which continues with the next recipient', async () => {
    const account = newId();
    await limitOf(account, 130);
    const [campaign] = (await campaigns(account, 300)) as [string];
    await under.start(campaign);
    for (const sent of [130, 260]) {
      await isPaused(campaign);
      expect(messagesOf(campaign)).toHaveLength(sent);
      await nextDay(account);
      await under.resume(campaign);
    }
    await ends(campaign);
    const messages = messagesOf(campaign);
    expect(messages).toHaveLength(300);
    expect(new Set(messages.map(({ email }) => email)).size).toBe(300);
    expect(await usedOf(account)).toBe(40);
  });

  it('spec 3-marketing §4.4 rule 4: of a new day is first for the campaign that began first', async () => {
    const account = newId();
    await limitOf(account, 100);
    const [first, second] = (await campaigns(account, 250, 250)) as [string, string];
    await under.start(first);
    await isPaused(first);
    await under.start(second);
    await isPaused(second);
    await limitOf(account, 200);
    await nextDay(account);
    // the later one is triggered first, and still leaves the day to the earlier one
    await under.resume(second);
    await under.resume(first);
    await ends(first);
    await isPaused(second);
    expect(messagesOf(first)).toHaveLength(250);
    expect(messagesOf(second)).toHaveLength(50);
  });

  it('spec 3-marketing §4.4 rule 2: does not count skipped and suppressed recipients', async () => {
    const [whole, short] = [newId(), newId()];
    await limitOf(whole, 60);
    await limitOf(short, 50);
    under.messages.outcomeOf = (email) => (Number.parseInt(email, 10) <= 40 ? 'suppressed' : 'accepted');
    const [ended] = (await campaigns(whole, 100)) as [string];
    const [paused] = (await campaigns(short, 100)) as [string];
    await under.start(ended);
    await under.start(paused);
    await ends(ended);
    await isPaused(paused);
    under.messages.outcomeOf = () => 'accepted';
    expect(await under.counts(ended)).toEqual({ suppressed: 40, queued: 60 });
    expect(await usedOf(whole)).toBe(60);
    expect(await under.counts(paused)).toEqual({ suppressed: 40, queued: 50, pending: 10 });
    expect(await usedOf(short)).toBe(50);
  });

  it('spec 3-marketing §4.4 rule 2: waits for the refund of a batch in flight before the campaign is paused', async () => {
    const account = newId();
    await limitOf(account, 100);
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    under.messages.holds = () => held;
    // the first thirty of each of the two batches
    under.messages.outcomeOf = (email) =>
      (Number.parseInt(email, 10) - 1) % 100 < 30 ? 'suppressed' : 'accepted';
    const [campaign] = (await campaigns(account, 200)) as [string];
    await under.start(campaign);
    const waiting = () =>
      under.sql(`select state from campaign_batches where campaign_id = $1 and reason = $2`, [
        campaign,
        'the rest of the day is in flight',
      ]);
    await expect.poll(waiting, WAIT).toEqual([{ state: 'waiting' }]);
    release();
    await isPaused(campaign);
    under.messages.holds = async () => {};
    under.messages.outcomeOf = () => 'accepted';
    expect(await under.counts(campaign)).toEqual({ suppressed: 60, queued: 100, pending: 40 });
    expect(await usedOf(account)).toBe(100);
  });

  it('spec 3-marketing §4.4 rule 1: is that of the configuration, that of the account, or none', async () => {
    const own = newId();
    const source = under.service.get(DataSource);
    expect(await under.service.get(DailyLimit).of(source.manager, own)).toBeNull();
    const limited = await startSending(database.url, { marketingDailyLimit: 5 }, under.messages);
    const limit = limited.service.get(DailyLimit);
    expect(await limit.of(source.manager, own)).toBe(5);
    await limitOf(own, 0);
    expect(await limit.of(source.manager, own)).toBe(0);
    await limitOf(own, null);
    expect(await limit.of(source.manager, own)).toBeNull();
    await limited.stop();
  });
});
