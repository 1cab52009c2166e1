import { Stream, type ServiceName } from '@postmesh/contracts';
import { poolUse } from '@postmesh/database';
import { unpublished } from '@postmesh/events';
import type { DataSource } from 'typeorm';
import type { HostContext } from './service-definition.js';

// More are not counted: this number is an alarm already.
const COUNT_AT_MOST = 100_000;

/** Metrics of every service with a database: connections, events to publish and to handle, dead letters. */
export function observeService(
  { service, dataSource }: { service: ServiceName; dataSource: DataSource },
  { metrics, bus }: Pick<HostContext, 'metrics' | 'bus'>,
): void {
  metrics.gauge(
    'postmesh_database_connections',
    'Connections of the pool of a service: used, idle; waiting: who waits for one',
    ['service', 'state'],
    (gauge) => {
      for (const [state, count] of Object.entries(poolUse(dataSource))) gauge.set({ service, state }, count);
    },
  );
  metrics.asked(
    () => unpublished(dataSource, COUNT_AT_MOST),
    [
      {
        name: 'postmesh_outbox_events',
        help: `Events that wait in the outbox to be published, up to ${COUNT_AT_MOST}`,
        read: ({ count }) => count,
      },
      {
        name: 'postmesh_outbox_oldest_seconds',
        help: 'How long the oldest of them has waited; 0 when none waits',
        read: ({ seconds }) => seconds,
      },
    ],
    { service },
  );
  metrics.asked<{ dead_letters: number }>(
    async () => (await dataSource.query<{ dead_letters: number }[]>(DEAD_LETTERS))[0] ?? { dead_letters: 0 },
    [
      {
        name: 'postmesh_dead_letters',
        help: `Events that a consumer gave up and that were not replayed, up to ${COUNT_AT_MOST}`,
        read: ({ dead_letters }) => dead_letters,
      },
    ],
    { service },
  );
  metrics.asked(
    // what waits in a stream of another release is for doctor: it would page at each quiet hour, and no restart helps
    async () =>
      (await bus.lag()).filter(({ group, stream }) => group === service && Stream.safeParse(stream).success),
    [
      {
        name: 'postmesh_events_waiting',
        help: 'Events on the bus that a service has still to handle',
        labelNames: ['stream'],
        read: (lag) => lag.map(({ stream, behind }) => [{ stream }, behind] as const),
      },
    ],
    { service },
  );
}

const DEAD_LETTERS = `select count(*)::int as dead_letters
  from (select from dead_letters limit ${COUNT_AT_MOST}) as bounded`;
