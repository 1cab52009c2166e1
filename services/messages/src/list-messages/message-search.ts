import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Permits } from '@postmesh/concurrency';
import { ApiErrors } from '@postmesh/contracts';
import { UNNAMED } from '@postmesh/database';
import { findInSegments, type Candidate } from '../search-index/find-in-segments.js';
import { laterPlace, OLDEST, type ListPlace } from '../search-index/list-place.rules.js';
import { foldSubject, tokenGroups } from '../search-index/search-tokens.rules.js';
import { findByHeader } from '../read-message/find-by-header.js';
import {
  PROBES_ONLY,
  statusesInSegments,
  walkSql,
  type MessageWalk,
  type RowSource,
} from './message-walk.sql.js';

// One account's searches must not take all connections and processors: a search takes about 10 ms, a hard one about
// 100, and after a hard one the next search of the account waits as long again.
const SEARCHES_PER_ACCOUNT = 1;
const SEARCHES = 3;
const ALL = 'all accounts';
const HARD_MS = 25;
const MAX_REST_MS = 1_000;
const MAX_WAITING = 50;
const MAX_WAIT_MS = 10_000;
const STATEMENT_TIMEOUT_MS = 10_000;
const ROWS_AT_ONCE = [200, 1_000, 4_000] as const;
const CANDIDATES_AT_ONCE = 250;
// More changes are pending only when a million messages change at once.
const MAX_CHANGED = 20_000;

export interface Row {
  id: string;
  createdAt: Date;
  subject: string;
}

const placeOf = ({ id, createdAt }: Pick<Row, 'id' | 'createdAt'>): ListPlace => ({
  id,
  at: createdAt.toISOString(),
});

export interface BoundedWalk {
  walk: MessageWalk;
  limit: number;
}

/** Finds messages by filters in the order of the list, for any number of messages (decision 32). */
@Injectable()
export class MessageSearch {
  private readonly accounts = new Permits(SEARCHES_PER_ACCOUNT);
  private readonly process = new Permits(SEARCHES);
  private readonly waiting = new Permits(MAX_WAITING);

  constructor(private readonly dataSource: DataSource) {}

  /**
   * @param walks of one account
   * @returns for each walk the ids in its order, at most `limit`
   * @throws ApiError 429 when too many searches of the account wait, or one waits too long
   */
  find(accountId: string, walks: readonly BoundedWalk[]): Promise<string[][]> {
    return this.inTurn(accountId, (tx) => searchAll(tx, walks));
  }

  /** Runs a search of an account in a transaction of its own, when it is its turn. @throws ApiError 429 */
  async inTurn<T>(accountId: string, run: (tx: EntityManager) => Promise<T>): Promise<T> {
    if (!this.waiting.tryAcquire(accountId)) throw ApiErrors.rateLimited(1);
    await acquire(this.accounts, accountId).finally(() => this.waiting.release(accountId));
    let begun = performance.now();
    try {
      await acquire(this.process, ALL);
      begun = performance.now();
      return await this.dataSource
        .transaction(async (tx) => {
          await tx.query(`${PROBES_ONLY}, set_config('statement_timeout', '${STATEMENT_TIMEOUT_MS}', true)`);
          return run(tx);
        })
        .finally(() => this.process.release(ALL));
    } finally {
      this.releaseAfter(accountId, performance.now() - begun);
    }
  }

  private releaseAfter(accountId: string, tookMs: number): void {
    if (tookMs < HARD_MS) this.accounts.release(accountId);
    else setTimeout(() => this.accounts.release(accountId), Math.min(tookMs, MAX_REST_MS)).unref();
  }
}

/** @throws ApiError 429 after a timeout */
async function acquire(permits: Permits, key: string): Promise<void> {
  try {
    await permits.acquire(key, AbortSignal.timeout(MAX_WAIT_MS));
  } catch {
    throw ApiErrors.rateLimited(1);
  }
}

async function searchAll(tx: EntityManager, walks: readonly BoundedWalk[]): Promise<string[][]> {
  const found: string[][] = [];
  for (const { walk, limit } of walks) found.push((await search(tx, walk, limit)).map(({ id }) => id));
  return found;
}

/** The messages of a walk in its order, at most `limit`; messages of campaigns are in none. */
export async function search(tx: EntityManager, walk: MessageWalk, limit: number): Promise<Row[]> {
  const { filters } = walk;
  if (filters.messageIdHeader !== undefined) {
    const ids = await findByHeader(tx, walk.accountId, filters.messageIdHeader);
    return ofIds(tx, walk, ids, limit);
  }
  if (!needsIndex(walk)) return inList(tx, walk, limit);
  const changed = filters.statuses ? await ofChanged(tx, walk, limit) : [];
  return merged(walk, [...changed, ...(await inOrder(tx, walk, limit))]).slice(0, limit);
}

const needsIndex = ({ filters }: MessageWalk): boolean =>
  Boolean(
    filters.statuses ??
    (filters.isInbound || undefined) ??
    filters.domains ??
    filters.sender ??
    filters.recipient ??
    filters.subject ??
    filters.tags,
  );

