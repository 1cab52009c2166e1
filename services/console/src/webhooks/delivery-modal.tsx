import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { back, read, type ConsoleSchemas } from '../api/client';
import { useAction } from '../api/pages';
import { useCan } from '../api/session';
import { Badge } from '../ui/badge';
import { Button } from '../ui/button';
import { CodeBlock, Value } from '../ui/copy';
import { Modal, ModalActions } from '../ui/modal';
import { Facts } from '../ui/page';
import { Loaded } from '../ui/states';
import { durationText, Time } from '../ui/times';
import { notify } from '../ui/toasts';
import { t } from '../words/words';
import { DeliveryState } from './delivery-state';

type Detail = ConsoleSchemas['EndpointDeliveryDetail'];

/** One call of a webhook or a route: what was sent, and what came back. */
export default function DeliveryModal({
  endpointId,
  id,
  onClose,
}: {
  endpointId: string;
  id: string;
  onClose: () => void;
}) {
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
      changes: [['deliveries'], ['message-calls'], ['webhooks'], ['routes']],
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
          [t.deliveries.state, <DeliveryState key="state" of={of} />],
          [
            of.target === 'webhook' ? t.deliveries.webhook : t.deliveries.route,
            <Link
              key="endpoint"
              className="text-accent underline"
              {...(of.target === 'webhook'
                ? ({ to: '/webhooks/$webhookId', params: { webhookId: of.endpoint_id } } as const)
                : ({ to: '/routes/$routeId', params: { routeId: of.endpoint_id } } as const))}
            >
              {t.deliveries.open}
            </Link>,
          ],
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
