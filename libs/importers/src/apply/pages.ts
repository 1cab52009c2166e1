import type { ApiTarget } from './target.js';

const PAGE = 100;

/**
 * All entries of a list of the API.
 * @param most entries; with more of them nothing is returned
 */
export async function listAll(api: ApiTarget, path: string, most: number): Promise<any[] | undefined> {
  const all: any[] = [];
  for (let after: string | undefined; ;) {
    const query = `limit=${PAGE}${after === undefined ? '' : `&after=${encodeURIComponent(after)}`}`;
    const page = await api.call('GET', `${path}${path.includes('?') ? '&' : '?'}${query}`);
    all.push(...page.data);
    if (!page.pagination?.has_more) return all;
    if (all.length >= most) return undefined;
    after = page.pagination.next_cursor;
  }
}
