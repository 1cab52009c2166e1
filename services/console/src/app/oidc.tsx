import { queryOptions } from '@tanstack/react-query';
import { back, read } from '../api/client';

/** The ways in that this installation has. */
export const waysQuery = queryOptions({
  queryKey: ['sign-in-ways'],
  queryFn: () => read(back.GET('/console/api/sign-in-ways')),
  staleTime: 60_000,
});
