import pg from 'pg';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testDatabase } from '@postmesh/testing';
import { readCounts } from '../results/campaign-counts.js';
import { CampaignFeeder } from '../sending/campaign-feeder.js';
import { workOnBatch } from '../sending/testing/work-on-batch.js';
import { CampaignMachine, MAX_SILENCE_MS, SWEEP_MS } from './campaign-machine.js';
import { claimCampaigns, LEASE_MS } from './campaign-claims.js';
import { OperateCampaign } from './operate-campaign.js';
import { Mortal } from './testing/mortal.js';
import { startStates, type StatesUnderTest } from './testing/states-under-test.js';

// proven again: a kill before each statement of a step, which no client can time

const database = testDatabase();
let under: StatesUnderTest;
let mortal: Mortal;
let undertaker: pg.Client;
let machine: CampaignMachine;
beforeAll(async () => {
  under = await startStates(database.url, { campaignReview: true });
  machine = under.service.get(CampaignMachine);
  // only the test triggers runs
  clearInterval(machine['renewing']);
  await machine['task'].stop();
  await under.service.get(CampaignFeeder).beforeApplicationShutdown();
  undertaker = new pg.Client({ connectionString: database.url });
  await undertaker.connect();
  mortal = new Mortal(under.service.get(DataSource), undertaker);
  await under.sql('create table moves (id int generated always as identity, campaign_id uuid, move text)');
  await under.sql(`create function note_move() returns trigger language plpgsql as $$ begin
    insert into moves (campaign_id, move) values (new.id, old.status || ' → ' || new.status); return null; end $$`);
  await under.sql(`create trigger note_move after update on campaigns for each row
    when (old.status is distinct from new.status) execute function note_move()`);
});
afterAll(async () => {
  await undertaker?.end();
  await under?.stop();
});

const movesOf = async (id: string) =>
  (await under.sql<{ move: string }>('select move from moves where campaign_id = $1 order by id', [id])).map(
    ({ move }) => move,
  );
const standing = async (id: string) => {
  const { counts } = await readCounts(under.service.get(DataSource), id);
  const counted = Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0));
  const rows = await under.sql<{ status: string; count: number }>(
    'select status, count(*)::int as count from campaign_recipients where campaign_id = $1 group by 1',
    [id],
  );
  expect(counted).toEqual(Object.fromEntries(rows.map(({ status, count }) => [status, count])));
  return counted;
};
const alone = (id: string) =>
  under.sql(
    `update campaigns set due_at = case when id = $1 then now() - interval '1 second' end, leased_until = null`,
    [id],
  );

// a time of three decimals may be rounded up
const DUE = `update campaigns set due_at = now() - interval '1 second' where id = $1`;
const EXPIRE = `update campaigns set leased_until = now() - interval '1 second',
  due_at = now() - interval '1 second' where id = $1`;

/** One run of the machine. @returns whether the campaign was claimed */
async function look(): Promise<boolean> {
  for (const lane of ['quick', 'slow'] as const) {
    const options = { lane, limit: 1, busyAccounts: [], againMs: 15_000 };
    const [claimed] = await claimCampaigns(under.service.get(DataSource), options);
    if (!claimed) continue;
    await machine['step']({ ...claimed, lane, progressedAt: performance.now() });
    return true;
  }
  return false;
}

interface Step {
  /** creates a campaign before the step */
  make(account: string): Promise<string>;
  /** the work of a process; default: a run of the machine */
  act?(id: string): Promise<unknown>;
  moves: string[];
  recipients: Record<string, number>;
  /** the published review */
  review?: string;
}

const ahead = (ms: number) => new Date(Date.now() + ms);
const withDomain = (facts: object | null) => (id: string) => {
  under.domains.delete('shop.test');
  if (facts) under.domains.set('shop.test', facts);
  return id;
};
const operation = () => under.service.get(OperateCampaign);
const inStatus =
  (status: string, columns: Record<string, unknown> = {}, facts: object | null = {}) =>
  (account: string) =>
    under.inStatus(account, status, columns).then(withDomain(facts));

