import type { EntityManager } from 'typeorm';
import { UNNAMED } from '@postmesh/database';
import type { ListPlace } from './list-place.rules.js';
import { PositionSet } from './position-sets.rules.js';
import { SEGMENT_SIZE } from './segment.rules.js';
import type { TokenGroup } from './search-tokens.rules.js';

export interface SegmentSearch {
  accountId: string;
  /** all of them must match */
  groups: readonly TokenGroup[];
  direction: 'older' | 'newer';
  /** only segments with messages between these */
  above: ListPlace;
  below: ListPlace;
}

/** Position of a message that may match: its row decides. */
export interface Candidate {
  segment: number;
  position: number;
}

interface Segment {
  segment: number;
  isCut: boolean;
}

// The first batch is enough for most searches; the others are for rare matches.
const SEGMENTS_AT_ONCE = [8, 64, 512] as const;
const LOADED_AT_ONCE = [4, 16, 64] as const;

/**
 * Messages in segments that may match, in the order of the walk, one array per segment. First the segments in which
 * every condition matches somewhere, from the index alone, then their positions.
 */
export async function* findInSegments(tx: EntityManager, search: SegmentSearch): AsyncGenerator<Candidate[]> {
  for (const batch of growing(await segmentsOf(tx, search), SEGMENTS_AT_ONCE)) {
    for (const some of growing(await holdingAll(tx, search, batch), LOADED_AT_ONCE)) {
      yield* matching(tx, search, some);
    }
  }
}

function* growing<T>(list: readonly T[], sizes: readonly number[]): Generator<T[]> {
  for (let at = 0, nth = 0; at < list.length; nth++) {
    const size = sizes[Math.min(nth, sizes.length - 1)] ?? list.length;
    yield list.slice(at, at + size);
    at += size;
  }
}

async function segmentsOf(tx: EntityManager, search: SegmentSearch): Promise<Segment[]> {
  const { accountId, above, below, direction } = search;
  const rows: { segment: string; isCut: boolean }[] = await tx.query(
    `select segment, oldest_at <= $2 or newest_at >= $4 as "isCut" from search_segments
     where account_id = $1 and (newest_at, newest_id) >= ($2::timestamptz, $3::uuid)
       and (oldest_at, oldest_id) <= ($4::timestamptz, $5::uuid)
       and kept_until > now()
     order by segment ${direction === 'older' ? 'desc' : 'asc'}`,
    [accountId, above.at, above.id, below.at, below.id],
  );
  return rows.map(({ segment, isCut }) => ({ segment: Number(segment), isCut }));
}

/** The tokens of the groups, one line each, and the group of each. */
function exactTokens(groups: readonly TokenGroup[]): [tokens: string[], groups: number[]] {
  const lines = groups.flatMap(({ tokens = [] }, nth) => tokens.map((token) => ({ token, nth })));
  return [lines.map(({ token }) => token), lines.map(({ nth }) => nth)];
}

function prefixes(groups: readonly TokenGroup[]): [from: string[], to: string[], groups: number[]] {
  const lines = groups.flatMap(({ prefix }, nth) => (prefix === undefined ? [] : [{ prefix, nth }]));
  return [
    lines.map(({ prefix }) => prefix),
    lines.map(({ prefix }) => `${prefix}\u{10ffff}`),
    lines.map(({ nth }) => nth),
  ];
}

/** The segments in which each group has a token. */
async function holdingAll(
  tx: EntityManager,
  { accountId, groups }: SegmentSearch,
  segments: readonly Segment[],
): Promise<Segment[]> {
  if (groups.length === 0) return [...segments];
  const numbers = segments.map(({ segment }) => segment);
  const rows: { segment: string }[] = await tx.query(`${UNNAMED} ${HOLDING_ALL}`, [
    accountId,
    Math.min(...numbers),
    Math.max(...numbers),
    ...exactTokens(groups),
    ...prefixes(groups),
    groups.length,
  ]);
  const holding = new Set(rows.map(({ segment }) => Number(segment)));
  return segments.filter(({ segment }) => holding.has(segment));
}

