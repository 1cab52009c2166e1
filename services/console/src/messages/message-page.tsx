import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { api, back, once, read, type Schemas } from '../api/client';
import { pollMs } from '../api/live';
import { useAction } from '../api/pages';
import { useAccount, useCan } from '../api/session';
import { Badge, Dot } from '../ui/badge';
import { Button } from '../ui/button';
import { Value } from '../ui/copy';
import { Icon } from '../ui/icons';
import { Facts, Page, Section } from '../ui/page';
import { Curl, Loaded } from '../ui/states';
import { agoText, dateTimeText, durationText, Time, useZone } from '../ui/times';
import { notify } from '../ui/toasts';
import { t } from '../words/words';
import { MessageContent } from './message-content';
import {
  storyOf,
  toneOf,
  waitOf,
  type DomainState,
  type MessageAttempts,
  type NamedCall,
  type Step,
} from './message-story.rules';

/** Loaded when a call is opened. */
const DeliveryModal = lazy(() => import('../webhooks/delivery-modal'));

type Message = Schemas['MessageRecord'];

const REFRESH_MS = 4_000;
const UNDER_WAY = new Set(['Received', 'Scheduled', 'Deferred']);

export function MessagePage() {
  const account = useAccount();
  const { messageId = '' } = useParams({ strict: false });
  const { recipient } = useSearch({ strict: false });
  const query = useQuery({
    queryKey: ['message', account.account_id, messageId, recipient],
    queryFn: () =>
      read(
        api.GET('/v2/accounts/{account_id}/messages/{message_id}', {
          params: {
            path: { ...account, message_id: messageId },
            query: recipient === undefined ? {} : { recipient },
          },
        }),
      ),
    refetchInterval: ({ state }) => (UNDER_WAY.has(state.data?.status ?? '') ? pollMs(REFRESH_MS) : false),
  });
  const message = query.data;
  return (
    <Page
      title={message?.subject || t.messages.noSubject}
      back={{ to: '/messages', label: t.messages.title }}
      heading={
        <span className="flex flex-wrap items-center gap-3">
          {message?.subject || (message ? t.messages.noSubject : t.message.title)}
          {message && <Badge tone={toneOf(message.status)}>{message.status}</Badge>}
        </span>
      }
      actions={message && <Actions message={message} />}
    >
      <Loaded query={query}>{(loaded) => <Details message={loaded} />}</Loaded>
    </Page>
  );
}

function Details({ message }: { message: Message }) {
  const { tab } = useSearch({ strict: false });
  const attempts = useAttempts(message);
  const calls = useCalls(message);
  const navigate = useNavigate();
  return (
    <div className="flex flex-col gap-8">
      <div className="grid gap-8 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <Section title={t.message.timeline}>
          <Waiting message={message} attempts={attempts.data} />
          <Timeline steps={storyOf(message, attempts.data?.data, calls)} domain={domainOf(message.sender)} />
        </Section>
        <aside className="panel self-start p-4">
          <Facts
            rows={[
              [t.messages.recipient, <Address key="to" address={message.recipient} />],
              [t.messages.sender, message.sender],
              [t.messages.direction, t.messages.directions[message.direction]],
              message.tags.length > 0 && [
                t.messages.tags,
                <span key="tags" className="flex flex-wrap gap-x-3">
                  {message.tags.map((tag) => (
                    <Link
                      key={tag}
                      to="/messages"
                      search={{ tags: tag }}
                      className="break-all text-accent hover:underline"
                    >
                      {tag}
                    </Link>
                  ))}
                </span>,
              ],
              message.bounce_classification !== '' && [t.message.class, message.bounce_classification],
              message.delivered_at !== null && [t.message.took, tookText(message)],
              (message.open_count > 0 || message.click_count > 0) && [
                t.message.engagement,
                t.message.opensAndClicks(message.open_count, message.click_count),
              ],
              [t.message.attempts, String(message.num_attempts)],
              ['Message-ID', <Value key="id" text={message.message_id} />],
              [t.message.kept, <Time key="kept" at={message.retain_until} />],
            ]}
          />
          <div className="mt-4">
            <Curl path={`/messages/${message.id}`} />
          </div>
        </aside>
      </div>
      <MessageContent
        message={message}
        tab={tab ?? 'html'}
        choose={(next) =>
          void navigate({
            to: '/messages/$messageId',
            params: { messageId: message.id },
            search: { tab: next },
            replace: true,
          })
        }
      />
    </div>
  );
}

