import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { api, back, read, type Schemas } from '../api/client';
import { pollMs } from '../api/live';
import { useAction } from '../api/pages';
import { useAccount, useCan } from '../api/session';
import { Badge } from '../ui/badge';
import { Button } from '../ui/button';
import { Value } from '../ui/copy';
import { Select } from '../ui/field';
import { Facts, Page, Section } from '../ui/page';
import { SecretOnce } from '../ui/secret-once';
import { Curl, Loaded } from '../ui/states';
import { Time } from '../ui/times';
import { notify, runUnlessUndone } from '../ui/toasts';
import { t } from '../words/words';
import { Deliveries } from './deliveries';
import { HealthBadge, HealthPanel, Recover, SignatureSamples } from './endpoint-parts';
import type { Dialect, Secrets } from './webhook-form';
import { dialectTitle, EVENTS, eventsOf } from './webhook-events';

/** Loaded when one is opened. */
const WebhookForm = lazy(() => import('./webhook-form'));

type Webhook = Schemas['Webhook'];

const REFRESH_MS = 10_000;

export function WebhookPage() {
  const account = useAccount();
  const { webhookId = '' } = useParams({ strict: false });
  const path = { ...account, webhook_id: webhookId };
  const query = useQuery({
    queryKey: ['webhooks', account.account_id, webhookId],
    queryFn: () => read(api.GET('/v2/accounts/{account_id}/webhooks/{webhook_id}', { params: { path } })),
    refetchInterval: () => pollMs(REFRESH_MS),
  });
  const dialect = useDialect(webhookId);
  return (
    <Page
      title={query.data?.name ?? t.webhooks.tab}
      back={{ to: '/webhooks', label: t.webhooks.title }}
      heading={
        <span className="flex flex-wrap items-center gap-3">
          {query.data?.name ?? t.webhooks.tab}
          {query.data && <HealthBadge of={query.data} />}
        </span>
      }
      actions={query.data && <Actions webhook={query.data} dialect={dialect} />}
    >
      <Loaded query={query}>
        {(webhook) => (
          <>
            <div className="grid gap-8 lg:grid-cols-2">
              <Section title={t.webhooks.health}>
                <HealthPanel of={webhook} />
              </Section>
              <Section title={t.webhooks.about}>
                <About webhook={webhook} dialect={dialect} />
              </Section>
            </div>
            <Example webhook={webhook} />
            <Deliveries endpointId={webhook.id} />
            {dialect === null && <SignatureSamples />}
          </>
        )}
      </Loaded>
    </Page>
  );
}

/** undefined while it is not known */
function useDialect(webhookId: string): Dialect | undefined {
  const { data } = useQuery({
    queryKey: ['webhooks', 'dialect', webhookId],
    queryFn: () =>
      read(
        back.GET('/console/api/webhooks/{webhook_id}/dialect', {
          params: { path: { webhook_id: webhookId } },
        }),
      ),
  });
  return data?.dialect;
}

const About = ({ webhook, dialect }: { webhook: Webhook; dialect: Dialect | undefined }) => (
  <div className="panel p-4">
    <Facts
      rows={[
        ['URL', <Value key="url" text={webhook.url} />],
        [
          t.webhooks.events,
          <span key="events" className="flex flex-wrap gap-1">
            {eventsOf(webhook).map((type) => (
              <Badge key={type}>{type}</Badge>
            ))}
          </span>,
        ],
        [
          t.webhooks.scope,
          webhook.scope === 'global' ? t.webhooks.scopes.global : webhook.domains.join(', '),
        ],
        [t.webhooks.dialect, dialect === undefined ? '' : dialectTitle(dialect)],
        [t.created, <Time key="created" at={webhook.created_at} />],
      ]}
    />
    <div className="mt-4">
      <Curl path={`/webhooks/${webhook.id}`} />
    </div>
  </div>
);

/** One sample event, signed and counted as a real one. */
function Example({ webhook }: { webhook: Webhook }) {
  const account = useAccount();
  const [type, setType] = useState<string>(eventsOf(webhook)[0] ?? 'message.delivered');
  const mayTry = useCan('webhooks:write:all');
  const send = useAction(
    () =>
      read(
        api.POST('/v2/accounts/{account_id}/webhooks/{webhook_id}/trigger', {
          params: { path: { ...account, webhook_id: webhook.id } },
          body: { events: [type] },
        }),
      ),
    { changes: [['webhooks']], done: () => notify(t.webhooks.exampleSent) },
  );
  if (!mayTry) return null;
  return (
    <Section title={t.webhooks.example} lead={t.webhooks.exampleText}>
      <div className="flex flex-wrap items-end gap-2">
        <Select
          label={t.webhooks.events}
          bare
          className="w-auto"
          options={EVENTS.map(([field, name]) => [name, `${t.webhooks.eventNames[field]}: ${name}`])}
          value={type}
          onChange={(event) => setType(event.target.value)}
        />
        <Button icon="play" busy={send.isPending} onClick={() => send.mutate(undefined)}>
          {t.webhooks.sendExample}
        </Button>
      </div>
    </Section>
  );
}

function Actions({ webhook, dialect }: { webhook: Webhook; dialect: Dialect | undefined }) {
  const account = useAccount();
  const navigate = useNavigate();
  const [isChanging, setChanging] = useState(false);
  const [secrets, setSecrets] = useState<Secrets>();
  const path = { ...account, webhook_id: webhook.id };
  const changes = [['webhooks']];
  const mayWrite = useCan('webhooks:write:all');
  const mayDelete = useCan('webhooks:delete:all');
  const enable = useAction(
    (enabled: boolean) =>
      read(
        api.PUT('/v2/accounts/{account_id}/webhooks/{webhook_id}', { params: { path }, body: { enabled } }),
      ),
    { changes, done: () => notify(t.saved) },
  );
  const remove = useAction(
    () => read(api.DELETE('/v2/accounts/{account_id}/webhooks/{webhook_id}', { params: { path } })),
    { changes },
  );
  const startRemoval = () => {
    void navigate({ to: '/webhooks' });
    runUnlessUndone(
      t.deleting(webhook.name),
      () => remove.mutate(undefined),
      () => void navigate({ to: '/webhooks/$webhookId', params: { webhookId: webhook.id } }),
    );
  };
  return (
    <>
      {mayWrite && (
        <>
          <Recover endpointId={webhook.id} />
          <Button disabled={dialect === undefined} onClick={() => setChanging(true)}>
            {t.change}
          </Button>
          <Button busy={enable.isPending} onClick={() => enable.mutate(!webhook.enabled)}>
            {webhook.enabled ? t.disable : t.enable}
          </Button>
        </>
      )}
      {mayDelete && (
        <Button look="danger" icon="trash" onClick={startRemoval}>
          {t.delete}
        </Button>
      )}
      <Suspense>
        {isChanging && dialect !== undefined && (
          <WebhookForm
            webhook={webhook}
            dialect={dialect}
            onClose={() => setChanging(false)}
            onSecrets={(made) => {
              setChanging(false);
              setSecrets(made);
            }}
          />
        )}
      </Suspense>
      {secrets && (
        <SecretOnce title={t.webhooks.dialectSecret} rows={secrets} onClose={() => setSecrets(undefined)} />
      )}
    </>
  );
}
