import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api, back, once, read, type ConsoleSchemas } from '../api/client';
import { useAction } from '../api/pages';
import { useAccount, useCan } from '../api/session';
import { Badge } from '../ui/badge';
import { Button } from '../ui/button';
import { Loaded } from '../ui/states';
import { Time } from '../ui/times';
import { notify, notifyWithUndo } from '../ui/toasts';
import { t } from '../words/words';

export type Suppression = ConsoleSchemas['ListedSuppression'];

const FOREVER = /^9999-/;
export const Until = ({ at }: { at: string }) =>
  FOREVER.test(at) ? <>{t.suppressions.forever}</> : <Time at={at} />;

/** The message that bounced, was complained about or unsubscribed from. */
export const MessageBehind = ({ of: { message_id: id } }: { of: Suppression }) =>
  id === null ? null : (
    <Link
      to="/messages/$messageId"
      params={{ messageId: id }}
      className="whitespace-nowrap text-accent underline"
    >
      {t.suppressions.message}
    </Link>
  );

/** Lifts a suppression; undone, the address is suppressed as before. */
export function useLift() {
  const account = useAccount();
  const changes = [['suppressions']];
  const back = useAction(
    ({ email, domain, expires_at, reason }: Suppression) =>
      read(
        api.POST('/v2/accounts/{account_id}/suppressions', {
          params: { path: account, header: once() },
          body: { email, domain, expires_at, reason },
        }),
      ),
    { changes },
  );
  return useAction(
    ({ email, domain }: Suppression) =>
      read(
        api.DELETE('/v2/accounts/{account_id}/suppressions', {
          params: { path: account, query: { email, domain } },
        }),
      ),
    {
      changes,
      done: (_answer, row) =>
        row.protected
          ? notify(t.suppressions.lifted(row.email))
          : notifyWithUndo(t.suppressions.lifted(row.email), () => back.mutate(row)),
    },
  );
}

/** Whether mail to an address is held back, and why. */
export function SuppressionsOf({ address }: { address: string }) {
  const account = useAccount();
  const mayLift = useCan('suppressions:delete');
  const lift = useLift();
  const query = useQuery({
    queryKey: ['suppressions', account.account_id, 'of', address],
    queryFn: () => read(back.GET('/console/api/suppressions', { params: { query: { email: address } } })),
  });
  return (
    <Loaded query={query}>
      {({ data }) =>
        data.length === 0 ? (
          <p className="panel px-4 py-3">
            <Badge tone="good">{t.about.yes}</Badge>{' '}
            <span className="text-ink-2">{t.about.notSuppressed}</span>
          </p>
        ) : (
          <ul className="panel divide-y divide-line">
            {data.map((row) => (
              <li key={row.id} className="flex flex-wrap items-center justify-between gap-3 px-4 py-3">
                <div className="min-w-0">
                  <p>
                    <Badge tone="bad">{t.about.no}</Badge> <span className="font-medium">{row.domain}</span>
                  </p>
                  <p className="text-sm text-ink-2">
                    {row.reason || t.suppressions.noReason} <MessageBehind of={row} />
                  </p>
                  <p className="text-xs text-ink-3">
                    {t.suppressions.until} <Until at={row.expires_at} />
                  </p>
                </div>
                {mayLift && (
                  <Button onClick={() => lift.mutate(row)} busy={lift.isPending}>
                    {t.suppressions.lift}
                  </Button>
                )}
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}
