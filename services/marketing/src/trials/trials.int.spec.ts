import pg from 'pg';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { testDatabase } from '@postmesh/testing';
import { Mortal } from '../campaign-states/testing/mortal.js';
import { startSending, type SendingUnderTest } from '../sending/testing/sending-under-test.js';
import { DecideTrials } from './decide-trials.js';

// proven again: a kill before each statement of the decision, which no client can time

const database = testDatabase();
const WAIT = { interval: 20 };
let under: SendingUnderTest;
let undertaker: pg.Client;
let mortal: Mortal;
beforeAll(async () => {
  under = await startSending(database.url);
  undertaker = new pg.Client({ connectionString: database.url });
  await undertaker.connect();
  mortal = new Mortal(under.service.get(DataSource), undertaker);
});
beforeEach(() => {
  under.messages.breaks = () => undefined;
});
afterAll(async () => {
  await undertaker?.end();
  await under?.stop();
});

const OWN = 'Hello {{ first_name }}';
const OTHER = 'Something else';

/** A campaign that begins with its trial: half of its recipients get another subject. */
async function begun(contacts: number, share: number): Promise<string> {
  const list = await under.list();
  await under.contacts(contacts, [list]);
  const id = await under.campaign({ lists: [list] });
  await under.sql(
    `insert into campaign_trials (campaign_id, metric, share, wait_minutes) values ($1, 'opened', $2, 60)`,
    [id, share],
  );
  await under.sql('insert into campaign_variants (campaign_id, variant, subject) values ($1, 1, $2)', [
    id,
    OTHER,
  ]);
  expect(await under.start(id)).toBe(contacts);
  return id;
}

/** All messages arrive; those of one variant are opened. */
const arrive = (id: string, opened: number) =>
  under.sql(
    `with moved as (
       update campaign_recipients set status = 'delivered', opened_at = case when position % 2 = $2 then now() end
       where campaign_id = $1 and status = 'queued' returning 1)
     insert into campaign_count_deltas (campaign_id, created_at, queued, delivered)
     select $1, now(), -count(*), count(*) from moved`,
    [id, opened],
  );
const trialOf = async (id: string) => {
  const [row] = await under.sql<{
    size: number;
    decides_at: Date | null;
    decided_at: Date | null;
    winner: number | null;
  }>('select size, decides_at, decided_at, winner from campaign_trials where campaign_id = $1', [id]);
  return row!;
};
const run = () => under.service.get(DecideTrials).decideDue(new AbortController().signal);
/** Its time begins with the hand-over of its last recipient: no periodic task has to look for it. */
const makeDue = async (id: string) => {
  await expect.poll(async () => (await trialOf(id)).decides_at, WAIT).not.toBeNull();
  await under.sql(
    `update campaign_trials set decides_at = now() - interval '1 second' where campaign_id = $1`,
    [id],
  );
};

/** By position: the subjects of the messages that were stored, each counted once by its id. */
async function subjectsOf(id: string): Promise<string[][]> {
  const rows = await under.sql<{ email: string }>(
    'select email from campaign_recipients where campaign_id = $1 order by position',
    [id],
  );
  const sent = new Map<string, Map<string, string>>();
  for (const { campaign_id, content, recipients } of under.messages.requests) {
    if (campaign_id !== id) continue;
    for (const { email, message_id } of recipients) {
      if (!under.messages.stored.has(message_id)) continue;
      const before = sent.get(email) ?? new Map<string, string>();
      // a repeated request has the same content
      expect(before.get(message_id) ?? content.subject).toBe(content.subject);
      sent.set(email, before.set(message_id, content.subject));
    }
  }
  return rows.map(({ email }) => [...(sent.get(email) ?? new Map<string, string>()).values()]);
}