const STEPS: Record<string, Step> = {
  'T5, checks and snapshot': {
    make: inStatus('validating'),
    moves: ['validating → sending'],
    recipients: { pending: 2 },
  },
  'T6, a hold': {
    make: async (account) => {
      await under.internal(
        'PUT',
        `/operator/accounts/${account}/marketing`,
        { review_every_campaign: true },
        'ann',
      );
      return inStatus('validating')(account);
    },
    moves: ['validating → waiting_for_review'],
    recipients: {},
    review: 'pending',
  },
  'T7, a check that fails': {
    make: inStatus('validating', {}, null),
    moves: ['validating → failed'],
    recipients: {},
  },
  'T9, an approval': {
    make: inStatus('waiting_for_review'),
    act: (id) => operation().approve(id),
    moves: ['waiting_for_review → scheduled'],
    recipients: {},
    review: 'approved',
  },
  'T11, a rejection': {
    make: inStatus('waiting_for_review'),
    act: (id) => operation().reject(id, 'no consent'),
    moves: ['waiting_for_review → canceled'],
    recipients: {},
    review: 'rejected',
  },
  'T12, the start with its snapshot': {
    make: inStatus('scheduled'),
    moves: ['scheduled → sending'],
    recipients: { pending: 2 },
  },
  'T14, a pause': {
    make: inStatus('sending', {}, { paused: true }),
    moves: ['sending → paused'],
    recipients: { pending: 2 },
  },
  'T15, a resume': {
    make: inStatus('paused', { pause_cause: 'domain_paused' }),
    moves: ['paused → sending'],
    recipients: { pending: 2 },
  },
  'T15, a resume by an operator': {
    make: inStatus('paused'),
    act: (id) => operation().resume(id),
    moves: ['paused → sending'],
    recipients: { pending: 2 },
  },
  'T16, the end': {
    make: async (account) => {
      const id = await inStatus('sending')(account);
      await under.sql('delete from campaign_batches where campaign_id = $1', [id]);
      await under.sql(
        `update campaign_recipients set status = 'queued', sent_at = now() where campaign_id = $1`,
        [id],
      );
      await under.sql('update campaign_counts set pending = 0, queued = 2 where campaign_id = $1', [id]);
      return id;
    },
    moves: ['sending → sent'],
    recipients: { queued: 2 },
  },
  'T18, a domain that is gone': {
    make: inStatus('paused', {}, null),
    moves: ['paused → canceled'],
    recipients: { canceled: 2 },
  },
};

describe('spec 3-marketing §4.1: killed before any statement of a step', () => {
  it.each(Object.entries(STEPS))('%s happens once, by the next process', async (_, step) => {
    const act = step.act ?? look;
    let isKilled = true;
    let reviews = 0;
    for (let statement = 0; isKilled; statement += 1) {
      const id = await step.make(under.account());
      await alone(id);
      isKilled = await mortal.dies(statement, () => act(id));
      if (isKilled && !step.act && (await movesOf(id)).length === 0 && (await isLeased(id))) {
        // the campaign cannot be claimed during the lease of the dead process
        expect(await look()).toBe(false);
        await under.sql(EXPIRE, [id]);
      }
      // an operator without a response repeats the request; the machine runs again
      const before = await movesOf(id);
      if (before.length === 0) {
        await under.sql(DUE, [id]);
        await act(id);
      } else if (step.act) await expect(act(id)).rejects.toThrow();
      expect(await movesOf(id)).toEqual(step.moves);
      expect(await standing(id)).toEqual(step.recipients);
      if (step.review) {
        const mine = () => under.reviews.filter(({ campaign_id }) => campaign_id === id);
        await under.until(() => mine().length > 0);
        expect(mine().map(({ outcome }) => outcome)).toEqual([step.review]);
        reviews += 1;
      }
      expect(statement).toBeLessThan(60);
    }
    expect(reviews > 0).toBe(step.review !== undefined);
  });
});

const isLeased = async (id: string) =>
  (await under.sql('select from campaigns where id = $1 and leased_until > now()', [id])).length === 1;

