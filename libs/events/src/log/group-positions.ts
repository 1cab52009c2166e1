import type { Stream } from '@postmesh/contracts';
import type pg from 'pg';
import type { PositionKeeper } from '../event-bus.port.js';
import { lastPosition, type LogTables } from './event-log.js';

// A copy may be this old; a group that does nothing is seen all the same.
const COPY_MS = 1_000;
const SEEN_MS = 60_000;

/**
 * The positions of a group's reader. The subscriber stores them, or the table `groups` where it does not; then they are
 * written after each batch. Otherwise `groups` has a copy, behind by a second at most, for lag and trimming:
 * losing it costs nothing, so the write does not wait for the disk (synchronous_commit is off here).
 */
export class GroupPositions {
  private positions = new Map<Stream, number>();
  private isWritten = true;
  private writtenAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly log: LogTables,
    private readonly group: string,
    private readonly streams: readonly Stream[],
    private readonly keeper: PositionKeeper | undefined,
  ) {}

  /** @returns streams whose log ends before the group's position: it was restored from a backup */
  async load(client: pg.Client): Promise<Stream[]> {
    const stored = this.keeper
      ? await this.keeper.load(this.log.id, this.streams)
      : await this.loadOwn(client);
    this.positions = new Map(this.streams.map((stream) => [stream, stored.get(stream) ?? 0]));
    const beyond = await this.rewind(client);
    await this.write(client);
    return beyond;
  }

  of(streams: Iterable<Stream>): Map<Stream, number> {
    return new Map([...streams].map((stream) => [stream, this.positions.get(stream) ?? 0]));
  }

  /** Everything up to these positions is handled. */
  async moved(client: pg.Client, ends: ReadonlyMap<Stream, number>): Promise<void> {
    for (const [stream, position] of ends) this.positions.set(stream, position);
    if (this.keeper) this.isWritten = false;
    else await this.store(client, ends);
    await this.writeWhenDue(client);
  }

  async writeWhenDue(client: pg.Client): Promise<void> {
    const age = performance.now() - this.writtenAt;
    if (age >= (this.isWritten ? SEEN_MS : COPY_MS)) await this.write(client);
  }

  async write(client: pg.Client): Promise<void> {
    this.writtenAt = performance.now();
    this.isWritten = true;
    await this.store(client, this.positions);
  }

  private async store(client: pg.Client, positions: ReadonlyMap<Stream, number>): Promise<void> {
    await client.query({
      name: `${this.log.schema}-group-positions`,
      text: `insert into ${this.log.schema}.groups (consumer_group, stream, position)
        select $1, stream, position from unnest($2::text[], $3::bigint[]) as given(stream, position) order by stream
        on conflict (consumer_group, stream) do update set position = excluded.position, seen_at = now()`,
      values: [this.group, [...positions.keys()], [...positions.values()]],
    });
  }

  private async loadOwn(client: pg.Client): Promise<Map<Stream, number>> {
    const { rows } = await client.query<{ stream: Stream; position: string }>(
      `select stream, position from ${this.log.schema}.groups where consumer_group = $1`,
      [this.group],
    );
    return new Map(rows.map(({ stream, position }) => [stream, Number(position)]));
  }

  private async rewind(client: pg.Client): Promise<Stream[]> {
    const last = await lastPosition(client, this.log.schema);
    const beyond = this.streams.filter((stream) => (this.positions.get(stream) ?? 0) > last);
    if (beyond.length === 0) return [];
    await this.keeper?.rewind(this.log.id, beyond, last);
    for (const stream of beyond) this.positions.set(stream, last);
    return beyond;
  }
}
