import { useQuery } from '@tanstack/react-query';
import { back, read, type Schemas } from '../api/client';
import { useAccount, useCan } from '../api/session';
import { OutsideButton } from '../ui/button';
import { t } from '../words/words';

/** The host is asked again when other records are missing, or after this time. */
const FRESH_MS = 300_000;

/** Where the DNS host of the domain publishes its records itself: the page of the host that asks for consent. */
export function SetupLink({ domain: { domain, dns_records } }: { domain: Schemas['Domain'] }) {
  const account = useAccount();
  const isAllowed = useCan('domains:write');
  const missing = dns_records.filter(({ propagated }) => !propagated).map(({ host }) => host);
  const { data } = useQuery({
    queryKey: ['setup-link', account.account_id, domain, missing],
    queryFn: () =>
      read(back.GET('/console/api/domains/{domain}/setup-link', { params: { path: { domain } } })),
    enabled: isAllowed && missing.length > 0,
    staleTime: FRESH_MS,
    retry: false,
  });
  if (!data?.url || missing.length === 0) return null;
  const { url, changes, by_hand, dns_host } = data;
  const host = dns_host || t.domains.dnsHost;
  return (
    <div className="panel mb-4 flex flex-wrap items-center justify-between gap-3 p-4">
      <div className="min-w-0 flex-1 basis-72">
        <p className="font-medium">{t.domains.setUpAt(host)}</p>
        <p className="mt-1 text-sm text-ink-2">
          {t.domains.setUpText(host, changes.length)} {by_hand.length > 0 && t.domains.byHand(by_hand.length)}
        </p>
      </div>
      <OutsideButton look="primary" href={url}>
        {t.domains.openHost(host)}
      </OutsideButton>
    </div>
  );
}
