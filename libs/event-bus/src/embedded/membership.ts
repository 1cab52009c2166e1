import type pg from 'pg';
import { newId, type Stream } from '@postmesh/contracts';
import { assignedTo, partitionName, partitionsOf, type Member, type Partition } from './assignment.rules.js';
import type { Cursor } from './event-log.js';
import { MEMBER_IS_DEAD } from './liveness.js';
import { inTransaction } from './transaction.js';
import type { Backend } from './wakeups.js';

const GROUP_LOCK = 727_004;

const COMMIT = {
  name: 'bus-commit',
  text: `update bus.cursors c set position = done.position
    from unnest($3::text[], $4::smallint[], $5::bigint[], $6::bigint[]) as done(stream, partition, position, fence)
    where c.consumer_group = $1 and c.owner = $2
      and c.stream = done.stream and c.partition = done.partition and c.fence = done.fence
    returning c.stream, c.partition`,
};

interface CursorRow {
  stream: Stream;
  partition: number;
  position: string;
  owner: string | null;
  fence: string;
}

/** One member's place in its group: what it holds, and the statements that take, keep and give back. */
export class Membership {
  readonly member = newId();
  private held = new Map<string, Cursor>();

  constructor(
    private readonly options: { group: string; streams: readonly Stream[]; leaseMs: number },
    private readonly pool: pg.Pool,
    private readonly backend: () => Backend | undefined,
  ) {}

  cursors(): Cursor[] {
    return [...this.held.values()];
  }

  /**
   * Says "I live", removes the dead, gives back what belongs to others now and takes what is free. Called between
   * batches only, so nothing that is given back is half done. Members of a group take turns.
   * @returns whether the partitions held have changed
   */
  async sync(): Promise<boolean> {
    const before = this.held;
    this.held = await inTransaction(this.pool, async (client) => {
      await client.query('select pg_advisory_xact_lock($1, hashtext($2))', [GROUP_LOCK, this.options.group]);
      const joined = await this.announce(client);
      const members = await this.livingMembers(client);
      const settled = await this.settle(client, members.living);
      if (joined || members.removed || settled.given) await this.tellPeers(client);
      return settled.held;
    });
    return [...before.keys()].join() !== [...this.held.keys()].join();
  }

  /**
   * Writes how far the member has come.
   * @returns partitions that were not this member's any more; they are dropped here, their new owner begins where the
   *   last accepted commit ended
   */
  async commit(pool: pg.Pool, ends: ReadonlyMap<string, number>): Promise<string[]> {
    const cursors = [...ends.keys()].flatMap((name) => this.held.get(name) ?? []);
    const values = [
      this.options.group,
      this.member,
      cursors.map((cursor) => cursor.stream),
      cursors.map((cursor) => cursor.partition),
      cursors.map((cursor) => ends.get(partitionName(cursor))),
      cursors.map((cursor) => cursor.fence),
    ];
    const { rows } = await pool.query<Partition>({ ...COMMIT, values });
    const accepted = new Set(rows.map(partitionName));
    for (const cursor of cursors) {
      const name = partitionName(cursor);
      if (accepted.has(name)) cursor.position = ends.get(name) ?? cursor.position;
      else this.held.delete(name);
    }
    return [...ends.keys()].filter((name) => !accepted.has(name));
  }

  /** Gives everything back at once, so that the others need not wait for the lease to end. */
  async leave(): Promise<void> {
    this.held.clear();
    await inTransaction(this.pool, async (client) => {
      await client.query('delete from bus.members where member = $1', [this.member]);
      await client.query('update bus.cursors set owner = null where consumer_group = $1 and owner = $2', [
        this.options.group,
        this.member,
      ]);
      await this.tellPeers(client);
    });
  }

