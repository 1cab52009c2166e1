import { useQuery } from '@tanstack/react-query';
import { back, read, type ConsoleSchemas } from '../api/client';
import { useAccount } from '../api/session';

export type Segment = ConsoleSchemas['Segment'];

/** The segments of the account, all of them, with their last counts. */
export function useSegments() {
  const { account_id } = useAccount();
  return useQuery({
    queryKey: ['segments', account_id],
    queryFn: () => read(back.GET('/console/api/segments')),
  });
}