/** Messages in segments, and messages newer than all segments. */
async function inOrder(tx: EntityManager, walk: MessageWalk, limit: number): Promise<Row[]> {
  const sealed = await sealedUntil(tx, walk.accountId);
  if (sealed === OLDEST) return inList(tx, walk, limit);
  const newer = { ...walk, above: laterPlace(walk.above, sealed) };
  if (walk.direction === 'older') {
    const first = await inList(tx, newer, limit);
    return first.length >= limit ? first : [...first, ...(await inSegments(tx, walk, limit - first.length))];
  }
  const first = await inSegments(tx, walk, limit);
  return first.length >= limit ? first : [...first, ...(await inList(tx, newer, limit - first.length))];
}

async function sealedUntil(tx: EntityManager, accountId: string): Promise<ListPlace> {
  const [row]: Pick<Row, 'id' | 'createdAt'>[] = await tx.query(
    `select sealed_at as "createdAt", sealed_id as id from search_accounts where account_id = $1 and segments > 0`,
    [accountId],
  );
  return row ? placeOf(row) : OLDEST;
}

/** Rows of the list itself, page by page where only the subject decides whether they match. */
async function inList(tx: EntityManager, walk: MessageWalk, limit: number): Promise<Row[]> {
  const found: Row[] = [];
  let rest = walk;
  for (let page = 0; ; page++) {
    const size =
      walk.filters.subject === undefined
        ? limit
        : (ROWS_AT_ONCE[Math.min(page, ROWS_AT_ONCE.length - 1)] ?? limit);
    const rows = await select(tx, rest, { source: 'list', given: [], limit: size });
    found.push(...fitting(walk, rows));
    const last = rows.at(-1);
    if (!last || rows.length < size || found.length >= limit) return found.slice(0, limit);
    const place = placeOf(last);
    rest =
      walk.direction === 'older' ? { ...rest, below: place, includes: undefined } : { ...rest, above: place };
  }
}

async function inSegments(tx: EntityManager, walk: MessageWalk, limit: number): Promise<Row[]> {
  const { accountId, filters, direction, above, below } = walk;
  const search = {
    ...{ accountId, direction, above, below },
    groups: tokenGroups({
      ...filters,
      statuses: statusesInSegments(filters),
    }),
  };
  const found: Row[] = [];
  for await (const candidates of inChunks(findInSegments(tx, search))) {
    const given = [
      candidates.map(({ segment }) => segment),
      candidates.map(({ position }) => position),
      accountId,
    ];
    const rows = await select(tx, walk, { source: 'candidates', given, limit: candidates.length });
    found.push(...fitting(walk, rows));
    if (found.length >= limit) break;
  }
  return found.slice(0, limit);
}

async function* inChunks(lists: AsyncIterable<Candidate[]>): AsyncGenerator<Candidate[]> {
  let chunk: Candidate[] = [];
  for await (const list of lists) {
    chunk = chunk.concat(list);
    while (chunk.length >= CANDIDATES_AT_ONCE) {
      yield chunk.slice(0, CANDIDATES_AT_ONCE);
      chunk = chunk.slice(CANDIDATES_AT_ONCE);
    }
  }
  if (chunk.length > 0) yield chunk;
}

/** Messages whose status is newer than their segment's. */
async function ofChanged(tx: EntityManager, walk: MessageWalk, limit: number): Promise<Row[]> {
  const rows: { id: string }[] = await tx.query(
    'select distinct message_id as id from search_changes where account_id = $1 limit $2',
    [walk.accountId, MAX_CHANGED],
  );
  return ofIds(
    tx,
    walk,
    rows.map(({ id }) => id),
    limit,
  );
}

async function ofIds(
  tx: EntityManager,
  walk: MessageWalk,
  ids: readonly string[],
  limit: number,
): Promise<Row[]> {
  if (ids.length === 0) return [];
  const rows = await select(tx, walk, { source: 'ids', given: [ids], limit: ids.length });
  return fitting(walk, rows).slice(0, limit);
}

async function select(
  tx: EntityManager,
  walk: MessageWalk,
  { source, given, limit }: { source: RowSource; given: readonly unknown[]; limit: number },
): Promise<Row[]> {
  const { text, parameters } = walkSql(walk, source, given, limit);
  return tx.query(`${UNNAMED} ${text}`, parameters);
}

function fitting({ filters: { subject } }: MessageWalk, rows: readonly Row[]): Row[] {
  return subject === undefined ? [...rows] : rows.filter((row) => foldSubject(row.subject).includes(subject));
}

/** In the order of the walk, without duplicates. */
function merged({ direction }: MessageWalk, rows: readonly Row[]): Row[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const ascending = [...byId.values()].sort((a, b) => (isLater(a, b) ? 1 : -1));
  return direction === 'older' ? ascending.reverse() : ascending;
}

const isLater = (a: Row, b: Row): boolean =>
  a.createdAt.getTime() === b.createdAt.getTime() ? a.id > b.id : a.createdAt > b.createdAt;