const tookText = ({ created_at, delivered_at }: Message): string =>
  durationText((Date.parse(delivered_at ?? created_at) - Date.parse(created_at)) / 1_000);

const Address = ({ address }: { address: string }) => (
  <Link to="/about/$address" params={{ address }} className="break-all text-accent hover:underline">
    {address}
  </Link>
);

/** Servers and encryption of its attempts, and what it waits for. */
function useAttempts({ id, recipient, status, direction }: Message) {
  const account = useAccount();
  return useQuery({
    queryKey: ['message', account.account_id, id, recipient, 'attempts'],
    enabled: direction === 'outbound',
    queryFn: () =>
      read(
        back.GET('/console/api/messages/{message_id}/attempts', {
          params: { path: { message_id: id }, query: { recipient } },
        }),
      ),
    refetchInterval: UNDER_WAY.has(status) ? pollMs(REFRESH_MS) : false,
  });
}

const CALLED = new Set(['waiting', 'in_flight']);
/** A webhook is called within this time of the event, unless it fails. */
const CALL_MS = 60_000;

/** The calls of webhooks and routes for it. */
function useCalls({ id, status, updated_at }: Message): NamedCall[] | undefined {
  const account = useAccount();
  const mayRead = useCan('webhooks:read:all');
  const { data } = useQuery({
    queryKey: ['message-calls', account.account_id, id],
    enabled: mayRead,
    queryFn: () => read(back.GET('/console/api/message-calls', { params: { query: { message_id: id } } })),
    refetchInterval: ({ state }) =>
      UNDER_WAY.has(status) ||
      Date.now() - Date.parse(updated_at) < CALL_MS ||
      state.data?.data.some((call) => CALLED.has(call.state))
        ? pollMs(REFRESH_MS)
        : false,
  });
  const names = useEndpointNames(mayRead && (data?.data.length ?? 0) > 0);
  return data?.data.map((call) => ({ ...call, name: names.get(call.endpoint_id) }));
}

/** The names of the first webhooks and routes of the account. */
function useEndpointNames(enabled: boolean): ReadonlyMap<string, string> {
  const account = useAccount();
  const params = { path: account, query: { limit: 100 } };
  const { data } = useQuery({
    queryKey: ['webhooks', account.account_id, 'names'],
    enabled,
    queryFn: () =>
      Promise.all([
        read(api.GET('/v2/accounts/{account_id}/webhooks', { params })),
        read(api.GET('/v2/accounts/{account_id}/routes', { params })),
      ]),
  });
  return new Map(data?.flatMap((page) => page.data.map(({ id, name }) => [id, name] as const)));
}

/** Why it is not there yet, and how long that can last. */
function Waiting({ message, attempts }: { message: Message; attempts: MessageAttempts | undefined }) {
  const of = useZone();
  const domain = useSenderDomain(message);
  const wait = waitOf(message, attempts, { now: Date.now(), domain });
  if (!wait) return null;
  return (
    <div role="status" className="mb-4 flex gap-3 rounded-lg bg-warn-soft px-4 py-3 text-warn">
      <Icon name="clock" className="mt-1 shrink-0" />
      <div>
        <p className="font-medium">{wait.why}</p>
        {wait.said && <p className="font-mono text-xs">{wait.said}</p>}
        {wait.next && (
          <p>
            {wait.next.getTime() < Date.now()
              ? t.story.nextIsDue
              : t.story.next(dateTimeText(wait.next, of), agoText(wait.next))}
          </p>
        )}
        {wait.until && <p>{t.story.until(dateTimeText(wait.until, of, { seconds: false }))}</p>}
      </div>
    </div>
  );
}

function useSenderDomain({ sender, status, direction }: Message): DomainState | undefined {
  const account = useAccount();
  const domain = domainOf(sender);
  const { data } = useQuery({
    queryKey: ['domain', account.account_id, domain],
    enabled: direction === 'outbound' && UNDER_WAY.has(status),
    retry: false,
    queryFn: () =>
      read(
        api.GET('/v2/accounts/{account_id}/domains/{domain}', { params: { path: { ...account, domain } } }),
      ),
  });
  return data;
}

const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1);

