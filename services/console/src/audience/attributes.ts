import { useQuery } from '@tanstack/react-query';
import { back, read } from '../api/client';
import { useAccount } from '../api/session';

/** The attributes that contacts of the account may have. */
export function useAttributes() {
  const { account_id } = useAccount();
  return useQuery({
    queryKey: ['contact-attributes', account_id],
    queryFn: () => read(back.GET('/console/api/contact-attributes')),
  });
}
