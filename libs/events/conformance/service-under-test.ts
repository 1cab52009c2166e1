import type { DataSource } from 'typeorm';
import { newId, type EventEnvelope } from '@postmesh/contracts';
import { openDatabase } from '@postmesh/database';
import { createLogger } from '@postmesh/observability';
import { attachOutbox, logSink, Outbox } from '../src/outbox.js';
import { EventConsumption } from '../src/consumption/event-consumption.js';
import { OUTBOX_MIGRATIONS } from '../src/outbox.migrations.js';
import type { AfterCommit, ConsumerEntry } from '../src/consumption/batch-entries.js';
import { createEmbeddedBus } from '../src/embedded/embedded-bus.js';
import type { EventBus, EventLog, RunningSubscription } from '../src/event-bus.port.js';
import { AccountChanged } from '../src/testing/sample-events.js';

export const logger = createLogger({ logLevel: 'silent' }, 'test');

/** One process of a service on the embedded bus, as the platform would run it. */
export interface ServiceUnderTest {
  bus: EventBus & { log: EventLog };
  dataSource: DataSource;
  outbox: Outbox;
  /** the consumers alone, for batches that the test hands over */
  consumption(options?: ConsumeOptions): EventConsumption;
  /** joins the service's group */
  consume(options?: ConsumeOptions): Promise<RunningSubscription>;
  stop(): Promise<void>;
}

interface ConsumeOptions {
  /** called in the transaction, behind the effect */
  inside?: (events: readonly EventEnvelope[]) => Promise<void> | void;
  after?: AfterCommit;
}

export async function openService(url: string): Promise<ServiceUnderTest> {
  const dataSource = await openDatabase({
    url,
    schema: 'messages',
    entities: [],
    migrations: OUTBOX_MIGRATIONS,
    poolSize: 10,
    logger,
  });
  await dataSource.query(
    'create table if not exists effects (position bigint generated always as identity, account_id uuid, n int)',
  );
  const bus = await createEmbeddedBus({ url, leaseMs: 5_000 });
  attachOutbox(dataSource, logSink(bus.log));
  const consumption = ({ inside, after }: ConsumeOptions = {}) => {
    const consumer: ConsumerEntry = {
      name: 'messages.sample',
      event: AccountChanged as never,
      handle: async (tx, events) => {
        await tx.query('insert into effects (account_id, n) select * from unnest($1::uuid[], $2::int[])', [
          events.map(({ key }) => key),
          events.map(numberOf),
        ]);
        await inside?.(events);
        return after && [after];
      },
    };
    return new EventConsumption({ service: 'messages', dataSource, consumers: [consumer], logger });
  };
  return {
    bus,
    dataSource,
    outbox: new Outbox(),
    consumption,
    consume: (options) => {
      const consuming = consumption(options);
      const { positions } = consuming;
      const handle = consuming.handle.bind(consuming);
      return bus.subscribe({ group: 'messages', streams: ['accounts'], positions, handle });
    },
    stop: async () => {
      await bus.close();
      await dataSource.destroy();
    },
  };
}

const numberOf = (event: EventEnvelope): number => (event.data as { revision: number }).revision;

/** The n-th fact about an account. */
export function fact(account_id: string, n: number): EventEnvelope {
  return AccountChanged.make(
    { account_id, parent_account_id: null, state: 'active', revision: n },
    { account_id },
  );
}

export const accounts = (count: number): string[] => Array.from({ length: count }, () => newId());

/** The effects of the consumers, in their order: a list of numbers per account. */
export async function effects({ dataSource }: ServiceUnderTest): Promise<Map<string, number[]>> {
  const rows: { account_id: string; n: number }[] = await dataSource.query(
    'select account_id, n from effects order by position',
  );
  const done = new Map<string, number[]>();
  for (const { account_id, n } of rows) done.set(account_id, [...(done.get(account_id) ?? []), n]);
  return done;
}

export async function countEffects({ dataSource }: ServiceUnderTest): Promise<number> {
  const [row]: { rows: number }[] = await dataSource.query('select count(*)::int as rows from effects');
  return row?.rows ?? 0;
}

/** Ends the sessions that read for the group: the process loses its turn. */
export async function endReaders({ dataSource }: ServiceUnderTest): Promise<void> {
  // a service's role may not end sessions
  await dataSource.transaction(async (tx) => {
    await tx.query('set local role none');
    await tx.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'postmesh-bus-messages' and datname = current_database()`,
    );
  });
}
