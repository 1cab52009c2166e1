import pg from 'pg';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { testDatabaseWithClock } from '@postmesh/testing';
import { Mortal } from '../campaign-states/testing/mortal.js';
import { startSending, type SendingUnderTest } from '../sending/testing/sending-under-test.js';
import { workOnBatch } from '../sending/testing/work-on-batch.js';
import type { Frequency } from './frequency.js';
import { ContactPreferences } from './preferences.js';

const database = testDatabaseWithClock();
const WAIT = { interval: 20 };
let under: SendingUnderTest;
let undertaker: pg.Client;
let mortal: Mortal;
beforeAll(async () => {
  under = await startSending(database.url);
  undertaker = new pg.Client({ connectionString: database.url });
  await undertaker.connect();
  await undertaker.query('set search_path to marketing');
  mortal = new Mortal(under.service.get(DataSource), undertaker);
});
afterAll(async () => {
  await undertaker?.end();
  await under?.stop();
});
beforeEach(async () => {
  under.messages.outcomeOf = () => 'accepted';
  await database.advance(0);
});

const choose = (contactId: string, frequency: Frequency) =>
  under.service
    .get(ContactPreferences)
    .save(
      { accountId: under.accountId, contactId, campaignId: null },
      { shown: new Set(), wanted: new Set(), pausedUntil: null, frequency },
      '203.0.113.9',
    );

/** A list with a contact for each of the frequencies; their ids. */
async function readers(frequencies: readonly Frequency[]): Promise<{ list: string; ids: string[] }> {
  const list = await under.list();
  const ids = await under.contacts(frequencies.length, [list]);
  for (const [at, id] of ids.entries()) await choose(id, frequencies[at]!);
  return { list, ids };
}

/** A campaign with its snapshot, which no worker of a queue claims. */
async function begun(list: string): Promise<string> {
  const id = await under.campaign({ lists: [list] });
  await under.service.get(DataSource).transaction(async (tx) => {
    await tx.query(`update campaigns set status = 'sending', started_at = now() where id = $1`, [id]);
    await under.snapshot.execute(tx, id);
    await tx.query(`update campaign_batches set state = 'held' where campaign_id = $1`, [id]);
  });
  return id;
}

const work = (id: string) => workOnBatch(under, id);

