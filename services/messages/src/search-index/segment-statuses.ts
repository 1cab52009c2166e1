import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { insertRows, UNNAMED } from '@postmesh/database';
import type { StoredStatus } from '../message-status/message-status.rules.js';
import { tryLockSearchIndex } from './index-lock.js';
import { POSTING_COLUMNS } from './seal-segments.js';
import { ID_BYTES, STATUS_TOKENS, statusCode, statusPostings } from './segment.rules.js';

const BATCH_SIZE = 5_000;

interface Changed {
  accountId: string;
  segment: string;
  id: string;
  status: StoredStatus;
}

interface Segment {
  ids: Buffer;
  statuses: Buffer;
}

const NOTHING = { followed: 0, more: false };

/** Updates the statuses in segments after changes of sealed messages. */
@Injectable()
export class SegmentStatuses {
  constructor(private readonly dataSource: DataSource) {}

  /** @returns the number of changes, and whether more may be pending */
  async followBatch(): Promise<{ followed: number; more: boolean }> {
    const any: unknown[] = await this.dataSource.query('select from search_changes limit 1');
    if (any.length === 0) return NOTHING;
    return this.dataSource.transaction(async (tx) => {
      if (!(await tryLockSearchIndex(tx))) return NOTHING;
      const [rows]: [unknown[], number] = await tx.query(TAKE, [BATCH_SIZE]);
      const ids = [...new Set((rows as { id: string }[]).map(({ id }) => id))];
      const changed: Changed[] = await tx.query(`${UNNAMED} ${LOCATE}`, [ids]);
      // sequentially: each is 136 KiB
      for (const group of bySegment(changed)) await updateSegment(tx, group);
      return { followed: rows.length, more: rows.length === BATCH_SIZE };
    });
  }
}

function bySegment(changed: readonly Changed[]): Changed[][] {
  const groups = new Map<string, Changed[]>();
  for (const one of changed) {
    const key = `${one.accountId} ${one.segment}`;
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()];
}

async function updateSegment(tx: EntityManager, changed: readonly Changed[]): Promise<void> {
  const [first] = changed;
  if (!first) return;
  const key = [first.accountId, first.segment];
  const [segment]: Segment[] = await tx.query(
    'select ids, statuses from search_segments where account_id = $1 and segment = $2',
    key,
  );
  if (!segment || !apply(segment, changed)) return;
  await tx.query('update search_segments set statuses = $3 where account_id = $1 and segment = $2', [
    ...key,
    segment.statuses,
  ]);
  await tx.query(
    'delete from search_postings where account_id = $1 and segment = $2 and token = any($3::text[])',
    [...key, STATUS_TOKENS],
  );
  const { accountId, segment: number } = first;
  const postings = statusPostings(segment.statuses).map((posting) => ({
    ...posting,
    accountId,
    segment: number,
  }));
  await insertRows(tx, 'search_postings', POSTING_COLUMNS, postings);
}

/** @returns whether a status has changed */
function apply({ ids, statuses }: Segment, changed: readonly Changed[]): boolean {
  let differs = false;
  for (const { id, status } of changed) {
    const position = positionOf(ids, Buffer.from(id.replaceAll('-', ''), 'hex'));
    const code = statusCode(status);
    if (position === undefined || statuses[position] === code) continue;
    statuses[position] = code;
    differs = true;
  }
  return differs;
}

function positionOf(ids: Buffer, id: Buffer): number | undefined {
  let at = ids.indexOf(id);
  while (at >= 0 && at % ID_BYTES !== 0) at = ids.indexOf(id, at + 1);
  return at < 0 ? undefined : at / ID_BYTES;
}

const TAKE = `
  delete from search_changes
  where ctid = any(array(select ctid from search_changes limit $1)) returning message_id as id`;

// messages outside of segments are left out: they are sealed with their status of that time
const LOCATE = `
  select m.account_id as "accountId", m.id, m.status, g.segment
  from unnest($1::uuid[]) as given(id)
  join messages m on m.id = given.id
  cross join lateral (
    select segment, oldest_at, oldest_id from search_segments g
    where g.account_id = m.account_id and (g.newest_at, g.newest_id) >= (m.created_at, m.id)
    order by g.account_id, g.segment limit 1) as g
  where (m.created_at, m.id) >= (g.oldest_at, g.oldest_id)`;
