import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { back, read, type ConsoleSchemas } from '../api/client';
import { useAction, useRows } from '../api/pages';
import { useCan } from '../api/session';
import { Badge, type Tone } from '../ui/badge';
import { Button } from '../ui/button';
import { CodeBlock, Value } from '../ui/copy';
import { Modal, ModalActions } from '../ui/modal';
import { Facts, Section, Tabs } from '../ui/page';
import { RowsTable, type Column } from '../ui/rows-table';
import { Empty, Loaded } from '../ui/states';
import { durationText, Time } from '../ui/times';
import { notify } from '../ui/toasts';
import { t } from '../words/words';

type Delivery = ConsoleSchemas['EndpointDelivery'];
type Detail = ConsoleSchemas['EndpointDeliveryDetail'];

const REFRESH_MS = 5_000;
const STATES = ['ended', 'failed', 'waiting'] as const;
type State = (typeof STATES)[number];

const TONES: Readonly<Record<Delivery['state'], Tone>> = {
  succeeded: 'good',
  dropped: 'bad',
  stopped: 'bad',
  missed: 'warn',
  'set-aside': 'warn',
  waiting: 'plain',
  in_flight: 'accent',
};

const StateBadge = ({ of }: { of: Delivery }) => (
  <Badge tone={of.recovered_at === null ? TONES[of.state] : 'good'}>
    {of.recovered_at === null ? t.deliveries.states[of.state] : t.deliveries.recovered}
  </Badge>
);

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
    { id: 'state', title: t.deliveries.state, width: '7rem', cell: (row) => <StateBadge of={row} /> },
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
        empty={<Empty title={t.deliveries.none[state]}>{t.deliveries.noneText[state]}</Empty>}
      />
      {shown !== undefined && (
        <DeliveryModal endpointId={endpointId} id={shown} onClose={() => show(undefined)} />
      )}
    </Section>
  );
}

function DeliveryModal({ endpointId, id, onClose }: { endpointId: string; id: string; onClose: () => void }) {
  const path = { endpoint_id: endpointId, delivery_id: id };
  const query = useQuery({
    queryKey: ['deliveries', endpointId, 'one', id],
    queryFn: () =>
      read(back.GET('/console/api/endpoints/{endpoint_id}/deliveries/{delivery_id}', { params: { path } })),
  });
  const mayRepeat = useCan('webhooks:write:all');
  const repeat = useAction(
    () =>
      read(
        back.POST('/console/api/endpoints/{endpoint_id}/deliveries/{delivery_id}/replay', {
          params: { path },
        }),
      ),
    {
      changes: [['deliveries'], ['webhooks'], ['routes']],
      done: () => {
        notify(t.deliveries.repeated);
        onClose();
      },
    },
  );
  return (
    <Modal title={query.data?.event_type ?? t.deliveries.title} wide onClose={onClose}>
      <Loaded query={query}>{(delivery) => <DeliveryDetail of={delivery} />}</Loaded>
      {mayRepeat && query.data?.can_be_replayed && (
        <ModalActions>
          <Button icon="refresh" busy={repeat.isPending} onClick={() => repeat.mutate(undefined)}>
            {t.deliveries.repeat}
          </Button>
        </ModalActions>
      )}
    </Modal>
  );
}

function DeliveryDetail({ of }: { of: Detail }) {
  return (
    <div className="flex flex-col gap-5">
      <Facts
        rows={[
          [t.deliveries.state, <StateBadge key="state" of={of} />],
          ['webhook-id', <Value key="id" text={of.webhook_message_id} />],
          of.next_attempt_at !== null && [t.deliveries.next, <Time key="next" at={of.next_attempt_at} />],
          of.recovered_at !== null && [t.deliveries.recovered, <Time key="again" at={of.recovered_at} />],
          of.message_id !== null && [
            t.deliveries.message,
            <Link
              key="message"
              className="text-accent underline"
              to="/messages/$messageId"
              params={{ messageId: of.message_id }}
            >
              {t.deliveries.open}
            </Link>,
          ],
        ]}
      />
      <section>
        <h3 className="mb-2 text-sm font-semibold">{t.deliveries.request}</h3>
        {of.request_body !== null && (
          <CodeBlock text={pretty(of.request_body)} label={t.deliveries.request} />
        )}
        {of.body_omitted !== null && (
          <p className="mt-1 text-sm text-ink-3">{t.deliveries.omitted[of.body_omitted]}</p>
        )}
      </section>
      {of.tries.map((attempt) => (
        <section key={attempt.attempt}>
          <h3 className="mb-2 flex flex-wrap items-center gap-2 text-sm font-semibold">
            {t.deliveries.tryOf(attempt.attempt)}
            <Badge tone={attempt.outcome === 'succeeded' ? 'good' : 'bad'}>
              {attempt.status ?? t.deliveries.noAnswer}
            </Badge>
            <span className="font-normal text-ink-3">
              <Time at={attempt.started_at} />, {durationText(attempt.duration_ms / 1_000)}
            </span>
          </h3>
          {attempt.reason !== null && <p className="mb-2 text-sm text-bad">{attempt.reason}</p>}
          <details>
            <summary className="py-1 text-xs text-ink-3 hover:text-ink">{t.deliveries.headers}</summary>
            <CodeBlock
              text={Object.entries(attempt.request_headers)
                .map(([name, value]) => `${name}: ${value}`)
                .join('\n')}
              label={t.deliveries.headers}
            />
          </details>
          {attempt.response !== null && attempt.response !== '' && (
            <CodeBlock text={attempt.response} label={t.deliveries.response} />
          )}
        </section>
      ))}
    </div>
  );
}

function pretty(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
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
