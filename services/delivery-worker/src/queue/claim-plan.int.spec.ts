import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '@postmesh/contracts';
import { testDatabase } from '@postmesh/testing';
import { MailHost } from '../testing/mail-host.js';
import { startWorker, type WorkerUnderTest } from '../testing/worker-under-test.js';
import { DeliveryQueue } from './delivery-queue.js';

const database = testDatabase();
let host: MailHost;
let worker: WorkerUnderTest;

beforeAll(async () => {
  host = await MailHost.start();
  worker = await startWorker({ databaseUrl: database.url, port: host.port });
  // the inserted rows stay unclaimed
  await worker.service.get(DeliveryQueue).queue.stop();
});
afterAll(async () => {
  await worker?.stop();
  await host?.stop();
});

/** Nine tenths wait for one group, the rest for 100; of 40 accounts. */
const fill = async (count: number) => {
  await worker.database.query('truncate deliveries');
  await worker.database.query(
    `insert into deliveries (id, account_id, send_request_id, recipient, destination, group_key, lane, state, due_at,
       ends_at, reason, facts)
     select gen_random_uuid(), ('00000000-0000-4000-8000-0000000000' || (10 + nth % 40))::uuid, gen_random_uuid(),
       'ann@mail.test', 'mail.test', case when nth % 10 < 9 then 'p:provider' else 'm:' || nth / 10 % 100 end, nth % 2,
       case when nth % 3 < 2 then 'ready' else 'waiting' end,
       now() - interval '1 hour' + nth * interval '1 millisecond', now() + interval '1 day', '', '{}'
     from generate_series(1, $1::int) as nth`,
    [count],
  );
  await worker.database.query('analyze deliveries');
};

interface Scan {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows'?: number;
  'Actual Loops'?: number;
  Plans?: Scan[];
}

const nodesOf = (node: Scan): Scan[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

/** @returns the kinds of scans and the rows that a claim of 50 rows reads of the table */
async function readBy(statement: string, parameters: unknown[]) {
  const [{ 'QUERY PLAN': plan }] = await worker.database.query(
    `explain (analyze, format json) ${statement}`,
    parameters,
  );
  const reads = nodesOf(plan[0].Plan as Scan).filter((node) => node['Relation Name'] === 'deliveries');
  const scans = reads.filter((node) => node['Node Type'].includes('Scan'));
  const rows = scans.reduce((sum, one) => sum + (one['Actual Rows'] ?? 0) * (one['Actual Loops'] ?? 0), 0);
  return { kinds: new Set(scans.map((node) => node['Node Type'])), rows };
}

it('a claim finds its rows by probes of indexes only, and reads as few of 60,000 as of 3,000', async () => {
  const { rows } = worker.service.get(DeliveryQueue).queue;
  const asked: [string, unknown[]][] = [];
  const query = worker.database.query.bind(worker.database);
  const bounds = {
    limit: 50,
    bulkLimit: 50,
    groups: [],
    otherGroups: 80,
    accounts: [],
    otherAccounts: 50,
    lessForBulk: 8,
    flows: [],
  };
  const turns = { afterGroup: '', lanes: 0, cursorOf: () => ({ single: null, bulk: null }) };
  const claim = () => rows.claim({ worker: newId(), leaseSeconds: 60, bounds, turns, mostGroups: 50 });
  const found: number[] = [];
  for (const count of [3_000, 60_000]) {
    await fill(count);
    worker.database.query = ((statement: string, parameters: unknown[]) => {
      asked.push([statement, parameters]);
      return query(statement, parameters);
    }) as typeof query;
    expect((await claim()).items).toHaveLength(50);
    worker.database.query = query;
    await query(`update deliveries set state = 'ready' where state = 'leased'`);
    const { kinds, rows: read } = await readBy(...asked.at(-1)!);
    expect(kinds).not.toContain('Seq Scan');
    found.push(read);
  }
  expect(found[1]).toBeLessThan(found[0]! * 1.5);
});
