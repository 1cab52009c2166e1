import { inBatches } from '@postmesh/concurrency';
import type { DataSource, EntityManager } from 'typeorm';

// A read adds the deltas that are not folded yet; for this many rows that takes a millisecond.
const BATCH = 5_000;

type Database = Pick<DataSource | EntityManager, 'query'>;

/**
 * One kind of counters: a row of totals for each key, and a row of deltas for each transaction that changed it. Names
 * reach the SQL text: constants of ours, never input.
 */
export interface CounterTables<Counter extends string, Latest extends string = never> {
  /** a bigint `id`, the key with an index, a column for each counter and time; rows are inserted and deleted only */
  readonly deltas: string;
  /** the column of the deltas that names the row of totals */
  readonly deltaKey: string;
  /** has the row before the first delta of its key; deltas whose row is gone count nowhere */
  readonly totals: string;
  readonly totalKey: string;
  /** columns that add up, and their column of the deltas */
  readonly sums: Readonly<Record<Counter, string>>;
  /** times of which the latest stays, and their column of the deltas */
  readonly latest?: Readonly<Record<Latest, string>>;
}

/**
 * Counters that no writer waits for (decision 111). The transaction of a change inserts a delta; a read adds the deltas
 * to the totals in one statement, so in one snapshot: a delta is in one of both, never in both or in neither. `fold`
 * moves deltas into totals, which changes no figure and keeps reads cheap.
 */
export class Counters<Counter extends string, Latest extends string = never> {
  private readonly foldBatch: string;
  private readonly readAll: string;

  constructor(private readonly tables: CounterTables<Counter, Latest>) {
    const { deltas, deltaKey, totals, totalKey } = tables;
    const sums = Object.entries<string>(tables.sums);
    const latest = Object.entries<string>(tables.latest ?? {});
    const added = [
      ...sums.map(([name, delta]) => `coalesce(sum(${delta}), 0) as ${name}`),
      ...latest.map(([name, delta]) => `max(${delta}) as ${name}`),
    ].join(', ');
    const of = (sum: (name: string) => string, later: (name: string) => string): string =>
      [...sums.map(([name]) => sum(name)), ...latest.map(([name]) => later(name))].join(', ');
    // Totals are locked in the order of their keys, as everywhere: two folds at once wait for each other at most.
    this.foldBatch = `
      with taken as (
        delete from ${deltas} where id = any(array(
          select id from ${deltas} order by id limit ${BATCH} for update skip locked))
        returning *),
      d as (select ${deltaKey} as key, ${added} from taken group by 1),
      held as (
        select ${totalKey} as key from ${totals} where ${totalKey} in (select key from d)
        order by 1 for no key update),
      folded as (
        update ${totals} t set ${of(
          (name) => `${name} = t.${name} + d.${name}`,
          (name) => `${name} = greatest(t.${name}, d.${name})`,
        )} from d join held using (key) where t.${totalKey} = d.key)
      select count(*)::int as taken from taken`;
    // A bigint would come as text; no count is greater than the integers of a float.
    this.readAll = `
      select k.key, ${of(
        (name) => `(coalesce(t.${name}, 0) + coalesce(d.${name}, 0))::float8 as ${name}`,
        (name) => `greatest(t.${name}, d.${name}) as ${name}`,
      )} from unnest($1::uuid[]) as k(key)
        left join (select ${deltaKey} as key, ${added} from ${deltas} where ${deltaKey} = any($1::uuid[]) group by 1) d
          on d.key = k.key
        left join ${totals} t on t.${totalKey} = k.key`;
  }

  /** SQL of the deltas of a counter that are not in its total, a bigint. @param key SQL of the key */
  unfolded(counter: Counter, key: string): string {
    const { deltas, deltaKey, sums } = this.tables;
    return `coalesce((select sum(d.${sums[counter]}) from ${deltas} d where d.${deltaKey} = ${key}), 0)`;
  }

  /** SQL of a counter, a bigint; 0 where there are no totals. @param key SQL of the key */
  counted(counter: Counter, key: string): string {
    const { totals, totalKey } = this.tables;
    const total = `coalesce((select t.${counter} from ${totals} t where t.${totalKey} = ${key}), 0)`;
    return `(${total} + ${this.unfolded(counter, key)})`;
  }

  /** @returns all counters of a key, as numbers, and the latest times: 0 and null where there are no totals */
  async read(
    database: Database,
    key: string,
  ): Promise<Record<Counter, number> & Record<Latest, Date | null>> {
    const [row] = await this.readEach(database, [key]);
    const { key: _, ...counters } = row as unknown as { key: string };
    return counters as Record<Counter, number> & Record<Latest, Date | null>;
  }

  /** Those of several keys, in any order. */
  readEach(
    database: Database,
    keys: readonly string[],
  ): Promise<({ key: string } & Record<Counter, number> & Record<Latest, Date | null>)[]> {
    return database.query(this.readAll, [keys]);
  }

  /**
   * Adds deltas to the totals, each exactly once, until none is left. Several processes may do so at once.
   * @param database not a transaction: a batch is one
   * @returns how many
   */
  async fold(database: Database, signal: AbortSignal): Promise<number> {
    let folded = 0;
    const step = async () => {
      const [{ taken }]: [{ taken: number }] = await database.query(this.foldBatch);
      folded += taken;
      return taken;
    };
    await inBatches(step, { size: BATCH, signal });
    return folded;
  }
}
