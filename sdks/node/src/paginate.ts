import { PostmeshError } from './errors.ts';

export interface Page<Item> {
  readonly data: readonly Item[];
  readonly pagination: { readonly has_more: boolean; readonly next_cursor?: string | null };
}

/**
 * Every item of a list, page by page as they are asked for:
 * `for await (const message of paginate((page) => postmesh.messages.list({ query: { tags: 'order', ...page } })))`
 */
export async function* paginate<Item>(
  list: (page: { after?: string }) => Promise<Page<Item>>,
): AsyncGenerator<Item, void, undefined> {
  let after: string | undefined;
  for (;;) {
    const { data, pagination } = await list(after === undefined ? {} : { after });
    yield* data;
    const next = pagination.has_more ? (pagination.next_cursor ?? undefined) : undefined;
    if (next === undefined) return;
    // `list` that leaves `page` out would get the first page for ever
    if (next === after) throw new PostmeshError('the next page is the same: give `page` to the list');
    after = next;
  }
}
