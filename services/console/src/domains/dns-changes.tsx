import { useQuery, useQueryClient } from '@tanstack/react-query';
import { back, read, type ConsoleSchemas, type Schemas } from '../api/client';
import { useAction } from '../api/pages';
import { useAccount, useCan } from '../api/session';
import { Badge, type Tone } from '../ui/badge';
import { Button } from '../ui/button';
import { notify } from '../ui/toasts';
import { t } from '../words/words';

type Changes = ConsoleSchemas['DnsChanges'];
type Change = Changes['records'][number];

/** The host is read again when other records are missing, or after this time. */
const FRESH_MS = 300_000;

const TONES: Record<Change['step'], Tone> = {
  present: 'good',
  created: 'accent',
  merged: 'accent',
  replaced: 'accent',
  refused: 'warn',
};

/** Where the account has a token for the zone: what a write would change there, and the button that writes it. */
export function DnsChanges({ domain: { domain, dns_records } }: { domain: Schemas['Domain'] }) {
  const account = useAccount();
  const client = useQueryClient();
  const isAllowed = useCan('domains:write');
  const missing = dns_records.filter(({ propagated }) => !propagated).map(({ host }) => host);
  const key = ['dns-changes', account.account_id, domain, missing];
  const path = { params: { path: { domain } } };
  const { data } = useQuery({
    queryKey: key,
    queryFn: () => read(back.GET('/console/api/domains/{domain}/dns-changes', path)),
    enabled: isAllowed && missing.length > 0,
    staleTime: FRESH_MS,
    retry: false,
  });
  const write = useAction(
    (digest: string) =>
      read(back.POST('/console/api/domains/{domain}/dns-changes', { ...path, body: { digest } })),
    {
      done: (changed) => {
        client.setQueryData(key, changed);
        if (changed.written > 0) notify(t.dnsHosts.written(changed.written));
      },
    },
  );
  if (!data?.host || missing.length === 0) return null;
  const host = t.dnsHosts.names[data.host];
  const { digest } = data;
  const differing = data.records.filter(({ step }) => step !== 'present');
  return (
    <section className="panel mb-4 p-4" aria-label={t.dnsHosts.at(host, data.zone ?? domain)}>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <div className="min-w-0 flex-1 basis-72">
          <h2 className="font-medium">{t.dnsHosts.at(host, data.zone ?? domain)}</h2>
          <p className="mt-1 text-sm text-ink-2">
            {differing.length === 0 && !data.trouble ? t.dnsHosts.same : t.dnsHosts.lead}
          </p>
        </div>
        {digest !== null && (
          <Button look="primary" busy={write.isPending} onClick={() => write.mutate(digest)}>
            {t.dnsHosts.write(differing.filter(({ step }) => step !== 'refused').length)}
          </Button>
        )}
      </div>
      {data.trouble && (
        <p role="alert" className="mt-3 text-sm text-bad">
          {t.dnsHosts.troubles[data.trouble]}
        </p>
      )}
      {differing.length > 0 && (
        <ul className="mt-3 divide-y divide-line">
          {differing.map((change) => (
            <ChangedRecord key={`${change.type} ${change.host}`} change={change} />
          ))}
        </ul>
      )}
    </section>
  );
}

function ChangedRecord({ change: { label, type, host, content, step, found, reason } }: { change: Change }) {
  return (
    <li className="py-2 text-sm">
      <p className="flex flex-wrap items-center gap-2">
        <span className="font-medium">{label}</span>
        <Badge tone={TONES[step]}>{t.dnsHosts.steps[step]}</Badge>
        <code className="font-mono text-xs break-all">
          {type} {host}
        </code>
      </p>
      {found.map((text) => (
        <p key={text} className="mt-1 font-mono text-xs break-all text-ink-3">
          − {text}
        </p>
      ))}
      {step !== 'refused' && <p className="mt-1 font-mono text-xs break-all">+ {content}</p>}
      {reason !== null && <p className="mt-1 text-ink-2">{t.dnsHosts.reasons[reason]}</p>}
    </li>
  );
}
