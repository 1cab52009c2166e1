import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { api, read, type Schemas } from '../api/client';
import { useAction } from '../api/pages';
import { useAccount, useCan } from '../api/session';
import { Button } from '../ui/button';
import { Value } from '../ui/copy';
import { Facts, Page, Section } from '../ui/page';
import { Curl, Loaded } from '../ui/states';
import { Time } from '../ui/times';
import { notify, runUnlessUndone } from '../ui/toasts';
import { t } from '../words/words';
import { Deliveries } from './deliveries';
import { HealthBadge, HealthPanel, Recover, SignatureSamples } from './endpoint-parts';

/** Loaded when one is opened. */
const RouteForm = lazy(() => import('./route-form'));

type Route = Schemas['Route'];

export function RoutePage() {
  const account = useAccount();
  const { routeId = '' } = useParams({ strict: false });
  const query = useQuery({
    queryKey: ['routes', account.account_id, routeId],
    queryFn: () =>
      read(
        api.GET('/v2/accounts/{account_id}/routes/{route_id}', {
          params: { path: { ...account, route_id: routeId } },
        }),
      ),
  });
  return (
    <Page
      title={query.data?.name ?? t.routes.tab}
      back={{ to: '/webhooks', search: { tab: 'routes' }, label: t.routes.tab }}
      heading={
        <span className="flex flex-wrap items-center gap-3">
          {query.data?.name ?? t.routes.tab}
          {query.data && <HealthBadge of={query.data} />}
        </span>
      }
      actions={query.data && <Actions route={query.data} />}
    >
      <Loaded query={query}>
        {(route) => (
          <>
            <div className="grid gap-8 lg:grid-cols-2">
              <Section title={t.webhooks.health}>
                <HealthPanel of={route} />
              </Section>
              <Section title={t.webhooks.about}>
                <About route={route} />
              </Section>
            </div>
            <Deliveries endpointId={route.id} />
            <SignatureSamples />
          </>
        )}
      </Loaded>
    </Page>
  );
}

const About = ({ route }: { route: Route }) => (
  <div className="panel p-4">
    <Facts
      rows={[
        [
          t.routes.recipient,
          route.recipient === '' ? t.routes.everyRecipient : <Value key="recipient" text={route.recipient} />,
        ],
        ['URL', <Value key="url" text={route.url} />],
        ...(['attachments', 'headers', 'group_by_message_id', 'strip_replies'] as const).map(
          (flag) => [t.routes.flags[flag][0], route[flag] ? t.yes : t.no] as const,
        ),
        [t.created, <Time key="created" at={route.created_at} />],
      ]}
    />
    <div className="mt-4">
      <Curl path={`/routes/${route.id}`} />
    </div>
  </div>
);

function Actions({ route }: { route: Route }) {
  const account = useAccount();
  const navigate = useNavigate();
  const [isChanging, setChanging] = useState(false);
  const path = { ...account, route_id: route.id };
  const changes = [['routes']];
  const mayWrite = useCan('routes:write:all');
  const mayDelete = useCan('routes:delete:all');
  const enable = useAction(
    (enabled: boolean) =>
      read(api.PUT('/v2/accounts/{account_id}/routes/{route_id}', { params: { path }, body: { enabled } })),
    { changes, done: () => notify(t.saved) },
  );
  const trigger = useAction(
    () =>
      read(api.POST('/v2/accounts/{account_id}/routes/{route_id}/trigger', { params: { path }, body: {} })),
    { changes, done: () => notify(t.webhooks.exampleSent) },
  );
  const remove = useAction(
    () => read(api.DELETE('/v2/accounts/{account_id}/routes/{route_id}', { params: { path } })),
    { changes },
  );
  const startRemoval = () => {
    void navigate({ to: '/webhooks', search: { tab: 'routes' } });
    runUnlessUndone(
      t.deleting(route.name),
      () => remove.mutate(undefined),
      () => void navigate({ to: '/routes/$routeId', params: { routeId: route.id } }),
    );
  };
  return (
    <>
      {mayWrite && (
        <>
          <Button icon="play" busy={trigger.isPending} onClick={() => trigger.mutate(undefined)}>
            {t.webhooks.sendExample}
          </Button>
          <Recover endpointId={route.id} />
          <Button onClick={() => setChanging(true)}>{t.change}</Button>
          <Button busy={enable.isPending} onClick={() => enable.mutate(!route.enabled)}>
            {route.enabled ? t.disable : t.enable}
          </Button>
        </>
      )}
      {mayDelete && (
        <Button look="danger" icon="trash" onClick={startRemoval}>
          {t.delete}
        </Button>
      )}
      <Suspense>{isChanging && <RouteForm route={route} onClose={() => setChanging(false)} />}</Suspense>
    </>
  );
}
