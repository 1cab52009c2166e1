import { onTestFinished } from 'vitest';
import { withClient } from './test-server.js';

export const CLOCK_SCHEMA = 'test_clock';

/**
 * A database whose time a test moves: every `now()` and `clock_timestamp()` of its SQL, defaults of columns included,
 * is ahead of the machine's by the value of the sequence, at once and in every session.
 * @param url of an empty database, as a superuser
 */
export const installClock = (url: string): Promise<void> =>
  withClient(url, async (client) => {
    await client.query(`
      set allow_system_table_mods = on;
      create schema ${CLOCK_SCHEMA};
      grant usage on schema ${CLOCK_SCHEMA} to public;
      create sequence ${CLOCK_SCHEMA}.ahead_ms minvalue 0 start 0;
      grant select on ${CLOCK_SCHEMA}.ahead_ms to public;
      select setval('${CLOCK_SCHEMA}.ahead_ms', 0);
      alter function pg_catalog.now() rename to machine_now;
      alter function pg_catalog.clock_timestamp() rename to machine_clock_timestamp;
      create function pg_catalog.now() returns timestamptz language sql stable parallel safe
        return pg_catalog.machine_now()
          + pg_sequence_last_value('${CLOCK_SCHEMA}.ahead_ms'::regclass) * interval '1 millisecond';
      create function pg_catalog.clock_timestamp() returns timestamptz language sql volatile parallel safe
        return pg_catalog.machine_clock_timestamp()
          + pg_sequence_last_value('${CLOCK_SCHEMA}.ahead_ms'::regclass) * interval '1 millisecond';
    `);
  });

const MachineDate = globalThis.Date;

/** `Date` of this process, ahead of the machine's by so much. */
function moveDate(aheadMs: number): void {
  if (aheadMs === 0) {
    globalThis.Date = MachineDate;
    return;
  }
  const movedNow = () => MachineDate.now() + aheadMs;
  globalThis.Date = new Proxy(MachineDate, {
    construct: (target, args: unknown[], newTarget) =>
      Reflect.construct(target, args.length === 0 ? [movedNow()] : args, newTarget) as Date,
    apply: () => new MachineDate(movedNow()).toString(),
    get: (target, key, receiver) =>
      key === 'now' ? movedNow : (Reflect.get(target, key, receiver) as unknown),
  });
}

/**
 * Advances the time in SQL of this database and in `Date` of this process; timers and `performance.now()` stay. The
 * end of the test reverts it in the process; the database keeps it.
 */
export async function advanceClock(url: string, ms: number): Promise<void> {
  const aheadMs = await withClient(url, async (client) => {
    const { rows } = await client.query<{ ahead: string }>(
      `select setval('${CLOCK_SCHEMA}.ahead_ms', last_value + $1) as ahead from ${CLOCK_SCHEMA}.ahead_ms`,
      [Math.round(ms)],
    );
    return Number(rows[0]?.ahead);
  });
  onTestFinished(() => moveDate(0));
  moveDate(aheadMs);
}
