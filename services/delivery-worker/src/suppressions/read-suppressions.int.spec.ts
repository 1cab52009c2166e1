import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AccountChanged } from '@postmesh/accounts-contract';
import { newId } from '@postmesh/contracts';
import { SuppressionsChanged, type ListedSuppression } from '@postmesh/messages-contract';
import { deliver } from '@postmesh/service-testing';
import { freshWorlds, sharedWorld, type FreshWorld } from '../testing/fresh-world.js';
import { ACCOUNT, type WorkerUnderTest } from '../testing/worker-under-test.js';
import { KeepCopy } from './keep-copy.js';

// proven again: the first copy of the list, with the messages service unavailable

type Answer = (request: { path: string }) => { status: number; body: unknown };

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();
const listed = (recipient: string, revision = 1, account_id: string = ACCOUNT): ListedSuppression => ({
  ...{ account_id, domain: 'shop.test', recipient, expires_at: inAnHour(), revision },
});
const page = (suppressions: ListedSuppression[], next: string | null = null) => ({
  status: 200,
  body: { suppressions, next },
});
const away = { status: 503, body: { message: 'away' } };
const copied = async (running: WorkerUnderTest) =>
  (await running.database.query(
    `select recipient, revision::int, suppressed_until is null as removed from suppressions order by recipient`,
  )) as { recipient: string; revision: number; removed: boolean }[];
const recipients = async (running: WorkerUnderTest) => (await copied(running)).map((row) => row.recipient);
const isComplete = async (running: WorkerUnderTest) =>
  (await running.database.query('select from suppression_copy')).length === 1;
const keep = (running: WorkerUnderTest) => running.service.get(KeepCopy).keep(new AbortController().signal);
const lastRead = (running: WorkerUnderTest, hours: number) =>
  running.database.query(`update suppression_copy set read_at = now() - make_interval(hours => $1)`, [hours]);

const change = (
  recipient: string,
  revision: number,
  { kind = 'created', account_id = ACCOUNT }: { kind?: 'created' | 'removed'; account_id?: string } = {},
) => {
  const expires_at = inAnHour();
  const changes = [
    { ...SuppressionsChanged.examples[0]!.changes[0]!, recipient, revision, kind, expires_at },
  ];
  return SuppressionsChanged.make({ account_id, changes }, { account_id });
};

describe('a worker with a new database', () => {
  const world = freshWorlds();
  let fresh: FreshWorld;
  beforeEach(async () => {
    fresh = await world();
  });
  const start = (messages: Answer) => fresh.start({ messages, periodic: true });

  it('delivers nothing before it has every suppression, however long the messages service is unavailable', async () => {
    let isAway = true;
    let asked = 0;
    const running = await start(() => {
      asked += 1;
      return isAway ? away : page([listed('gone@mail.test')]);
    });
    const [gone, fine] = await running.accept({ to: ['gone@mail.test', 'fine@mail.test'] });
    await expect.poll(() => asked).toBeGreaterThan(1);
    expect(running.published).toEqual([]);
    isAway = false;
    await running.outcome(gone!, 'suppressed');
    await running.outcome(fine!, 'delivered');
    expect(fresh.host.recipients).toEqual(['fine@mail.test']);
  });

  it('reads every page, and none again after a restart', async () => {
    const paths: string[] = [];
    const pages: Answer = ({ path }) => {
      paths.push(path);
      const nth = Number(/after=p%3D(\d)/.exec(path)?.[1] ?? 0);
      return page([listed(`r${nth}@mail.test`)], nth === 2 ? null : `p=${nth + 1}`);
    };
    const running = await start(pages);
    await expect.poll(() => isComplete(running)).toBe(true);
    expect(await recipients(running)).toEqual(['r0@mail.test', 'r1@mail.test', 'r2@mail.test']);
    expect(new Set(paths)).toEqual(
      new Set(['', '?after=p%3D1', '?after=p%3D2'].map((query) => `/internal/suppressions${query}`)),
    );
    paths.length = 0;
    await running.stop();
    const again = await start(pages);
    const [id] = await again.accept({ to: ['r1@mail.test'] });
    await again.outcome(id!, 'suppressed');
    expect(paths).toEqual([]);
  });

  it('begins from the first page again when it was stopped between two', async () => {
    const first = await start(({ path }) =>
      path.includes('after') ? away : page([listed('a@mail.test')], 'x'),
    );
    await expect.poll(() => recipients(first)).toEqual(['a@mail.test']);
    await first.stop();
    const second = await start(() => page([listed('a@mail.test'), listed('b@mail.test')]));
    await expect.poll(() => isComplete(second)).toBe(true);
    expect(await recipients(second)).toEqual(['a@mail.test', 'b@mail.test']);
  });

  it('delivers with a messages service of a release without suppressions', async () => {
    const running = await start(() => ({ status: 404, body: {} }));
    const [id] = await running.accept();
    await running.outcome(id!, 'delivered');
    expect(await isComplete(running)).toBe(false);
  });

  it('keeps changes from events that arrive while it reads: a page may be older', async () => {
    const running = await start(() => away);
    await deliver(running.service, [change('a@mail.test', 9, { kind: 'removed' }), change('b@mail.test', 8)]);
    await running.stop();
    const second = await start(() => page([listed('a@mail.test', 3), listed('b@mail.test', 4)]));
    await expect.poll(() => isComplete(second)).toBe(true);
    expect(await copied(second)).toEqual([
      { recipient: 'a@mail.test', revision: 9, removed: true },
      { recipient: 'b@mail.test', revision: 8, removed: false },
    ]);
  });
});