const HOLDING_ALL = `
  select segment from (
    select p.segment, wanted.nth from unnest($4::text[], $5::int[]) as wanted(token, nth)
    join search_postings p on p.account_id = $1 and p.token = wanted.token and p.segment between $2 and $3
    union all
    select p.segment, wanted.nth from unnest($6::text[], $7::text[], $8::int[]) as wanted(first, last, nth)
    join search_postings p on p.account_id = $1 and p.token >= wanted.first and p.token < wanted.last
      and p.segment between $2 and $3) as found
  group by segment having count(distinct nth) = $9`;

async function* matching(
  tx: EntityManager,
  search: SegmentSearch,
  segments: readonly Segment[],
): AsyncGenerator<Candidate[]> {
  const numbers = segments.map(({ segment }) => segment);
  const sets = await loadSets(tx, search, numbers);
  for (const { segment, isCut } of segments) {
    const set = sets.get(segment);
    if (!set) continue;
    const positions = set.positions();
    const [from, to] = isCut ? await cutOf(tx, search, segment) : [0, SEGMENT_SIZE];
    const within = isCut ? positions.filter((position) => position >= from && position < to) : positions;
    if (search.direction === 'newer') within.reverse();
    if (within.length > 0) yield within.map((position) => ({ segment, position }));
  }
}

/** For each segment the positions with a token of every group. */
async function loadSets(
  tx: EntityManager,
  { accountId, groups }: SegmentSearch,
  segments: readonly number[],
): Promise<Map<number, PositionSet>> {
  const sets = new Map(segments.map((segment) => [segment, PositionSet.all(SEGMENT_SIZE)]));
  if (groups.length === 0) return sets;
  const rows: { segment: string; nth: number; positions: Buffer }[] = await tx.query(`${UNNAMED} ${LOAD}`, [
    accountId,
    segments,
    ...exactTokens(groups),
    ...prefixes(groups),
  ]);
  const found = new Map<string, PositionSet>();
  for (const { segment, nth, positions } of rows) {
    const key = `${segment} ${nth}`;
    const set = found.get(key) ?? PositionSet.none(SEGMENT_SIZE);
    set.addWritten(positions, groups[nth]?.hash);
    found.set(key, set);
  }
  for (const [segment, set] of sets) {
    for (const nth of groups.keys())
      set.keepOnly(found.get(`${segment} ${nth}`) ?? PositionSet.none(SEGMENT_SIZE));
  }
  return sets;
}

const LOAD = `
  select p.segment, wanted.nth, p.positions from unnest($3::text[], $4::int[]) as wanted(token, nth)
  join search_postings p on p.account_id = $1 and p.token = wanted.token and p.segment = any($2::bigint[])
  union all
  select p.segment, wanted.nth, p.positions from unnest($5::text[], $6::text[], $7::int[]) as wanted(first, last, nth)
  join search_postings p on p.account_id = $1 and p.token >= wanted.first and p.token < wanted.last
    and p.segment = any($2::bigint[])`;

/**
 * The positions between the ends of the walk. The side of purged messages is unknown, so they count as inside: the row
 * decides.
 */
async function cutOf(
  tx: EntityManager,
  { accountId, above, below }: SegmentSearch,
  segment: number,
): Promise<[from: number, to: number]> {
  const [row]: { newer: number; older: number }[] = await tx.query(`${UNNAMED} ${COUNT_OUTSIDE}`, [
    accountId,
    segment,
    ...[above.at, above.id, below.at, below.id],
  ]);
  return [row?.newer ?? 0, SEGMENT_SIZE - (row?.older ?? 0)];
}

const COUNT_OUTSIDE = `
  select
    (select count(*)::int from messages m where m.account_id = $1 and m.campaign_id is null
       and (m.created_at, m.id) > ($5::timestamptz, $6::uuid)
       and (m.created_at, m.id) <= (g.newest_at, g.newest_id)) as newer,
    (select count(*)::int from messages m where m.account_id = $1 and m.campaign_id is null
       and (m.created_at, m.id) < ($3::timestamptz, $4::uuid)
       and (m.created_at, m.id) >= (g.oldest_at, g.oldest_id)) as older
  from search_segments g where g.account_id = $1 and g.segment = $2`;
