import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useAction } from '../api/pages';
import { Badge } from '../ui/badge';
import { Button } from '../ui/button';
import { CodeBlock } from '../ui/copy';
import { Check, Select } from '../ui/field';
import { Modal, ModalActions } from '../ui/modal';
import { Facts, Page, Section } from '../ui/page';
import { Loaded } from '../ui/states';
import { notify } from '../ui/toasts';
import { t } from '../words/words';
import { call, get, pathOf, to, useParam } from './api';
import { accountLink, Act, At, Code, numberText, Table } from './parts';
import { stateTone, type Endpoint } from './endpoint';
import { w } from './words';

interface Attempt {
  delivery_id: string;
  attempt: number;
  event_type: string;
  started_at: string;
  duration_ms: number;
  outcome: string;
  status: number | null;
  reason: string | null;
  response: string | null;
}
type Shown = Endpoint & { attempts: Attempt[] };

const REFRESH_MS = 10_000;
const HOUR_MS = 3_600_000;

export function WebhookPage() {
  const id = useParam('endpointId');
  const [onlyFailed, setOnlyFailed] = useState(false);
  const query = useQuery({
    queryKey: ['endpoint', id, onlyFailed],
    queryFn: () =>
      get<Shown>(
        pathOf(`webhook-dispatcher/endpoints/${encodeURIComponent(id)}`, {
          failed: onlyFailed ? 'true' : undefined,
        }),
      ),
    refetchInterval: REFRESH_MS,
  });
  const endpoint = query.data;
  const changes = [['endpoint'], ['endpoints']];
  return (
    <Page
      title={endpoint?.name || endpoint?.host || w.webhooks.endpoint}
      actions={
        endpoint && (
          <>
            {endpoint.state === 'disabled' && (
              <Act
                label={w.webhooks.enable}
                run={() => call('POST', `webhooks/endpoints/${id}/enable`)}
                changes={changes}
                done={() => notify(w.webhooks.enabled)}
                primary
              />
            )}
            <Recover id={id} changes={changes} />
          </>
        )
      }
    >
      <Loaded query={query}>
        {(shown) => (
          <>
            <About of={shown} />
            <Section
              title={w.webhooks.attempts}
              actions={
                <Check
                  label={w.webhooks.onlyFailed}
                  checked={onlyFailed}
                  onChange={(event) => setOnlyFailed(event.target.checked)}
                />
              }
            >
              <Attempts attempts={shown.attempts} />
            </Section>
          </>
        )}
      </Loaded>
    </Page>
  );
}

function About({ of: endpoint }: { of: Endpoint }) {
  const { state, standing, to_do: toDo, account_id: account } = endpoint;
  return (
    <Section title={w.webhooks.about}>
      <div className="panel p-4">
        <Facts
          rows={[
            [
              w.webhooks.state,
              <>
                <Badge tone={stateTone(state)}>{state ?? 'enabled'}</Badge> {standing}
              </>,
            ],
            account !== undefined && [
              w.account,
              <Link key="account" {...to(accountLink(account))} className="text-accent hover:underline">
                <Code>{account}</Code>
              </Link>,
            ],
            [w.webhooks.pending, numberText(endpoint.deliveries)],
            [w.webhooks.failures, numberText(endpoint.failures)],
            [w.webhooks.since, <At key="since" at={endpoint.failing_since} />],
            [w.webhooks.next, <At key="next" at={endpoint.next_call_at} />],
            [w.webhooks.last, endpoint.last_failure ?? '–'],
          ]}
        />
        {toDo && (
          <div className="mt-3">
            <CodeBlock text={toDo} label={w.webhooks.toDo} />
          </div>
        )}
      </div>
    </Section>
  );
}

const Attempts = ({ attempts }: { attempts: readonly Attempt[] }) => (
  <Table
    label={w.webhooks.attempts}
    rows={attempts}
    keyOf={({ delivery_id, attempt, started_at }) => `${delivery_id} ${attempt} ${started_at}`}
    empty={w.webhooks.noAttempts}
    columns={[
      { title: w.webhooks.time, cell: ({ started_at }) => <At at={started_at} /> },
      { title: w.webhooks.event, cell: ({ event_type }) => event_type },
      {
        title: w.webhooks.outcome,
        cell: ({ outcome, status, duration_ms }) => (
          <span className="whitespace-nowrap">
            <Badge tone={outcome === 'succeeded' ? 'good' : 'bad'}>{status ?? outcome}</Badge> {duration_ms}{' '}
            ms
          </span>
        ),
      },
      {
        title: w.webhooks.response,
        cell: ({ reason, response }) => (
          <div className="min-w-56">
            {reason}
            {response && (
              <span className="block">
                <Code>{response}</Code>
              </span>
            )}
          </div>
        ),
      },
    ]}
  />
);

function Recover({ id, changes }: { id: string; changes: readonly (readonly unknown[])[] }) {
  const [isOpen, setOpen] = useState(false);
  const [hours, setHours] = useState<string>(w.webhooks.periods[1][0]);
  const recover = useAction(
    () =>
      call('POST', 'webhook-dispatcher/replays', {
        endpoint_id: id,
        kind: 'recover',
        since: new Date(Date.now() - Number(hours) * HOUR_MS).toISOString(),
      }),
    {
      changes,
      done: () => {
        notify(w.webhooks.recovering);
        setOpen(false);
      },
    },
  );
  return (
    <>
      <Button icon="refresh" onClick={() => setOpen(true)}>
        {w.webhooks.recover}
      </Button>
      {isOpen && (
        <Modal title={w.webhooks.recover} onClose={() => setOpen(false)}>
          <p className="mb-4 text-ink-2">{w.webhooks.recoverText}</p>
          <Select
            label={w.webhooks.since}
            options={w.webhooks.periods}
            value={hours}
            onChange={(event) => setHours(event.target.value)}
          />
          <ModalActions>
            <Button onClick={() => setOpen(false)}>{t.cancel}</Button>
            <Button look="primary" busy={recover.isPending} onClick={() => recover.mutate(undefined)}>
              {w.webhooks.recover}
            </Button>
          </ModalActions>
        </Modal>
      )}
    </>
  );
}