  private async announce(client: pg.PoolClient): Promise<boolean> {
    const { group, streams } = this.options;
    const backend = this.backend();
    const { rows } = await client.query<{ joined: boolean }>(
      `insert into bus.members as m (member, consumer_group, streams, backend_pid, backend_start)
       values ($1, $2, $3, $4, $5::timestamptz)
       on conflict (member) do update set seen_at = now(), backend_pid = $4, backend_start = $5::timestamptz
       returning m.xmax = 0 as joined`,
      [this.member, group, streams, backend?.pid, backend?.start],
    );
    const joined = rows[0]?.joined ?? false;
    if (joined) await this.announceGroup(client);
    return joined;
  }

  private async announceGroup(client: pg.PoolClient): Promise<void> {
    const { group, streams } = this.options;
    await client.query(
      `insert into bus.groups (consumer_group, stream) select $1, unnest($2::text[])
       on conflict (consumer_group, stream) do update set seen_at = now()`,
      [group, streams],
    );
    const partitions = partitionsOf(streams);
    await client.query(
      `insert into bus.cursors (consumer_group, stream, partition) select $1, * from unnest($2::text[], $3::smallint[])
       on conflict do nothing`,
      [group, partitions.map(({ stream }) => stream), partitions.map(({ partition }) => partition)],
    );
  }

  private async livingMembers(client: pg.PoolClient): Promise<{ living: Member[]; removed: boolean }> {
    const { group, leaseMs } = this.options;
    const dead = await client.query(
      `delete from bus.members m where m.consumer_group = $1 and m.member <> $2 and ${MEMBER_IS_DEAD('$3')}`,
      [group, this.member, leaseMs],
    );
    const { rows } = await client.query<Member>(
      'select member as id, streams from bus.members where consumer_group = $1',
      [group],
    );
    return { living: rows, removed: (dead.rowCount ?? 0) > 0 };
  }

  private async settle(
    client: pg.PoolClient,
    living: readonly Member[],
  ): Promise<{ held: Map<string, Cursor>; given: boolean }> {
    const { rows } = await client.query<CursorRow>(
      'select stream, partition, position, owner, fence from bus.cursors where consumer_group = $1',
      [this.options.group],
    );
    const wanted = new Set(assignedTo(this.member, living).map(partitionName));
    const alive = new Set(living.map(({ id }) => id));
    const mine = rows.filter(({ owner }) => owner === this.member);
    const surplus = mine.filter((row) => !wanted.has(partitionName(row)));
    const free = rows.filter(
      (row) => wanted.has(partitionName(row)) && (row.owner === null || !alive.has(row.owner)),
    );
    await this.setOwner(client, surplus, null);
    const taken = await this.setOwner(client, free, this.member);
    const kept = mine.filter((row) => !surplus.includes(row));
    const held = new Map([...kept, ...taken].map((row) => [partitionName(row), this.cursorOf(row)]));
    return { held, given: surplus.length > 0 };
  }

  /** Our own memory of a cursor is at least as far as the row, as long as the fence is the same. */
  private cursorOf(row: CursorRow): Cursor {
    const known = this.held.get(partitionName(row));
    if (known?.fence === row.fence) return known;
    return { stream: row.stream, partition: row.partition, position: Number(row.position), fence: row.fence };
  }

  private async setOwner(
    client: pg.PoolClient,
    partitions: readonly Partition[],
    owner: string | null,
  ): Promise<CursorRow[]> {
    if (partitions.length === 0) return [];
    const { rows } = await client.query<CursorRow>(
      `update bus.cursors c set owner = $2, fence = c.fence + 1
       from unnest($3::text[], $4::smallint[]) as these(stream, partition)
       where c.consumer_group = $1 and c.stream = these.stream and c.partition = these.partition
       returning c.stream, c.partition, c.position, c.owner, c.fence`,
      [
        this.options.group,
        owner,
        partitions.map(({ stream }) => stream),
        partitions.map(({ partition }) => partition),
      ],
    );
    return rows;
  }

  private async tellPeers(client: pg.PoolClient): Promise<void> {
    await client.query(`select pg_notify('bus', $1)`, [`group:${this.options.group}`]);
  }
}
