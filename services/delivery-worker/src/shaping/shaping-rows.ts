import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { insertRows } from '@postmesh/database';
import type { Cause, ShapingState, WindowUse } from './learning.rules.js';
import type { NarrowSuspension } from './narrow-suspensions.js';

/** The key of every learnt state. */
export interface ShapingKey {
  readonly groupKey: string;
  readonly source: string;
}

export interface StoredState extends ShapingKey {
  /** 0 = there is no row */
  readonly version: number;
  readonly state: ShapingState;
}

/** One worker's use of a group. */
export interface GroupUse extends ShapingKey, WindowUse {
  /** version of the state under which the results were counted */
  readonly version: number;
  readonly connections: number;
}

export interface SharedUses {
  /** the database's clock, Unix ms */
  readonly now: number | undefined;
  /** ids of the workers that live, this one included */
  readonly workers: readonly string[];
  /** the use of other workers, of the groups that this one uses */
  readonly others: readonly GroupUse[];
}

export const SHAPING_CHANNEL = 'delivery_worker_shaping';

// As many groups as a worker keeps in memory. Beyond them, the groups that changed longest ago count as new.
export const MAX_GROUPS = 20_000;
const MAX_SUSPENSIONS = 20_000;
// Reported every five seconds.
const ALIVE_S = 15;
// A change whose notification was lost is found by the next poll.
const RECENT_S = 20;

/** The rows that all workers share: learnt limits of groups, the use of each worker, and suspensions. */
@Injectable()
export class ShapingRows {
  constructor(private readonly dataSource: DataSource) {}

  async load(): Promise<StoredState[]> {
    return this.states(`select ${STATE} from shaping_state order by changed_at desc limit ${MAX_GROUPS}`, []);
  }

  async loadRecent(): Promise<StoredState[]> {
    return this.states(
      `select ${STATE} from shaping_state where changed_at > now() - make_interval(secs => $1)
       order by changed_at desc limit ${MAX_GROUPS}`,
      [RECENT_S],
    );
  }

  async read(keys: readonly ShapingKey[]): Promise<StoredState[]> {
    return this.states(
      `select ${STATE} from shaping_state join unnest($1::text[], $2::text[]) as wanted (group_key, source)
       using (group_key, source)`,
      [keys.map(({ groupKey }) => groupKey), keys.map(({ source }) => source)],
    );
  }

  /**
   * Replaces the state of this version, and notifies the other workers.
   * @returns false when another worker was faster: read, and decide again
   */
  async replace(key: ShapingKey, version: number, state: ShapingState): Promise<boolean> {
    const row = { ...key, ...state, version: version + 1 };
    const saved = await insertRows(this.dataSource, 'shaping_state', COLUMNS, [row], {
      onConflict: REPLACE,
      returning: `pg_notify('${SHAPING_CHANNEL}', json_build_array(group_key, source, version)::text)`,
    });
    return saved.length > 0;
  }

  /** Reports this worker's use, and removes unused groups. @returns the use of the others */
  async exchange(worker: string, uses: readonly GroupUse[]): Promise<SharedUses> {
    const listed = [ALIVE, ...uses];
    const rows: SharedRow[] = await this.dataSource.query(EXCHANGE, [
      worker,
      listed.map(({ groupKey }) => groupKey),
      listed.map(({ source }) => source),
      listed.map(({ version }) => version),
      listed.map(({ connections }) => connections),
      listed.map(({ peak }) => peak),
      listed.map(({ results }) => results),
      listed.map(({ rate }) => rate),
      ALIVE_S,
    ]);
    return {
      now: rows[0] && Number(rows[0].now),
      workers: [worker, ...rows.flatMap((row) => (row.groupKey === '' && row.worker ? [row.worker] : []))],
      others: rows.flatMap((row) => (row.groupKey ? [{ ...row, version: Number(row.version) }] : [])),
    };
  }

  async leave(worker: string): Promise<void> {
    await this.dataSource.query('delete from shaping_use where worker = $1', [worker]);
  }

  async loadSuspensions(groupKeys?: readonly string[]): Promise<NarrowSuspension[]> {
    const rows: (Omit<NarrowSuspension, 'until'> & { until: Date })[] = await this.dataSource.query(
      `select group_key as "groupKey", source, scope, subject, suspended_until as until, strikes, cause
       from suspensions where $1::text[] is null or group_key = any($1)
       order by suspended_until desc limit ${MAX_SUSPENSIONS}`,
      [groupKeys ?? null],
    );
    return rows.map((row) => ({ ...row, until: row.until.getTime() }));
  }

  /** When several workers suspend at once, the longest suspension counts. */
  async suspend(suspension: NarrowSuspension): Promise<void> {
    await insertRows(this.dataSource, 'suspensions', SUSPENSION_COLUMNS, [suspension], {
      onConflict: `(group_key, source, scope, subject) do update set suspended_until = excluded.suspended_until,
        strikes = excluded.strikes, cause = excluded.cause
        where suspensions.suspended_until < excluded.suspended_until`,
      returning: `pg_notify('${SHAPING_CHANNEL}', json_build_array(group_key, source)::text)`,
    });
  }

