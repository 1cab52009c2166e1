import { ApiError } from '@postmesh/contracts';
import { decodeCursor, type SortKey } from './cursor.js';

export const MAX_LIMIT = 100;

export interface PageQuery {
  /** most items on the page, 1-100 */
  limit: number;
  /** at most one of `after` and `before` is set; neither = the first page */
  after?: SortKey;
  before?: SortKey;
}

/**
 * Reads `limit`, `after`, `before` (and the old name `cursor` for `after`) of a list request (spec
 * 1-platform §1.3). Other parameters are not looked at.
 * @throws ApiError 400 with the texts of §1.3
 */
export function parsePageQuery(query: Readonly<Record<string, unknown>>): PageQuery {
  const limit = parseLimit(query['limit']);
  const { after, before } = query;
  if (after !== undefined && before !== undefined) {
    throw new ApiError(400, 'after and before are mutually exclusive');
  }
  if (before !== undefined) return { limit, before: parseCursor(before) };
  const start = after ?? query['cursor'];
  return start === undefined ? { limit } : { limit, after: parseCursor(start) };
}

function parseLimit(value: unknown): number {
  if (value === undefined) return MAX_LIMIT;
  const limit = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : 0;
  if (limit < 1 || limit > MAX_LIMIT) throw new ApiError(400, `limit must be between 1 and ${MAX_LIMIT}`);
  return limit;
}

// a repeated parameter arrives as an array: no cursor of ours
const parseCursor = (value: unknown): SortKey => decodeCursor(typeof value === 'string' ? value : '');
