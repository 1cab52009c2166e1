import { useInfiniteQuery, useMutation, useQueryClient, type InfiniteData } from '@tanstack/react-query';
import { useMemo } from 'react';
import { notify } from '../ui/toasts';
import type { Problem } from './client';
import { pollMs } from './live';

interface PageOf<T> {
  data: T[];
  pagination: { has_more: boolean; next_cursor?: string | null };
}

export interface Rows<T> {
  rows: T[];
  isLoading: boolean;
  error: Problem | null;
  hasMore: boolean;
  isLoadingMore: boolean;
  loadMore: () => void;
  reload: () => void;
}

/** A list of the API: its pages are read as they are scrolled to. */
export function useRows<T>(
  key: readonly unknown[],
  fetchPage: (after: string | undefined) => Promise<PageOf<T>>,
  {
    refreshMs,
    enabled = true,
    isStreamed = true,
  }: {
    refreshMs?: number;
    enabled?: boolean;
    /** the stream of the account says when it has changed */
    isStreamed?: boolean;
  } = {},
): Rows<T> {
  const query = useInfiniteQuery<
    PageOf<T>,
    Problem,
    InfiniteData<PageOf<T>>,
    readonly unknown[],
    string | undefined
  >({
    queryKey: key,
    queryFn: ({ pageParam }) => fetchPage(pageParam),
    initialPageParam: undefined,
    getNextPageParam: ({ pagination }) =>
      pagination.has_more ? (pagination.next_cursor ?? undefined) : undefined,
    enabled,
    // only the first page is read again and again: a reader who has scrolled is not interrupted
    refetchInterval: (current) =>
      refreshMs !== undefined && (current.state.data?.pages.length ?? 0) <= 1
        ? isStreamed
          ? pollMs(refreshMs)
          : refreshMs
        : false,
  });
  // a list may have a hundred thousand rows: they are put together once for each page that has come
  const rows = useMemo(() => query.data?.pages.flatMap(({ data }) => data) ?? [], [query.data]);
  return {
    rows,
    isLoading: query.isPending && enabled,
    error: query.error,
    hasMore: query.hasNextPage,
    isLoadingMore: query.isFetchingNextPage,
    loadMore: () => void (query.hasNextPage && !query.isFetchingNextPage && query.fetchNextPage()),
    reload: () => void query.refetch(),
  };
}

/** A write: reads again what it may have changed, and shows an error in the words of the server. */
export function useAction<I, O>(
  run: (input: I) => Promise<O>,
  {
    changes = [],
    done,
    quiet = false,
  }: {
    /** first parts of the keys of queries */
    changes?: readonly (readonly unknown[])[];
    done?: (result: O, input: I) => void;
    /** the form shows the error */
    quiet?: boolean;
  } = {},
) {
  const client = useQueryClient();
  return useMutation<O, Problem, I>({
    mutationFn: run,
    onSuccess: (result, input) => {
      for (const queryKey of changes) void client.invalidateQueries({ queryKey });
      done?.(result, input);
    },
    onError: (error) => {
      if (!quiet) notify(error.message, 'bad');
    },
  });
}