function Timeline({ steps, domain }: { steps: readonly Step[]; domain: string }) {
  const [shown, show] = useState<Step['call']>();
  return (
    <>
      <ol className="relative flex flex-col gap-5 before:absolute before:inset-y-2 before:left-[3.500px] before:w-px before:bg-line">
        {steps.map(({ at, tone, title, meaning, said, facts, check, call }, index) => (
          <li key={index} className="relative pl-6">
            <span className="absolute top-1.5 left-0">
              <Dot tone={tone} />
            </span>
            <div className="flex flex-wrap items-baseline justify-between gap-x-4">
              <p className="font-medium">{title}</p>
              <p className="text-xs text-ink-3">
                <Time at={at} />
              </p>
            </div>
            {meaning && <p className="text-ink-2">{meaning}</p>}
            {facts && facts.length > 0 && (
              <div className="mt-1">
                <Facts rows={facts} />
              </div>
            )}
            {said && (
              <pre className="mt-1.5 rounded-md bg-sunken px-3 py-2 font-mono text-xs break-words whitespace-pre-wrap text-ink-2">
                {said}
              </pre>
            )}
            {call && (
              <button
                type="button"
                className="mt-1 text-sm text-accent hover:underline"
                onClick={() => show(call)}
              >
                {t.story.calls.show}
              </button>
            )}
            {check && (
              <p className="mt-1.5 text-sm">
                <Link
                  to="/domains/$domain"
                  params={{ domain }}
                  search={{ tab: 'doctor', check }}
                  className="text-accent hover:underline"
                >
                  {t.doctor.explains(t.doctor.names[check], domain)}
                </Link>
              </p>
            )}
          </li>
        ))}
      </ol>
      <Suspense>
        {shown && (
          <DeliveryModal endpointId={shown.endpoint_id} id={shown.id} onClose={() => show(undefined)} />
        )}
      </Suspense>
    </>
  );
}

function Actions({ message }: { message: Message }) {
  const account = useAccount();
  const path = { ...account, message_id: message.id };
  const changes = [['message'], ['messages']];
  const mayCancel = useCan('messages:cancel:all');
  const maySend = useCan('messages:send:all');
  const mayLift = useCan('suppressions:delete');
  const cancel = useAction(
    () => read(api.DELETE('/v2/accounts/{account_id}/messages/{message_id}/cancel', { params: { path } })),
    { changes, done: () => notify(t.message.canceled) },
  );
  const navigate = useNavigate();
  const again = useAction(
    () =>
      read(
        api.POST('/v2/accounts/{account_id}/messages', {
          params: { path: account, header: once() },
          body: copyOf(message),
        }),
      ),
    {
      changes: [['messages']],
      done: ({ data: [result] }) => {
        if (result?.error) notify(result.error, 'bad');
        else {
          notify(t.message.sentAgain);
          void navigate({ to: '/messages', search: { recipient: message.recipient } });
        }
      },
    },
  );
  const lift = useAction(
    () =>
      read(
        api.DELETE('/v2/accounts/{account_id}/suppressions', {
          params: { path: account, query: { email: message.recipient } },
        }),
      ),
    { changes: [['suppressions']], done: () => notify(t.suppressions.lifted(message.recipient)) },
  );
  const isWaiting =
    message.status === 'Scheduled' || (message.status === 'Received' && message.num_attempts === 0);
  return (
    <>
      {mayLift && message.status === 'Suppressed' && (
        <Button onClick={() => lift.mutate(undefined)} busy={lift.isPending}>
          {t.suppressions.lift}
        </Button>
      )}
      {maySend && message.direction === 'outbound' && message.content_parsed && (
        <Button icon="refresh" onClick={() => again.mutate(undefined)} busy={again.isPending}>
          {t.message.sendAgain}
        </Button>
      )}
      {mayCancel && message.direction === 'outbound' && isWaiting && (
        <Button look="danger" onClick={() => cancel.mutate(undefined)} busy={cancel.isPending}>
          {t.message.cancel}
        </Button>
      )}
    </>
  );
}

/** A new message of the same content to the same recipient. */
function copyOf({
  sender,
  recipient,
  subject,
  tags,
  content_parsed: parsed,
}: Message): Schemas['MessagesSendBody'] {
  const partOf = (type: string) =>
    parsed?.parts.find(({ content_type }) => content_type.startsWith(type))?.content;
  const [html, text] = [partOf('text/html'), partOf('text/plain')];
  return {
    from: { email: sender },
    recipients: [{ email: recipient }],
    subject,
    ...(text === undefined ? {} : { text_content: text }),
    ...(html === undefined ? {} : { html_content: html }),
    ...(tags.length > 0 ? { tags } : {}),
    attachments: (parsed?.attachments ?? []).map((one) => ({
      data: one.content,
      base64: true,
      content_type: one.content_type,
      file_name: one.filename || 'attachment',
      ...(one.content_id === '' ? {} : { content_id: `<${one.content_id}>` }),
    })),
  };
}