/** The status of each contact in a campaign, or the reason why it was left out. */
async function outcomesOf(
  campaignId: string,
  contactIds: readonly string[],
): Promise<(string | undefined)[]> {
  const rows = await under.sql<{ id: string; outcome: string }>(
    `select contact_id as id, coalesce(status_reason, status) as outcome from campaign_recipients where campaign_id = $1`,
    [campaignId],
  );
  return contactIds.map((id) => rows.find((row) => row.id === id)?.outcome);
}
const sent = async (list: string, ids: readonly string[]) => {
  const id = await begun(list);
  await work(id);
  return outcomesOf(id, ids);
};
const toTime = (time: number) => database.advance(time - Date.now());
const waitFor = (locks: number) =>
  expect
    .poll(async () => {
      const { rows } = await undertaker.query(
        `select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return rows[0]?.count;
    }, WAIT)
    .toBe(locks);

const LATE = 'contact_frequency';

describe('the frequency that a contact has chosen', () => {
  it('is obeyed by UTC days at the time of the hand-over, and ends with the choice', async () => {
    const { list, ids } = await readers(['every', 'weekly', 'monthly']);
    const [, weekly = '', monthly = ''] = ids;
    const now = new Date();
    const at = (months: number, day: number, ms: number) =>
      Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1 + months, day) + ms;
    const [nine, midnight, second] = [9 * 3_600_000, 0, 1_000];
    await toTime(at(0, 15, nine));
    expect(await sent(list, ids)).toEqual(['queued', 'queued', 'queued']);
    expect(await sent(list, ids)).toEqual(['queued', LATE, LATE]);
    await toTime(at(0, 22, midnight - second));
    expect(await sent(list, ids)).toEqual(['queued', LATE, LATE]);
    await toTime(at(0, 22, midnight));
    expect(await sent(list, ids)).toEqual(['queued', 'queued', LATE]);
    await toTime(at(1, 15, midnight - second));
    expect(await sent(list, ids)).toEqual(['queued', 'queued', LATE]);
    await toTime(at(1, 15, midnight));
    expect(await sent(list, ids)).toEqual(['queued', LATE, 'queued']);
    await choose(weekly, 'every');
    await choose(monthly, 'weekly');
    await toTime(at(1, 22, midnight));
    expect(await sent(list, ids)).toEqual(['queued', 'queued', 'queued']);
    expect(await sent(list, ids)).toEqual(['queued', 'queued', LATE]);
  });

  it('counts mail from before the choice, and none that did not become a message or bounced', async () => {
    const { list, ids } = await readers(['every']);
    const [id = ''] = ids;
    under.messages.outcomeOf = () => 'failed';
    await sent(list, ids);
    await choose(id, 'monthly');
    under.messages.outcomeOf = () => 'suppressed';
    expect(await sent(list, ids)).toEqual(['suppressed']);
    under.messages.outcomeOf = () => 'accepted';
    expect(await sent(list, ids)).toEqual(['queued']);
    expect(await sent(list, ids)).toEqual([LATE]);
    await under.sql(
      `update campaign_recipients set status = 'bounced' where contact_id = $1 and status = 'queued'`,
      [id],
    );
    expect(await sent(list, ids)).toEqual(['queued']);
    await choose(id, 'every');
    await choose(id, 'weekly');
    expect(await sent(list, ids)).toEqual([LATE]);
  });

  it('lets one of two campaigns through that hand over at once', async () => {
    const { list, ids } = await readers(['every', 'weekly', 'monthly']);
    const campaigns = [await begun(list), await begun(list)];
    await undertaker.query('begin');
    await undertaker.query('select from contact_frequencies where contact_id = any($1::uuid[]) for update', [
      ids,
    ]);
    const working = Promise.all(campaigns.map(work));
    await waitFor(2);
    await undertaker.query('commit');
    await working;
    const outcomes = await Promise.all(campaigns.map((id) => outcomesOf(id, ids)));
    expect(outcomes.sort((one) => (one[1] === 'queued' ? -1 : 1))).toEqual([
      ['queued', 'queued', 'queued'],
      ['queued', LATE, LATE],
    ]);
  });

  it('counts mail that was being handed over when it was chosen', async () => {
    const { list, ids } = await readers(['every']);
    const [id = ''] = ids;
    const [first, second] = [await begun(list), await begun(list)];
    await undertaker.query('begin');
    await undertaker.query('lock table marketing_days in exclusive mode');
    const working = work(first);
    await waitFor(1);
    const choosing = choose(id, 'weekly');
    await waitFor(2);
    await undertaker.query('commit');
    await Promise.all([working, choosing]);
    await work(second);
    expect([await outcomesOf(first, ids), await outcomesOf(second, ids)]).toEqual([['queued'], [LATE]]);
  });

  it('lets one message through when a worker is killed before any statement', async () => {
    const { list, ids } = await readers(['every', 'weekly']);
    for (let statement = 0, isKilled = true; isKilled; statement += 1) {
      const [first, second] = [await begun(list), await begun(list)];
      under.messages.stored.clear();
      isKilled = await mortal.dies(statement, () => work(first));
      await Promise.all([work(first), work(second)]);
      const outcomes = await Promise.all([first, second].map((id) => outcomesOf(id, ids)));
      expect(outcomes.map(([every]) => every)).toEqual(['queued', 'queued']);
      expect(outcomes.map(([, weekly]) => weekly).sort()).toEqual([LATE, 'queued']);
      expect(under.messages.stored.size).toBe(3);
      expect(statement).toBeLessThan(40);
      await database.advance(7 * 86_400_000);
    }
  });
});