describe('spec 3-marketing §7.2 rule 2: killed before any statement of a batch', () => {
  it.each(['sending', 'canceled'])(
    'each gets one message at most when it is %s afterwards',
    async (after) => {
      for (let statement = 0, isKilled = true; isKilled; statement += 1) {
        const id = await inStatus('sending')(under.account());
        await alone(id);
        under.sends.length = 0;
        isKilled = await mortal.dies(statement, () => workOnBatch(under, id));
        const handedOver = new Set(under.sends.flatMap((one) => one.recipients.map((to) => to.message_id)));
        if (after === 'canceled')
          await operation()
            .cancel(id)
            .catch(() => undefined);
        under.answer = ({ recipients }) =>
          after === 'sending' || recipients.every(({ message_id }) => handedOver.has(message_id))
            ? {
                ok: true,
                recipients: recipients.map(({ message_id }) => ({ message_id, outcome: 'accepted' })),
              }
            : { ok: false, problem: 'domain_missing' };
        await workOnBatch(under, id);
        under.answer = undefined;
        const sent = under.sends.flatMap((one) => one.recipients);
        expect(new Map(sent.map(({ email, message_id }) => [email, message_id])).size).toBe(
          new Set(sent.map(({ message_id }) => message_id)).size,
        );
        const { queued = 0, canceled = 0, failed = 0 } = (await standing(id)) as Record<string, number>;
        expect(queued + canceled + failed).toBe(2);
        if (after === 'sending') expect(queued).toBe(2);
        else expect(queued).toBe(handedOver.size);
        const left = await under.sql('select from campaign_batches where campaign_id = $1', [id]);
        expect(left).toEqual([]);
        expect(statement).toBeLessThan(60);
      }
    },
  );
});

describe('spec 3-marketing §4.1: the times of the machine', () => {
  it('spec 3-marketing §4.1: a due campaign leaves scheduled within 60 s, also after a worker was killed', () => {
    expect(LEASE_MS + 2 * SWEEP_MS).toBeLessThan(60_000);
  });

  it('spec 3-marketing §4.1: a check without progress for 30 minutes is restarted, and the older one is void', async () => {
    expect(MAX_SILENCE_MS).toBe(30 * 60_000);
    let release = () => {};
    under.workerHolds = new Promise<void>((resolve) => (release = resolve));
    const id = await inStatus('validating')(under.account());
    await alone(id);
    const begun = under.asked.length;
    const silent = look();
    await expect.poll(() => under.asked.length).toBe(begun + 1);
    const [campaign] = await under.sql<{ lease_token: string; leased_until: Date }>(
      'select lease_token, leased_until from campaigns where id = $1',
      [id],
    );
    const renewed = async (progressedAt: number) => {
      machine['inFlight'].clear();
      machine['inFlight'].set(id, {
        campaign: { id, leaseToken: campaign!.lease_token },
        progressedAt,
      } as never);
      await under.sql('update campaigns set leased_until = $2 where id = $1', [id, campaign!.leased_until]);
      await machine['renew']();
      machine['inFlight'].clear();
      const [row] = await under.sql<{ longer: boolean }>(
        'select leased_until > $2 as longer from campaigns where id = $1',
        [id, campaign!.leased_until],
      );
      return row!.longer;
    };
    expect(await renewed(performance.now())).toBe(true);
    expect(await renewed(performance.now() - MAX_SILENCE_MS)).toBe(false);
    under.workerHolds = undefined;
    await under.sql(EXPIRE, [id]);
    expect(await look()).toBe(true);
    release();
    await expect(silent).rejects.toThrow('has changed');
    expect(await movesOf(id)).toEqual(['validating → sending']);
    expect(await standing(id)).toEqual({ pending: 2 });
  });

  it('spec 3-marketing §4.1: a process that stops in the middle of a check releases the campaign at once', async () => {
    const other = await startStates(database.url);
    let release = () => {};
    other.workerHolds = new Promise<void>((resolve) => (release = resolve));
    const id = await inStatus('validating')(under.account());
    await alone(id);
    await expect.poll(() => other.asked.length).toBe(1);
    await other.stop();
    const [row] = await under.sql(
      'select leased_until, due_at <= now() as is_due from campaigns where id = $1',
      [id],
    );
    expect(row).toEqual({ leased_until: null, is_due: true });
    release();
  });

  it('spec 3-marketing §4.1: a campaign that became due while no process ran begins at the next start', async () => {
    const id = await inStatus('scheduled', { send_at: ahead(-3_600_000) })(under.account());
    await alone(id);
    const other = await startStates(database.url);
    await other.reaches(id, 'sent').finally(() => other.stop());
    expect(await movesOf(id)).toEqual(['scheduled → sending', 'sending → sent']);
  });
});
