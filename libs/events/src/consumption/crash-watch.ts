import { pause, Permits, SingleFlight, withTimeout } from '@postmesh/concurrency';
import { Transient } from '@postmesh/contracts';
import { changedRows, markIsGone, type SessionMark } from '@postmesh/database';
import type { Logger } from '@postmesh/observability';
import type { DataSource } from 'typeorm';
import { deleteOlderDays, type OlderDays } from '../delete-older-days.js';
import { LAZILY } from '../positions.js';
import { identityOf, type EventFailure } from './batch-entries.js';
import { isSetAside, slicesByCrashes, waitBeforeMs, type Slice } from './crash-suspects.rules.js';
import type { ReceivedEvent } from '../event-bus.port.js';

interface CrashWatchOptions {
  dataSource: DataSource;
  /** by which other processes see that this one lives */
  mark: Pick<SessionMark, 'current'>;
  logger: Logger;
  /** one for all that ends together; default: those of this process, or thread */
  suspects?: Permits;
}

/** Handles events that came together. @param setAside set: they are dead letters, for this reason */
type HandleSlice = (events: readonly ReceivedEvent[], setAside?: EventFailure) => Promise<void>;

// A crash loop has come round again by then, whatever pause its supervisor makes (up to five minutes in Kubernetes).
const CAREFUL_S = 600;
// The share of a stop, which has more to do.
const END_MS = 2_000;
// A restart of PostgreSQL replaces every mark. A look is no statement; while the row carries the old mark, a process
// that starts takes this one for dead.
const LOOK_MS = 1_000;

// Services of one process share its end: while an event that may be the cause is in flight, no other one is, so that no
// other one is counted with it.
const suspectsOfProcess = new Permits(1);
const SUSPECT = 'suspect';

/**
 * Ends a crash loop of an event that brings down the process of its consumer (decision 87).
 *
 * Each run of a service has a row in `consumer_runs` under the mark of its session, and removes it in an orderly
 * stop. A run that finds the row of a closed session is in recovery mode ("careful") for a while: events are noted in
 * a commit of their own before they are handled. A note of a closed session counts as a crash of each of its events.
 * These are handled in small slices, then alone, and in the end set aside. A run that finds no such row writes no
 * note.
 */
export class CrashWatch {
  private carefulUntil = Number.NEGATIVE_INFINITY;
  private run: number | undefined;
  private readonly suspects: Permits;
  private readonly stopping = new AbortController();
  private readonly following = new SingleFlight<'mark', void>();
  private looks: NodeJS.Timeout | undefined;

  constructor(private readonly options: CrashWatchOptions) {
    this.suspects = options.suspects ?? suspectsOfProcess;
  }

  /** Before the first batch. @throws Transient while the session of the mark is not there */
  async begin(): Promise<void> {
    const { dataSource, logger } = this.options;
    const mark = await this.mark();
    const carefulS = await dataSource.transaction(async (tx) => {
      await tx.query(
        `update consumer_runs set ended_at = now() where ended_at is null and mark <> $1 and ${markIsGone('mark')}`,
        [mark],
      );
      await tx.query('delete from consumer_runs where ended_at < now() - make_interval(secs => $1)', [
        CAREFUL_S,
      ]);
      await tx.query(
        `insert into consumer_runs (mark) values ($1)
         on conflict (mark) do update set begun_at = now(), ended_at = null`,
        [mark],
      );
      const [row]: { left: number | null }[] = await tx.query(
        `select extract(epoch from max(ended_at) - now())::float8 + $1 as left from consumer_runs`,
        [CAREFUL_S],
      );
      return row?.left ?? 0;
    });
    this.run = mark;
    this.looks = setInterval(() => void this.look(), LOOK_MS).unref();
    this.carefulUntil = performance.now() + carefulS * 1_000;
    if (carefulS <= 0) return;
    const line = { event: 'consumption.careful', seconds: Math.round(carefulS) };
    logger.warn(line, 'a process did not stop in order: events are noted');
  }

  /**
   * A stop begins. Events that wait for their turn are refused, and so are new ones in recovery mode: the bus
   * delivers them to the next run.
   */
  refuse(): void {
    this.stopping.abort(new Transient('the consumers stop'));
  }

  /** A stop in order: what is in flight is no crash. Where the database does not answer, the next run is careful. */
  async end(): Promise<void> {
    this.refuse();
    clearInterval(this.looks);
    await withTimeout(this.leave(), END_MS, 'the end of a run').catch((error: unknown) => {
      const line = { event: 'consumption.run_left', err: error };
      this.options.logger.warn(line, 'not noted that the process stopped in order');
    });
  }

  private async leave(): Promise<void> {
    // none begins any more; one under way would insert the row behind the delete
    await this.followMark().catch(() => undefined);
    const { run } = this;
    if (run === undefined) return;
    this.run = undefined;
    await this.options.dataSource.transaction(async (tx) => {
      await tx.query('update event_crashes set mark = null where mark = $1', [run]);
      await tx.query('delete from consumer_runs where mark = $1', [run]);
    });
  }

  /** @throws what `work` throws; Transient while nothing can be noted that has to be, and where a stop has begun */
  async handle(received: readonly ReceivedEvent[], work: HandleSlice): Promise<void> {
    if (performance.now() >= this.carefulUntil) return work(received);
    await this.followMark();
    const crashes = await this.crashesOf(received);
    for (const slice of slicesByCrashes(received, (one) => crashes.get(identityOf(one)) ?? 0)) {
      if (slice.crashes === 0) await this.inFlight(slice, work);
      else if (isSetAside(slice.crashes)) await this.setAside(slice, work);
      else await this.suspected(slice, work);
    }
  }

