import { useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { api, read, type Schemas } from '../api/client';
import { useRows } from '../api/pages';
import { useAccount, useCan } from '../api/session';
import { Button } from '../ui/button';
import { Page, Tabs } from '../ui/page';
import { RowsTable, type Column } from '../ui/rows-table';
import { Curl, Empty } from '../ui/states';
import { Time } from '../ui/times';
import { t } from '../words/words';
import { HealthBadge } from './endpoint-parts';
import { SecretOnce } from '../ui/secret-once';
import type { Secrets } from './webhook-form';
import { eventsOf } from './webhook-events';

/** Loaded when one is opened. */
const WebhookForm = lazy(() => import('./webhook-form'));
const RouteForm = lazy(() => import('./route-form'));

type Webhook = Schemas['Webhook'];
type Route = Schemas['Route'];

export function WebhooksPage() {
  const { tab = 'webhooks' } = useSearch({ strict: false });
  const navigate = useNavigate();
  const [isAdding, setAdding] = useState(false);
  const [secrets, setSecrets] = useState<Secrets>();
  const isRoutes = tab === 'routes';
  const mayWriteWebhooks = useCan('webhooks:write:all');
  const mayWriteRoutes = useCan('routes:write:all');
  const mayWrite = isRoutes ? mayWriteRoutes : mayWriteWebhooks;
  const add = mayWrite && (
    <Button look="primary" icon="plus" onClick={() => setAdding(true)}>
      {isRoutes ? t.routes.add : t.webhooks.add}
    </Button>
  );
  const done = (made: Secrets) => {
    setAdding(false);
    setSecrets(made);
  };
  return (
    <Page title={t.webhooks.title} lead={isRoutes ? t.routes.lead : t.webhooks.lead} actions={add}>
      <Tabs
        label={t.webhooks.title}
        current={tab}
        choose={(next) => void navigate({ to: '/webhooks', search: { tab: next }, replace: true })}
        tabs={[
          { id: 'webhooks', label: t.webhooks.tab },
          { id: 'routes', label: t.routes.tab },
        ]}
      />
      {isRoutes ? <Routes add={add} /> : <Webhooks add={add} />}
      <Suspense>
        {isAdding && !isRoutes && <WebhookForm onClose={() => setAdding(false)} onSecrets={done} />}
        {isAdding && isRoutes && (
          <RouteForm
            onClose={() => setAdding(false)}
            onCreated={({ secret }) => done([[t.webhooks.secret, secret]])}
          />
        )}
      </Suspense>
      {secrets && (
        <SecretOnce title={t.webhooks.secret} rows={secrets} onClose={() => setSecrets(undefined)} />
      )}
    </Page>
  );
}

function Webhooks({ add }: { add: React.ReactNode }) {
  const account = useAccount();
  const list = useRows<Webhook>(['webhooks', account.account_id], (after) =>
    read(
      api.GET('/v2/accounts/{account_id}/webhooks', {
        params: { path: account, query: after === undefined ? {} : { after } },
      }),
    ),
  );
  return (
    <RowsTable
      label={t.webhooks.tab}
      list={list}
      columns={WEBHOOK_COLUMNS}
      keyOf={({ id }) => id}
      linkOf={({ id }) => ({ to: '/webhooks/$webhookId', params: { webhookId: id } })}
      curl={<Curl path="/webhooks" />}
      empty={
        <Empty
          title={t.webhooks.none}
          action={add}
          curl={
            <Curl
              method="POST"
              path="/webhooks"
              body={{ name: 'Bounces', url: 'https://example.com/hooks', scope: 'global', on_bounced: true }}
            />
          }
        >
          {t.webhooks.noneText}
        </Empty>
      }
    />
  );
}

const WEBHOOK_COLUMNS: readonly Column<Webhook>[] = [
  {
    id: 'name',
    title: t.webhooks.name,
    width: 'minmax(0,1fr)',
    cell: ({ name }) => <span className="font-medium">{name}</span>,
  },
  { id: 'health', title: t.webhooks.health, width: '8rem', cell: (row) => <HealthBadge of={row} /> },
  {
    id: 'url',
    title: 'URL',
    width: 'minmax(0,1.5fr)',
    wide: true,
    cell: ({ url }) => <code className="font-mono text-xs">{url}</code>,
  },
  {
    id: 'events',
    title: t.webhooks.events,
    width: '6rem',
    wide: true,
    cell: (row) => t.webhooks.eventCount(eventsOf(row).length),
  },
  {
    id: 'last',
    title: t.webhooks.lastCall,
    width: '7rem',
    wide: true,
    end: true,
    cell: ({ last_request_at: at }) => (at === null ? t.never : <Time at={at} ago />),
  },
];

function Routes({ add }: { add: React.ReactNode }) {
  const account = useAccount();
  const list = useRows<Route>(['routes', account.account_id], (after) =>
    read(
      api.GET('/v2/accounts/{account_id}/routes', {
        params: { path: account, query: after === undefined ? {} : { after } },
      }),
    ),
  );
  return (
    <RowsTable
      label={t.routes.tab}
      list={list}
      columns={ROUTE_COLUMNS}
      keyOf={({ id }) => id}
      linkOf={({ id }) => ({ to: '/routes/$routeId', params: { routeId: id } })}
      curl={<Curl path="/routes" />}
      empty={
        <Empty
          title={t.routes.none}
          action={add}
          curl={
            <Curl
              method="POST"
              path="/routes"
              body={{
                name: 'Support',
                url: 'https://example.com/inbound',
                recipient: 'support@mail.example.com',
              }}
            />
          }
        >
          {t.routes.noneText}
        </Empty>
      }
    />
  );
}

const ROUTE_COLUMNS: readonly Column<Route>[] = [
  {
    id: 'name',
    title: t.webhooks.name,
    width: 'minmax(0,1fr)',
    cell: ({ name }) => <span className="font-medium">{name}</span>,
  },
  { id: 'health', title: t.webhooks.health, width: '8rem', cell: (row) => <HealthBadge of={row} /> },
  {
    id: 'recipient',
    title: t.routes.recipient,
    width: 'minmax(0,1fr)',
    wide: true,
    cell: ({ recipient }) => recipient || t.routes.everyRecipient,
  },
  {
    id: 'url',
    title: 'URL',
    width: 'minmax(0,1.5fr)',
    wide: true,
    cell: ({ url }) => <code className="font-mono text-xs">{url}</code>,
  },
];
