import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { back, read } from '../api/client';
import { useRows } from '../api/pages';
import { Badge } from '../ui/badge';
import { Section, Tabs } from '../ui/page';
import { RowsTable, type Column } from '../ui/rows-table';
import { Empty } from '../ui/states';
import { Time } from '../ui/times';
import { t } from '../words/words';
import DeliveryModal from './delivery-modal';
import { DeliveryState, type Delivery } from './delivery-state';

const REFRESH_MS = 5_000;
const STATES = ['ended', 'failed', 'waiting'] as const;
type State = (typeof STATES)[number];

/** The calls of a webhook or a route, with what was sent and what came back. */
export function Deliveries({ endpointId }: { endpointId: string }) {
  const { tab } = useSearch({ strict: false });
  const state: State = STATES.find((one) => one === tab) ?? 'ended';
  const navigate = useNavigate();
  const [shown, show] = useState<string>();
  const list = useRows<Delivery>(
    ['deliveries', endpointId, state],
    (after) =>
      read(
        back.GET('/console/api/endpoints/{endpoint_id}/deliveries', {
          params: {
            path: { endpoint_id: endpointId },
            query: { state, limit: 50, ...(after === undefined ? {} : { after }) },
          },
        }),
      ),
    { refreshMs: REFRESH_MS },
  );
  const columns: readonly Column<Delivery>[] = [
    {
      id: 'event',
      title: t.deliveries.event,
      width: 'minmax(0,2fr)',
      cell: ({ id, event_type: type }) => (
        <button type="button" className="font-medium hover:underline" onClick={() => show(id)}>
          {type}
        </button>
      ),
    },
    { id: 'state', title: t.deliveries.state, width: '7rem', cell: (row) => <DeliveryState of={row} /> },
    {
      id: 'answer',
      title: t.deliveries.answer,
      width: 'minmax(0,2fr)',
      wide: true,
      cell: ({ status, reason }) => reason ?? status ?? '',
    },
    {
      id: 'tries',
      title: t.deliveries.tries,
      width: '4rem',
      wide: true,
      end: true,
      cell: ({ attempts }) => attempts,
    },
    {
      id: 'at',
      title: state === 'waiting' ? t.deliveries.next : t.deliveries.ended,
      width: '7rem',
      end: true,
      cell: ({ created_at: at, next_attempt_at: next }) => <Time at={next ?? at} ago />,
    },
  ];
  return (
    <Section title={t.deliveries.title} lead={t.deliveries.lead}>
      <Replays endpointId={endpointId} />
      <Tabs
        label={t.deliveries.title}
        tabs={STATES.map((id) => ({ id, label: t.deliveries.tabs[id] }))}
        current={state}
        choose={(id) => void navigate({ to: '.', search: { tab: id }, replace: true, resetScroll: false })}
      />
      <RowsTable
        label={t.deliveries.title}
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        phone={(row) => (
          <>
            <span className="flex items-center justify-between gap-2">
              <button
                type="button"
                className="min-w-0 truncate font-medium hover:underline"
                onClick={() => show(row.id)}
              >
                {row.event_type}
              </button>
              <DeliveryState of={row} />
            </span>
            <span className="flex items-center justify-between gap-2 text-xs text-ink-3">
              <span className="min-w-0 truncate">{row.reason ?? row.status}</span>
              <Time at={row.next_attempt_at ?? row.created_at} ago />
            </span>
          </>
        )}
        empty={<Empty title={t.deliveries.none[state]}>{t.deliveries.noneText[state]}</Empty>}
      />
      {shown !== undefined && (
        <DeliveryModal endpointId={endpointId} id={shown} onClose={() => show(undefined)} />
      )}
    </Section>
  );
}

/** The repetitions that run, and the last one that has ended. */
function Replays({ endpointId }: { endpointId: string }) {
  const path = { endpoint_id: endpointId };
  const list = useQuery({
    queryKey: ['deliveries', endpointId, 'replays'],
    queryFn: () => read(back.GET('/console/api/endpoints/{endpoint_id}/replays', { params: { path } })),
    refetchInterval: REFRESH_MS,
  });
  const latest = list.data?.data[0];
  const one = useQuery({
    queryKey: ['deliveries', endpointId, 'replays', latest?.id],
    enabled: latest !== undefined,
    queryFn: () =>
      read(
        back.GET('/console/api/endpoints/{endpoint_id}/replays/{replay_id}', {
          params: { path: { ...path, replay_id: latest?.id ?? '' } },
        }),
      ),
    refetchInterval: latest?.state === 'running' ? REFRESH_MS : false,
  });
  if (!one.data) return null;
  const { kind, since, state, replayed, succeeded, pending, skipped } = one.data;
  return (
    <div role="status" className="panel mb-4 p-4 text-sm">
      <p className="mb-2 flex flex-wrap items-center gap-2 font-medium">
        {t.deliveries.kinds[kind]} <Time at={since} />
        <Badge tone={state === 'running' ? 'accent' : state === 'done' ? 'good' : 'warn'}>
          {t.deliveries.replayStates[state]}
        </Badge>
      </p>
      <p className="text-ink-2">
        {t.deliveries.counts({
          replayed,
          succeeded: succeeded ?? 0,
          pending: pending ?? 0,
          skipped,
        })}
      </p>
    </div>
  );
}
