import { openDatabase, SessionMark } from '@postmesh/database';
import { createLogger } from '@postmesh/observability';
import { CrashWatch } from '../consumption/crash-watch.js';
import { EventConsumption } from '../consumption/event-consumption.js';
import { OUTBOX_MIGRATIONS } from '../outbox.migrations.js';
import { createEmbeddedBus } from '../embedded/embedded-bus.js';
import { AccountChanged } from './sample-events.js';

/** A service in a process of its own, which the account with the revision that it is given brings down. */
const [, , url = '', fatal] = process.argv;
const logger = createLogger({ logLevel: 'silent' }, 'crashing');
const about = { url, schema: 'messages', entities: [], migrations: OUTBOX_MIGRATIONS, poolSize: 4, logger };
const dataSource = await openDatabase(about);
const mark = new SessionMark({ url, applicationName: 'crashing-mark', logger });
const crashes = new CrashWatch({ dataSource, mark, logger });
await crashes.begin();
const consumer = {
  name: 'messages.sample',
  event: AccountChanged as never,
  handle: async (tx: { query(sql: string, values: unknown[]): Promise<unknown> }, events: unknown[]) => {
    const revisions = (events as { data: { revision: number } }[]).map(({ data }) => data.revision);
    await tx.query('insert into effects (n, together) select n, $2 from unnest($1::int[]) as given(n)', [
      revisions,
      events.length,
    ]);
    if (revisions.includes(Number(fatal))) process.kill(process.pid, 'SIGKILL');
  },
};
const consumption = new EventConsumption({
  service: 'messages',
  dataSource,
  consumers: [consumer],
  logger,
  crashes,
});
const bus = await createEmbeddedBus({ url });
await bus.subscribe({
  group: 'messages',
  streams: consumption.streams(),
  positions: consumption.positions,
  handle: (events) => consumption.handle(events),
});
process.once('SIGTERM', () => {
  void (async () => {
    await bus.close();
    await crashes.end();
    await mark.stop();
    await dataSource.destroy();
  })();
});
process.stdout.write('ready\n');
