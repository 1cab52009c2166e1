import type { EntityManager } from 'typeorm';
import { UNNAMED } from '@postmesh/database';
import { conditionsOf, type MessageWalk } from '../list-messages/message-walk.sql.js';
import { foldSubject } from '../search-index/search-tokens.rules.js';
import type { ListPlace } from '../search-index/list-place.rules.js';

/** Rows that one request reads at most, in growing steps: usual pages need the first, and all take some 20 ms. */
export const STEPS = [500, 2_500, 7_000] as const;

/** Messages of campaigns, or all others: each has an index for its walk. */
export type Walked = 'campaigns' | 'others';

export interface Found {
  /** newest first */
  rows: { id: string; createdAt: Date }[];
  /** the walk continues below this place; null: there is nothing more */
  until: ListPlace | null;
}

interface Step {
  walked: number;
  lastAt: Date | null;
  lastId: string | null;
  rows: { id: string; at: string; subject: string }[];
}

/**
 * Reads messages newest first, each with its send request, until `limit` of them fit or the bound is reached: for
 * filters without an index. The page then ends where the walk did, and the next one continues there.
 */
export async function boundedWalk(
  tx: EntityManager,
  walk: MessageWalk & { address: string | undefined },
  of: Walked,
  limit: number,
): Promise<Found> {
  const found: Found['rows'] = [];
  let below = walk.below;
  for (const size of STEPS) {
    const { text, parameters } = stepSql({ ...walk, below }, of, size);
    const [step]: Step[] = await tx.query(`${UNNAMED} ${text}`, parameters);
    found.push(...fitting(walk, step?.rows ?? []));
    const place = step && placeOf(step);
    if (found.length >= limit) return endAt(found.slice(0, limit));
    if (!place || step.walked < size) return { rows: found, until: null };
    below = place;
  }
  return { rows: found, until: below };
}

const placeOf = ({ lastAt, lastId }: Step): ListPlace | undefined =>
  lastAt && lastId !== null ? { at: lastAt.toISOString(), id: lastId } : undefined;

function endAt(rows: Found['rows']): Found {
  const last = rows.at(-1);
  return { rows, until: last ? { at: last.createdAt.toISOString(), id: last.id } : null };
}

function fitting({ filters: { subject } }: MessageWalk, rows: Step['rows']): Found['rows'] {
  return rows
    .filter((row) => subject === undefined || foldSubject(row.subject).includes(subject))
    .map(({ id, at }) => ({ id, createdAt: new Date(at) }));
}

/** One step. For the tests of its plan, too. */
export function stepSql(
  walk: MessageWalk & { address: string | undefined },
  of: Walked,
  size: number,
): { text: string; parameters: unknown[] } {
  const parameters: unknown[] = [];
  const add = (value: unknown): string => `$${parameters.push(value)}`;
  const { accountId, above, below, filters, address } = walk;
  const walked = `select m.id, m.created_at, m.status, m.recipient, m.subject, m.send_request_id from messages m
      where m.account_id = ${add(accountId)} and m.campaign_id is ${of === 'campaigns' ? 'not null' : 'null'}
        and (m.created_at, m.id) > (${add(above.at)}::timestamptz, ${add(above.id)}::uuid)
        and (m.created_at, m.id) < (${add(below.at)}::timestamptz, ${add(below.id)}::uuid)
      order by m.created_at desc, m.id desc limit ${size}`;
  const conditions = ['s.retain_metadata_until > now()', ...conditionsOf(filters, add)];
  if (address !== undefined) {
    const part = add(address);
    conditions.push(`(strpos(lower(m.recipient), ${part}) > 0 or strpos(lower(s.sender), ${part}) > 0)`);
  }
  if (filters.subject !== undefined && isAscii(filters.subject))
    conditions.push(mayHave('coalesce(m.subject, s.subject)', add(filters.subject)));
  return {
    text: `with walked as materialized (${walked}),
      fit as (
        select m.id, m.created_at, coalesce(m.subject, s.subject) as subject
        from walked m join send_requests s on s.id = m.send_request_id where ${conditions.join(' and ')})
      select (select count(*)::int from walked) as walked,
        (select created_at from walked order by created_at, id limit 1) as "lastAt",
        (select id from walked order by created_at, id limit 1) as "lastId",
        coalesce((select json_agg(json_build_object('id', id, 'at', created_at, 'subject', subject)
          order by created_at desc, id desc) from fit), '[]') as rows`,
    parameters,
  };
}

const isAscii = (text: string): boolean => Buffer.byteLength(text) === text.length;

/** Leaves out ASCII subjects without the part, which are most: the others are folded and compared here. */
const mayHave = (subject: string, part: string): string =>
  `(strpos(lower(${subject} collate "C"), ${part}) > 0 or octet_length(${subject}) <> length(${subject}))`;
