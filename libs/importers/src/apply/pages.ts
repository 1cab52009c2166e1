import { z } from 'zod';
import type { ApiTarget } from './target.js';

const PAGE = 100;
const Pagination = z.object({ has_more: z.boolean(), next_cursor: z.string().nullish() });

/**
 * All entries of a list of the API.
 * @param item what of an entry is needed
 * @param most entries; with more of them nothing is returned
 */
export async function listAll<Item extends z.ZodType>(
  api: ApiTarget,
  path: string,
  item: Item,
  most: number,
): Promise<z.infer<Item>[] | undefined> {
  const Page = z.object({ data: z.array(item), pagination: Pagination.optional() });
  const all: z.infer<Item>[] = [];
  for (let after = ''; ;) {
    const query = `limit=${PAGE}${after === '' ? '' : `&after=${encodeURIComponent(after)}`}`;
    const page = Page.parse(await api.call('GET', `${path}${path.includes('?') ? '&' : '?'}${query}`));
    all.push(...page.data);
    if (!page.pagination?.has_more) return all;
    if (all.length >= most) return undefined;
    after = page.pagination.next_cursor ?? '';
  }
}