  /** @returns how many there were */
  async liftSuspensions(groupKey: string): Promise<number> {
    const rows: unknown[] = await this.dataSource.query(
      `with lifted as (delete from suspensions where group_key = $1 returning group_key, source)
       select pg_notify('${SHAPING_CHANNEL}', json_build_array(group_key, source)::text) from lifted`,
      [groupKey],
    );
    return rows.length;
  }

  private async states(sql: string, parameters: unknown[]): Promise<StoredState[]> {
    const rows: StateRow[] = await this.dataSource.query(sql, parameters);
    return rows.map(toState);
  }
}

const ALIVE: GroupUse = {
  groupKey: '',
  source: '',
  version: 0,
  connections: 0,
  peak: 0,
  results: 0,
  rate: 0,
};

type SharedRow = { now: string } & Omit<GroupUse, 'version'> & { version: string; worker: string | null };

interface StateRow extends ShapingKey {
  version: string;
  connections: number;
  rate: number | null;
  perConnection: number | null;
  half: number | null;
  windowFrom: Date;
  deafUntil: Date | null;
  heldUntil: Date | null;
  suspendedUntil: Date | null;
  strikes: number;
  floorCuts: number;
  floorFrom: Date | null;
  troubledAt: Date | null;
  changedAt: Date;
  cause: Cause | null;
}

const STATE = `group_key as "groupKey", source, version, connections, rate, per_connection as "perConnection", half,
  window_from as "windowFrom", deaf_until as "deafUntil", held_until as "heldUntil",
  suspended_until as "suspendedUntil", strikes, floor_cuts as "floorCuts", floor_from as "floorFrom",
  troubled_at as "troubledAt", changed_at as "changedAt", cause`;

const toState = ({ groupKey, source, version, ...row }: StateRow): StoredState => ({
  groupKey,
  source,
  version: Number(version),
  state: {
    ...row,
    windowFrom: row.windowFrom.getTime(),
    deafUntil: row.deafUntil?.getTime() ?? 0,
    heldUntil: row.heldUntil?.getTime() ?? 0,
    suspendedUntil: row.suspendedUntil?.getTime() ?? null,
    floorFrom: row.floorFrom?.getTime() ?? 0,
    troubledAt: row.troubledAt?.getTime() ?? null,
    changedAt: row.changedAt.getTime(),
  },
});

type WrittenState = ShapingKey & ShapingState & { version: number };

/** 0 = never */
const time = (read: (row: WrittenState) => number | null) =>
  ['timestamptz', (row: WrittenState) => (read(row) ? new Date(read(row) ?? 0) : null)] as const;

const COLUMNS = {
  group_key: 'text',
  source: 'text',
  version: 'bigint',
  connections: 'int',
  rate: 'float8',
  per_connection: 'int',
  half: 'int',
  window_from: ['timestamptz', (row: WrittenState) => new Date(row.windowFrom)],
  deaf_until: time((row) => row.deafUntil),
  held_until: time((row) => row.heldUntil),
  suspended_until: time((row) => row.suspendedUntil),
  strikes: 'int',
  floor_cuts: 'int',
  floor_from: time((row) => row.floorFrom),
  troubled_at: time((row) => row.troubledAt),
  changed_at: ['timestamptz', (row: WrittenState) => new Date(row.changedAt)],
  cause: 'jsonb',
} as const;

const SUSPENSION_COLUMNS = {
  group_key: 'text',
  source: 'text',
  scope: 'text',
  subject: 'text',
  suspended_until: ['timestamptz', (row: NarrowSuspension) => new Date(row.until)],
  strikes: 'int',
  cause: 'jsonb',
} as const;

const REPLACE = `(group_key, source) do update set ${Object.keys(COLUMNS)
  .filter((column) => column !== 'group_key' && column !== 'source')
  .map((column) => `${column} = excluded.${column}`)
  .join(', ')} where shaping_state.version = excluded.version - 1`;

const EXCHANGE = `
  with listed as (
    select * from unnest($2::text[], $3::text[], $4::bigint[], $5::int[], $6::int[], $7::int[], $8::float8[])
      as given (group_key, source, version, connections, peak, results, rate)),
  gone as (
    delete from shaping_use u where worker = $1
      and not exists (select from listed l where l.group_key = u.group_key and l.source = u.source)),
  used as (
    insert into shaping_use (group_key, source, worker, version, connections, peak, results, rate, told_at)
    select group_key, source, $1, version, connections, peak, results, rate, now() from listed
    on conflict (group_key, source, worker) do update set version = excluded.version,
      connections = excluded.connections, peak = excluded.peak, results = excluded.results, rate = excluded.rate,
      told_at = excluded.told_at)
  select (extract(epoch from clock_timestamp()) * 1000)::bigint as now, u.group_key as "groupKey", u.source, u.worker,
    u.version, u.connections, u.peak, u.results, u.rate
  from (select 1) as always left join (listed l join shaping_use u using (group_key, source))
    on u.worker <> $1 and u.told_at > now() - make_interval(secs => $9)`;
