import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { back, read } from '../api/client';
import { useAction } from '../api/pages';
import { queries } from '../api/session';
import { Badge } from '../ui/badge';
import { Button } from '../ui/button';
import { Section } from '../ui/page';
import { Loaded } from '../ui/states';
import { Time } from '../ui/times';
import { notify } from '../ui/toasts';
import { t } from '../words/words';
import { browserOf } from './browser-of.rules';

export function Sessions() {
  const navigate = useNavigate();
  const query = useQuery({
    queryKey: ['sessions'],
    queryFn: () => read(back.GET('/console/api/sessions')),
  });
  const end = useAction(
    (id: string) =>
      read(back.DELETE('/console/api/sessions/{session_id}', { params: { path: { session_id: id } } })),
    { changes: [['sessions']], done: () => notify(t.sessions.ended) },
  );
  const endAll = useAction(() => read(back.DELETE('/console/api/sessions')), {
    done: () => {
      queries.clear();
      void navigate({ to: '/sign-in' });
    },
  });
  return (
    <Section
      title={t.sessions.title}
      lead={t.sessions.lead}
      actions={
        <Button look="danger" busy={endAll.isPending} onClick={() => endAll.mutate(undefined)}>
          {t.sessions.everywhere}
        </Button>
      }
    >
      <Loaded query={query}>
        {({ data }) => (
          <ul className="panel divide-y divide-line">
            {data.map((row) => (
              <li key={row.id} className="flex flex-wrap items-center justify-between gap-3 px-4 py-2">
                <span className="min-w-0">
                  <span className="font-medium">{browserOf(row.device) ?? t.sessions.browser}</span>{' '}
                  {row.current && <Badge tone="good">{t.sessions.current}</Badge>}
                  <span className="block text-xs text-ink-3">
                    {t.sessions.ways[row.way]} {row.client_ip}, {t.sessions.since}{' '}
                    <Time at={row.created_at} />, {t.sessions.used} <Time at={row.last_used_at} ago />
                  </span>
                </span>
                {!row.current && (
                  <Button busy={end.isPending} onClick={() => end.mutate(row.id)}>
                    {t.sessions.end}
                  </Button>
                )}
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Section>
  );
}