  private async suspected(slice: Slice<ReceivedEvent>, work: HandleSlice): Promise<void> {
    const { signal } = this.stopping;
    await pause(waitBeforeMs(slice.crashes, Math.random()), signal);
    await this.suspects.acquire(SUSPECT, signal);
    try {
      await this.inFlight(slice, work);
    } finally {
      this.suspects.release(SUSPECT);
    }
  }

  private async setAside({ events, crashes }: Slice<ReceivedEvent>, work: HandleSlice): Promise<void> {
    const reason = `set aside: its consumer ended with its process ${crashes} times`;
    await work(events, { kind: 'bug', reason, crashes });
    await this.forget(events.map(identityOf));
  }

  private async inFlight({ events }: Slice<ReceivedEvent>, work: HandleSlice): Promise<void> {
    const ids = [...new Set(events.map(identityOf))];
    await this.note(ids);
    try {
      await work(events);
    } catch (error) {
      await this.release(ids);
      throw error;
    }
    await this.forget(ids);
  }

  /** Notes the events in flight, on disk before they are handled: the machine may end with the process. */
  private async note(ids: readonly string[]): Promise<void> {
    await this.options.dataSource.query(
      `insert into event_crashes (event_id, mark) select id, $2 from unnest($1::text[]) as given(id) order by id
       on conflict (event_id) do update set mark = excluded.mark, noted_at = now()`,
      [ids, this.run],
    );
  }

  /** Handled: whatever ends the process later, they are not the cause. */
  private async forget(ids: readonly string[]): Promise<void> {
    await this.lazily('delete from event_crashes using lazily where event_id = any($1::text[])', ids);
  }

  /** Not handled, and the process lives: it waits for the next delivery with the crashes that it has. */
  private async release(ids: readonly string[]): Promise<void> {
    const release = 'update event_crashes set mark = null from lazily where event_id = any($1::text[])';
    await this.lazily(release, ids);
  }

  /**
   * Losing this commit, or the database that it fails on, would have an event counted that was in flight and is not the
   * cause: it is handled alone then.
   */
  private async lazily(statement: string, ids: readonly string[]): Promise<void> {
    try {
      await this.options.dataSource.query(`${LAZILY} ${statement}`, [ids]);
    } catch (error) {
      const line = { event: 'consumption.note_left', err: error };
      this.options.logger.warn(line, 'note of events in flight stays');
    }
  }

  /** The crashes of those that have any. A note of a session that is gone is one more. */
  private async crashesOf(received: readonly ReceivedEvent[]): Promise<ReadonlyMap<string, number>> {
    const { dataSource } = this.options;
    const ids = received.map(identityOf);
    const counted = await changedRows(
      dataSource,
      `update event_crashes set crashes = crashes + 1, mark = null
       where event_id = any($1::text[]) and mark <> $2 and ${markIsGone('mark')}`,
      [ids, this.run],
    );
    const rows: { event_id: string; crashes: number }[] = await dataSource.query(
      'select event_id, crashes from event_crashes where event_id = any($1::text[]) and crashes > 0',
      [ids],
    );
    if (counted > 0) {
      const most = Math.max(0, ...rows.map(({ crashes }) => crashes));
      const line = { event: 'consumption.crash_counted', events: counted, most };
      this.options.logger.warn(line, 'events were in flight when a process ended');
    }
    return new Map(rows.map(({ event_id, crashes }) => [event_id, crashes]));
  }

  /** A run that is not careful, or has nothing to handle, follows its mark too. */
  private async look(): Promise<void> {
    await this.followMark().catch((error: unknown) => {
      // there is no session, or the database does not answer: the next look tries again
      this.options.logger.debug(
        { event: 'consumption.run_not_followed', err: error },
        'cannot watch liveness lock, will retry',
      );
    });
  }

  private followMark(): Promise<void> {
    return this.following.run('mark', () => this.follow());
  }

  /**
   * A session that was lost came back with another mark. This process lives: its notes are no crashes.
   * @throws Transient after a stop has begun: the row would stay for ever
   */
  private async follow(): Promise<void> {
    this.stopping.signal.throwIfAborted();
    const mark = await this.mark();
    const { run } = this;
    if (mark === run) return;
    await this.options.dataSource.transaction(async (tx) => {
      await tx.query('update event_crashes set mark = null where mark = $1', [run]);
      await tx.query('delete from consumer_runs where mark = any($1::int[])', [[run, mark]]);
      await tx.query('insert into consumer_runs (mark) values ($1)', [mark]);
    });
    this.run = mark;
  }

  private async mark(): Promise<number> {
    const mark = await this.options.mark.current();
    if (mark === null) throw new Transient('there is no session that shows that this process lives');
    return mark;
  }
}

/** Forgets crashes of events that no bus can deliver any more, until none is left, in pieces. @returns rows deleted */
export function pruneCrashNotes(dataSource: DataSource, older: OlderDays): Promise<number> {
  // no index by time: these are few, what is handled is deleted at once
  return deleteOlderDays(dataSource, { table: 'event_crashes', column: 'noted_at' }, older);
}
