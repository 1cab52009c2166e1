import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Badge } from '../ui/badge';
import { Check } from '../ui/field';
import { Page } from '../ui/page';
import { Loaded } from '../ui/states';
import { get, pathOf, to } from './api';
import { At, numberText, Table } from './parts';
import { stateTone, type Endpoint } from './endpoint';
import { w } from './words';

const REFRESH_MS = 15_000;

export function WebhooksPage() {
  const [isTroubled, setTroubled] = useState(true);
  const query = useQuery({
    queryKey: ['endpoints', isTroubled],
    queryFn: () =>
      get<{ endpoints: Endpoint[] }>(
        pathOf('webhook-dispatcher/endpoints', { troubled: isTroubled ? 'true' : undefined }),
      ),
    refetchInterval: REFRESH_MS,
  });
  return (
    <Page title={w.nav.webhooks} lead={w.webhooks.lead}>
      <div className="mb-3">
        <Check
          label={w.webhooks.troubled}
          checked={isTroubled}
          onChange={(event) => setTroubled(event.target.checked)}
        />
      </div>
      <Loaded query={query}>
        {({ endpoints }) => (
          <Table
            label={w.nav.webhooks}
            rows={endpoints}
            keyOf={({ endpoint_id }) => endpoint_id}
            empty={w.webhooks.none}
            columns={[
              {
                title: w.webhooks.endpoint,
                cell: ({ endpoint_id, name, host, target }) => (
                  <>
                    <Link
                      {...to(`/webhooks/${endpoint_id}`)}
                      className="font-medium text-accent hover:underline"
                    >
                      {name || host || endpoint_id}
                    </Link>
                    <span className="block text-xs text-ink-3">
                      {[target, host].filter(Boolean).join(' · ')}
                    </span>
                  </>
                ),
              },
              {
                title: w.webhooks.state,
                cell: ({ state, standing }) => (
                  <div className="min-w-48">
                    <Badge tone={stateTone(state)}>{state}</Badge>
                    {standing && <p className="mt-1 text-ink-2">{standing}</p>}
                  </div>
                ),
              },
              { title: w.webhooks.pending, end: true, cell: ({ deliveries }) => numberText(deliveries) },
              { title: w.webhooks.since, cell: ({ failing_since }) => <At at={failing_since} /> },
              {
                title: w.webhooks.last,
                cell: ({ last_failure }) => <div className="min-w-48 text-ink-2">{last_failure ?? '–'}</div>,
              },
            ]}
          />
        )}
      </Loaded>
    </Page>
  );
}