describe('a trial', () => {
  it('gives its recipients the variants in turn, and the rest the winner, each once', async () => {
    const id = await begun(250, 40);
    await expect.poll(() => under.counts(id), WAIT).toEqual({ queued: 100, pending: 150 });
    await makeDue(id);
    expect(await trialOf(id)).toMatchObject({ size: 100, winner: null });
    // the rest waits for the decision
    expect(await under.counts(id)).toEqual({ queued: 100, pending: 150 });
    await arrive(id, 1);
    await run();
    await expect.poll(() => under.counts(id), WAIT).toEqual({ delivered: 100, queued: 150 });
    expect((await trialOf(id)).winner).toBe(1);
    const expected = Array.from({ length: 250 }, (_, at) => [at < 100 && at % 2 === 0 ? OWN : OTHER]);
    expect(await subjectsOf(id)).toEqual(expected);
    await expect.poll(() => under.batches(id), WAIT).toBe(0);
  });

  it('gives each one message when every third answer of the messages service is lost', async () => {
    let nth = 0;
    under.messages.breaks = () =>
      (nth += 1) % 3 === 1 ? { status: 503, isStored: nth % 2 === 1 } : undefined;
    const id = await begun(24, 50);
    const retry = () =>
      under.sql(`update campaign_batches set due_at = now() where campaign_id = $1 and state = 'waiting'`, [
        id,
      ]);
    await expect.poll(async () => (await retry(), (await under.counts(id))['queued']), WAIT).toBe(12);
    await expect.poll(async () => (await retry(), await under.batches(id)), WAIT).toBe(1);
    await makeDue(id);
    await arrive(id, 0);
    await run();
    await expect.poll(async () => (await retry(), await under.batches(id)), WAIT).toBe(0);
    expect(await under.counts(id)).toEqual({ delivered: 12, queued: 12 });
    const subjects = await subjectsOf(id);
    expect(subjects.map(({ length }) => length)).toEqual(Array(24).fill(1));
    expect(subjects.slice(12).flat()).toEqual(Array(12).fill(OWN));
  });

  it('is decided once, and each recipient gets one message, when it is killed before any statement', async () => {
    for (let statement = 0, isKilled = true; isKilled; statement += 1) {
      const id = await begun(8, 50);
      await expect.poll(() => under.counts(id), WAIT).toEqual({ queued: 4, pending: 4 });
      await makeDue(id);
      await arrive(id, 1);
      isKilled = await mortal.dies(statement, () => under.service.get(DecideTrials).decide(id));
      if (isKilled) {
        expect(await under.counts(id)).toEqual({ delivered: 4, pending: 4 });
        expect((await trialOf(id)).winner).toBeNull();
      }
      // another opinion after the decision changes nothing
      await run();
      await under.sql('update campaign_recipients set opened_at = now() where campaign_id = $1', [id]);
      expect(await under.service.get(DecideTrials).decide(id)).toBeUndefined();
      await expect.poll(() => under.counts(id), WAIT).toEqual({ delivered: 4, queued: 4 });
      expect(await subjectsOf(id)).toEqual([...[[OWN], [OTHER], [OWN], [OTHER]], ...Array(4).fill([OTHER])]);
      expect(statement).toBeLessThan(20);
    }
  });

  it('decides nothing while its campaign is paused', async () => {
    const id = await begun(8, 50);
    await expect.poll(() => under.counts(id), WAIT).toEqual({ queued: 4, pending: 4 });
    await makeDue(id);
    await under.sql(
      `update campaigns set status = 'paused', pause_cause = 'operator', paused_at = now() where id = $1`,
      [id],
    );
    await run();
    expect((await trialOf(id)).winner).toBeNull();
    await under.resume(id);
    await run();
    await expect.poll(() => under.counts(id), WAIT).toEqual({ queued: 8 });
  });

  it('has a winner also when all recipients were in it', async () => {
    const id = await begun(4, 100);
    await expect.poll(() => under.counts(id), WAIT).toEqual({ queued: 4 });
    await makeDue(id);
    await arrive(id, 1);
    await under.sql(`update campaigns set status = 'sent' where id = $1`, [id]);
    await run();
    expect((await trialOf(id)).winner).toBe(1);
  });

  it('leaves nothing behind when its campaign is canceled', async () => {
    const id = await begun(8, 50);
    await expect.poll(() => under.counts(id), WAIT).toEqual({ queued: 4, pending: 4 });
    await under.cancel(id);
    expect(await under.counts(id)).toEqual({ queued: 4, canceled: 4 });
    await expect.poll(() => under.batches(id), WAIT).toBe(0);
    await run();
    expect(await trialOf(id)).toMatchObject({ winner: null, decided_at: expect.any(Date) });
  });
});
