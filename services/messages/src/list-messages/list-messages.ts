import { Injectable } from '@nestjs/common';
import type { Principal } from '@postmesh/contracts';
import { placeOf, toPage, type Page, type PageQuery, type PageRow } from '@postmesh/http';
import { toMessageResource, type MessageResource } from '../read-message/message.resource.js';
import { MessagesRepository, type StoredMessage } from '../read-message/messages.repository.js';
import {
  earlierPlace,
  laterPlace,
  NEWEST,
  OLDEST,
  type ListPlace,
} from '../search-index/list-place.rules.js';
import { authorise, type MessageFilters } from './message-filters.rules.js';
import { MessageSearch } from './message-search.js';
import type { MessageWalk } from './message-walk.sql.js';

export interface ListMessagesQuery {
  principal: Principal;
  filters: MessageFilters;
  page: PageQuery;
}

/** `GET …/messages` (spec 2-messages §2.1). */
@Injectable()
export class ListMessages {
  constructor(
    private readonly messages: MessagesRepository,
    private readonly search: MessageSearch,
  ) {}

  /** @throws ApiError 403 */
  async execute({ principal, filters, page }: ListMessagesQuery): Promise<Page<MessageResource>> {
    const walk = walkOf(principal.account_id, authorise(principal, filters), page);
    const walks = [{ walk, limit: page.limit + 1 }];
    if (page.before) walks.push({ walk: behindCursor(walk, page.before), limit: 1 });
    const [ids = [], behind = []] = await this.search.find(principal.account_id, walks);
    const continues = behind.length > 0;
    const now = new Date();
    const rows = (await this.messages.findAll(ids)).map((row) => toPageRow(row, continues));
    return toPage(rows, page, (row) => toMessageResource(row, undefined, now));
  }
}

/** The walk after a page with this cursor: its message, if it still exists and matches, or an older one. */
const behindCursor = (walk: MessageWalk, before: NonNullable<PageQuery['before']>): MessageWalk => ({
  ...walk,
  ...{ direction: 'older', includes: 'below' },
  above: startOf(walk.filters),
  below: earlierPlace(placeOf(before), endOf(walk.filters)),
});

/** The walk of one page; without a cursor the newest messages that match. */
export function walkOf(
  accountId: string,
  filters: MessageFilters,
  { after, before }: PageQuery,
): MessageWalk {
  const [start, end] = [startOf(filters), endOf(filters)];
  if (before) {
    return { accountId, filters, direction: 'newer', above: laterPlace(placeOf(before), start), below: end };
  }
  const below = after ? earlierPlace(placeOf(after), end) : end;
  return { accountId, filters, direction: 'older', above: start, below };
}

/** The last position before `from_time`, which is inclusive: rows are exact to the millisecond. */
const startOf = ({ from }: MessageFilters): ListPlace =>
  from ? { at: timeOf(from.getTime() - 1), id: NEWEST.id } : OLDEST;

const endOf = ({ to }: MessageFilters): ListPlace =>
  to ? { at: timeOf(to.getTime()), id: OLDEST.id } : NEWEST;

// PostgreSQL has no year 0, and years of five digits have another form. No message is outside of these bounds.
const FIRST_MS = 0;
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');

const timeOf = (ms: number): string => new Date(Math.min(Math.max(ms, FIRST_MS), LAST_MS)).toISOString();

const toPageRow = (row: StoredMessage, continues: boolean): StoredMessage & PageRow => ({
  ...row,
  page_micros: String(row.createdAt.getTime() * 1_000),
  page_continues: continues,
});
