import { Injectable } from '@nestjs/common';
import { encodeCursor, type PageQuery } from '@postmesh/http';
import type { Principal } from '@postmesh/contracts';
import type { EntityManager } from 'typeorm';
import { walkOf } from '../list-messages/list-messages.js';
import { authorise } from '../list-messages/message-filters.rules.js';
import { MessageSearch, search } from '../list-messages/message-search.js';
import type { MessageWalk } from '../list-messages/message-walk.sql.js';
import { MessagesRepository } from '../read-message/messages.repository.js';
import type { ListPlace } from '../search-index/list-place.rules.js';
import { boundedWalk, type Found } from './bounded-walk.js';
import { merged } from './merged-pages.rules.js';
import type { SearchFilters } from './search-filters.rules.js';
import { toFoundMessage, type FoundMessage } from './found-message.schema.js';

export interface SearchQuery {
  principal: Principal;
  search: SearchFilters;
  page: PageQuery;
}

export interface SearchPage {
  object: 'list';
  data: FoundMessage[];
  pagination: { has_more: boolean; next_cursor?: string };
  searched_until: string | null;
}

/** Messages of all kinds by any filters, newest first (decision 120). */
@Injectable()
export class SearchAll {
  constructor(
    private readonly messages: MessagesRepository,
    private readonly searches: MessageSearch,
  ) {}

  /** @throws ApiError 429 like a list with filters */
  async execute({ principal, search: wanted, page }: SearchQuery): Promise<SearchPage> {
    const { filters: given, address, kind } = wanted;
    const filters = {
      ...authorise(principal, given),
      ...(kind === 'inbound' && { isInbound: true }),
      ...(kind === 'sends' && { isInbound: false }),
    };
    const walk = { ...walkOf(principal.account_id, filters, page), address };
    const { rows, until } = await this.searches.inTurn(principal.account_id, async (tx) => {
      const others = kind === 'campaigns' ? NOTHING : await ofOthers(tx, walk, page.limit);
      const campaigns =
        kind === undefined || kind === 'campaigns'
          ? await boundedWalk(tx, walk, 'campaigns', page.limit)
          : NOTHING;
      return merged([others, campaigns], page.limit);
    });
    const now = new Date();
    const found = await this.messages.findAll(rows.map(({ id }) => id));
    return {
      object: 'list',
      data: found.map((row) => toFoundMessage(row, now)),
      pagination: { has_more: until !== null, ...(until !== null && { next_cursor: cursorOf(until) }) },
      searched_until: until?.at ?? null,
    };
  }
}

const NOTHING: Found = { rows: [], until: null };

/** Filters that the segments know reach any depth; a part of an address is looked for row by row. */
async function ofOthers(
  tx: EntityManager,
  walk: MessageWalk & { address: string | undefined },
  limit: number,
): Promise<Found> {
  if (walk.address !== undefined) return boundedWalk(tx, walk, 'others', limit);
  const rows = await search(tx, walk, limit);
  const last = rows.at(-1);
  const isFull = rows.length >= limit && last !== undefined;
  return { rows, until: isFull ? { at: last.createdAt.toISOString(), id: last.id } : null };
}

const cursorOf = ({ at, id }: ListPlace): string =>
  encodeCursor({ createdAtMicros: Date.parse(at) * 1_000, id });