describe('a worker with a complete copy', () => {
  /** the messages service's answer, one for each test */
  let messages: Answer = () => page([]);
  const shared = sharedWorld(({ start }) => start({ messages: (request) => messages(request) }));
  afterEach(async () => {
    messages = () => page([]);
    await shared.worker.database.query('truncate suppressions');
  });
  /** a first copy, as at the start */
  const copy = async (answer: Answer) => {
    messages = answer;
    await shared.worker.database.query('delete from suppression_copy');
    await keep(shared.worker);
    return shared.worker;
  };

  describe('once a day', () => {
    it('the copy is compared with the lists: changes without an event are added and removed', async () => {
      let lists = [listed('a@mail.test', 1), listed('b@mail.test', 2), listed('c@mail.test', 3)];
      let asked = 0;
      const running = await copy(() => {
        asked += 1;
        return page(lists);
      });
      await running.database.query(`update suppressions set learnt_at = now() - interval '1 day'`);
      lists = [listed('b@mail.test', 7), listed('d@mail.test', 8)];
      asked = 0;
      await lastRead(running, 23);
      await keep(running);
      expect(asked).toBe(0);
      await lastRead(running, 24);
      await keep(running);
      expect(asked).toBe(1);
      expect(await copied(running)).toMatchObject([
        { recipient: 'b@mail.test', revision: 7 },
        { recipient: 'd@mail.test', revision: 8 },
      ]);
      await keep(running);
      expect(asked).toBe(1);
    });

    it('each page removes in its own range only, and nothing that was recorded since its request', async () => {
      const accounts = [newId(), newId(), newId()].sort();
      const lists = accounts.map((account, nth) => listed(`r${nth}@mail.test`, nth + 1, account));
      const running = await copy(({ path }) => {
        const nth = Number(/after=(\d)/.exec(path)?.[1] ?? 0);
        return page(lists.slice(nth, nth + 1), nth === 2 ? null : String(nth + 1));
      });
      await deliver(running.service, [change('new@mail.test', 20)]);
      await running.database.query(
        `update suppressions set learnt_at = now() + case recipient when 'new@mail.test' then 1 else -1 end
           * interval '1 minute'`,
      );
      lists[1] = listed('other@mail.test', 9, accounts[1]);
      await lastRead(running, 30);
      await keep(running);
      expect(await recipients(running)).toEqual([
        'new@mail.test',
        'other@mail.test',
        'r0@mail.test',
        'r2@mail.test',
      ]);
    });
  });

  describe('every hour', () => {
    it('§14.3 rule 2 rows that ended are purged, a day after at the latest', async () => {
      const running = shared.worker;
      const row = (recipient: string, until: string | null, learnt = 'now()') =>
        running.database.query(
          `insert into suppressions values ($1, 'shop.test', $2, ${until ?? 'null'}, 1, ${learnt})`,
          [ACCOUNT, recipient],
        );
      await row('ended-long-ago@mail.test', `now() - interval '21 hours'`);
      await row('ended@mail.test', `now() - interval '1 hour'`);
      await row('lasts@mail.test', `now() + interval '1 hour'`, `now() - interval '1 year'`);
      await row('removed-long-ago@mail.test', null, `now() - interval '21 hours'`);
      await row('removed@mail.test', null);
      await keep(running);
      expect(await recipients(running)).toEqual(['ended@mail.test', 'lasts@mail.test', 'removed@mail.test']);
    });

    it('rows of deleted accounts go, also those that came after the end', async () => {
      const running = shared.worker;
      const [account_id, others] = [newId(), newId()];
      await running.database.query(
        `insert into suppressions select case when nth <= 7000 then $1::uuid else $2::uuid end, 'shop.test',
           'r' || nth || '@mail.test', '9999-12-31T23:59:59Z', nth from generate_series(1, 7010) as nth`,
        [account_id, others],
      );
      const gone = { account_id, parent_account_id: null, state: 'deleted' as const, revision: 3 };
      await deliver(running.service, [AccountChanged.make(gone, { account_id })]);
      await deliver(running.service, [change('late@mail.test', 9_000, { account_id })]);
      await keep(running);
      expect(await recipients(running)).toHaveLength(10);
    });
  });
});
