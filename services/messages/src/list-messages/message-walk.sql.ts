import type { MessageStatus, StoredStatus } from '../message-status/message-status.rules.js';
import type { ListPlace } from '../search-index/list-place.rules.js';
import type { MessageFilters } from './message-filters.rules.js';

/** A range of an account's list, from one end to the other. */
export interface MessageWalk {
  accountId: string;
  filters: MessageFilters;
  direction: 'older' | 'newer';
  above: ListPlace;
  below: ListPlace;
  /** the message at this end is included */
  includes?: 'below' | undefined;
}

/** The source of rows: all of the account between the ends, the ids of $1, or positions in segments ($1, $2). */
export type RowSource = 'list' | 'ids' | 'candidates';

/**
 * Makes every step of the rest of a transaction a few probes of indexes, in the written order, for any estimate of the
 * planner for tables that grow fast.
 */
export const PROBES_ONLY = `select set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),
  set_config('enable_seqscan', 'off', true), set_config('join_collapse_limit', '1', true)`;

const FROM: Record<RowSource, string> = {
  list: 'messages m',
  ids: `unnest($1::uuid[]) as given(id) ${ofEach('given.id')}`,
  candidates: `unnest($1::bigint[], $2::int[]) as given(segment, position)
    join search_segments g on g.account_id = $3 and g.segment = given.segment
    ${ofEach(`encode(substring(g.ids from given.position * 16 + 1 for 16), 'hex')::uuid`)}`,
};

/**
 * Each by its primary key. Without `offset 0` the conditions of a walk match another index too, and a planner that
 * underestimates the table walked the whole list of an account for each: seconds instead of milliseconds.
 */
function ofEach(id: string): string {
  return `cross join lateral (select * from messages where id = ${id} offset 0) as m`;
}

/**
 * `Scheduled` turns into `Received` by the clock alone, and inbound messages are always shown so (spec 2-messages §7).
 */
const SHOWN_STATUS = `case when m.status = 'Inbound' or (m.status = 'Scheduled' and s.first_attempt <= now()) then 'Received'
  else m.status end`;

/** The conditions of filters on a message `m` and its send request `s`, except the subject. */
export function conditionsOf(filters: MessageFilters, add: (value: unknown) => string): string[] {
  const conditions: string[] = [];
  if (filters.statuses) conditions.push(`${SHOWN_STATUS} = any(${add(filters.statuses)}::text[])`);
  if (filters.isInbound !== undefined)
    conditions.push(`m.status ${filters.isInbound ? '=' : '<>'} 'Inbound'`);
  if (filters.domains) conditions.push(`s.domain = any(${add(filters.domains)}::text[])`);
  if (filters.sender !== undefined) conditions.push(`lower(s.sender) = ${add(filters.sender)}`);
  if (filters.recipient !== undefined) conditions.push(`lower(m.recipient) = ${add(filters.recipient)}`);
  if (filters.tags) conditions.push(`s.tags && ${add(filters.tags)}::text[]`);
  return conditions;
}

/** Every condition of a walk except the subject, which is compared after folding. */
export function walkSql(
  walk: MessageWalk,
  source: RowSource,
  given: readonly unknown[],
  limit: number,
): { text: string; parameters: unknown[] } {
  const { accountId, filters, direction, above, below, includes } = walk;
  const parameters = [...given];
  const add = (value: unknown): string => `$${parameters.push(value)}`;
  const conditions = [
    `m.account_id = ${add(accountId)}`,
    // there may be a million of them (spec 3-marketing §7.7)
    'm.campaign_id is null',
    's.retain_metadata_until > now()',
    `(m.created_at, m.id) > (${add(above.at)}::timestamptz, ${add(above.id)}::uuid)`,
    `(m.created_at, m.id) ${includes === 'below' ? '<=' : '<'} (${add(below.at)}::timestamptz, ${add(below.id)}::uuid)`,
  ];
  conditions.push(...conditionsOf(filters, add));
  const order = direction === 'older' ? 'm.created_at desc, m.id desc' : 'm.created_at, m.id';
  return {
    text: `select m.id, m.created_at as "createdAt", coalesce(m.subject, s.subject) as subject
      from ${FROM[source]} join send_requests s on s.id = m.send_request_id
      where ${conditions.join(' and ')} order by ${order} limit ${add(limit)}`,
    parameters,
  };
}

/** The statuses of segments that fit; undefined = any. */
export function statusesInSegments({ statuses, isInbound }: MessageFilters): StoredStatus[] | undefined {
  if (isInbound === true) return ['Inbound'];
  return statuses && storedStatuses(statuses);
}

/** The stored statuses: a message shown as received may be stored as scheduled, or be inbound. */
const storedStatuses = (shown: readonly MessageStatus[]): StoredStatus[] =>
  shown.includes('Received') ? [...shown, 'Scheduled', 'Inbound'] : [...shown];
