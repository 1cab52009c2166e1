import { useQuery } from '@tanstack/react-query';
import { Link, type LinkProps } from '@tanstack/react-router';
import { useState } from 'react';
import { api, back, Problem as Failure, read, type ConsoleSchemas } from '../api/client';
import { pollMs } from '../api/live';
import { useAccount, useCan, useSession } from '../api/session';
import { linkOfMessage } from '../messages/messages-page';
import { toneOf } from '../messages/message-story.rules';
import { shareText } from '../statistics/deliverability.rules';
import { Badge } from '../ui/badge';
import { LinkButton } from '../ui/button';
import { Icon } from '../ui/icons';
import { Page, Section } from '../ui/page';
import { Failed, Loaded, Skeleton } from '../ui/states';
import { dateTimeText, Time, useZone } from '../ui/times';
import { t } from '../words/words';
import { healthOf } from '../webhooks/webhook-events';

const REFRESH_MS = 15_000;

/** The facts of the account that this page shows, in one go. */
function useOverview() {
  const account = useAccount();
  const params = { path: account };
  return useQuery({
    queryKey: ['overview', account.account_id],
    refetchInterval: () => pollMs(REFRESH_MS),
    queryFn: async () => {
      const messages = (query: { status?: string; limit: number }) =>
        read(api.GET('/v2/accounts/{account_id}/messages', { params: { ...params, query } }));
      // a role may not read everything: what it may not is left out
      const orNone = <T,>(call: Promise<{ data: T[] }>): Promise<T[]> =>
        call.then(
          ({ data }) => data,
          (error: unknown) => {
            if (error instanceof Failure && error.status === 403) return [];
            throw error;
          },
        );
      const [domains, keys, webhooks, campaigns, latest, delivered, failed, sending, falls] =
        await Promise.all([
          orNone(read(api.GET('/v2/accounts/{account_id}/domains', { params }))),
          orNone(read(api.GET('/v2/accounts/{account_id}/api-keys', { params }))),
          orNone(read(api.GET('/v2/accounts/{account_id}/webhooks', { params }))),
          orNone(
            read(
              api.GET('/v2/accounts/{account_id}/campaigns', {
                params: { ...params, query: { status: ['waiting_for_review', 'paused', 'failed'] } },
              }),
            ),
          ),
          orNone(messages({ limit: 1 })),
          orNone(messages({ limit: 1, status: 'Delivered' })),
          orNone(messages({ limit: 6, status: 'Bounced,Failed,Suppressed' })),
          read(back.GET('/console/api/sending-state')),
          orNone(read(back.GET('/console/api/alignment-falls'))),
        ]);
      return { domains, keys, webhooks, campaigns, latest, delivered, failed, sending, falls };
    },
  });
}

type Overview = NonNullable<ReturnType<typeof useOverview>['data']>;

export function HomePage() {
  const { account, member } = useSession();
  const setsUp = useCan('domains:write');
  const readsFigures = useCan('statistics-transactional:read:all');
  const query = useOverview();
  return (
    <Page title={account.name} lead={t.home.lead(member.name || member.email)}>
      <Loaded query={query}>
        {(overview) => (
          <>
            {setsUp && overview.delivered.length === 0 && <Checklist overview={overview} />}
            <Problems overview={overview} />
            {readsFigures && <Figures />}
            {overview.failed.length > 0 && <LastFailures overview={overview} />}
          </>
        )}
      </Loaded>
    </Page>
  );
}

/** Until the first delivery: what is done, and the one next step. */
function Checklist({ overview: { domains, keys, webhooks, latest } }: { overview: Overview }) {
  const first = domains[0]?.domain;
  const toDomain: LinkProps =
    first === undefined ? { to: '/domains' } : { to: '/domains/$domain', params: { domain: first } };
  const steps: { done: boolean; text: readonly [string, string]; link: LinkProps; isOptional?: boolean }[] = [
    { done: domains.length > 0, text: t.home.steps.domain, link: { to: '/domains' } },
    { done: domains.some(({ dns_valid }) => dns_valid), text: t.home.steps.dns, link: toDomain },
    { done: keys.length > 0, text: t.home.steps.key, link: { to: '/developers' } },
    {
      done: latest.length > 0,
      text: t.home.steps.message,
      link: { to: '/developers', search: { tab: 'start' } },
    },
    { done: webhooks.length > 0, text: t.home.steps.webhook, link: { to: '/webhooks' }, isOptional: true },
  ];
  const next = steps.findIndex(({ done }) => !done);
  return (
    <Section title={t.home.setUp} lead={t.home.setUpText}>
      <ol className="panel divide-y divide-line">
        {steps.map(({ done, text: [title, hint], link, isOptional }, index) => (
          <li key={title} className="flex items-center gap-4 px-4 py-3">
            <span
              aria-hidden="true"
              className={`flex size-6 shrink-0 items-center justify-center rounded-full text-xs font-semibold ${done ? 'bg-good-soft text-good' : index === next ? 'bg-ink text-canvas' : 'bg-sunken text-ink-3'}`}
            >
              {done ? <Icon name="check" /> : index + 1}
            </span>
            <div className="min-w-0 flex-1">
              <p className={done ? 'text-ink-3 line-through decoration-ink-3/50' : 'font-medium'}>
                {title} {isOptional && <span className="font-normal text-ink-3">({t.domains.optional})</span>}
                {done && <span className="sr-only">{t.home.done}</span>}
              </p>
              {!done && <p className="text-sm text-ink-2">{hint}</p>}
            </div>
            {!done && (
              <LinkButton {...link} look={index === next ? 'primary' : 'plain'}>
                {t.home.go}
              </LinkButton>
            )}
          </li>
        ))}
      </ol>
    </Section>
  );
}

interface Problem {
  readonly key: string;
  readonly text: string;
  readonly link: LinkProps;
}

/** From this share of a credit on, its end is near. */
const NEARLY_USED = 0.8;

/** Obstacles of the mail of the account, now or soon. */
function sendingProblems(
  { suspended, credits, waits }: ConsoleSchemas['SendingState'],
  timeText: (time: string) => string,
): Problem[] {
  const toSettings = { to: '/settings' } as const;
  return [
    ...(suspended ? [{ key: 'account', text: t.home.accountSuspended, link: toSettings }] : []),
    ...credits
      .filter(({ used, limit }) => used >= limit * NEARLY_USED)
      .map(({ used, limit, pool, until }) => ({
        key: `credit ${pool}`,
        text: t.home.credit(used, limit, pool, timeText(until)),
        link: toSettings,
      })),
    ...waits.map(({ kind, by, messages, share, destinations, since, until, per_second: pace, reason }) => {
      const domains = destinations.join(', ');
      const waiting = t.home.waiting(messages, share);
      const sinceText = since === null ? '' : t.home.since(timeText(since));
      return {
        key: reason,
        text:
          until === null
            ? t.home.providerSlow(by, waiting, domains, sinceText, pace ?? 0)
            : t.home[kind === 'warming' ? 'warming' : 'providerSuspended'](
                by,
                waiting,
                domains,
                sinceText,
                timeText(until),
              ),
        link: {
          to: '/messages',
          search: { status: 'Received,Deferred', address: `@${destinations[0] ?? ''}` },
        } as const,
      };
    }),
  ];
}

/** Only what needs a person, each with its way to the place where it is set right. */
function Problems({ overview: { domains, webhooks, campaigns, sending, falls } }: { overview: Overview }) {
  const of = useZone();
  const problems: Problem[] = [
    ...sendingProblems(sending, (time) => dateTimeText(time, of, { seconds: false })),
    ...domains
      .filter(
        ({ paused, dns_valid, last_dns_check_at: checked }) => paused || (!dns_valid && checked !== null),
      )
      .map(({ domain, paused }) => ({
        key: `domain ${domain}`,
        text: paused ? t.home.domainPaused(domain) : t.home.domainBroken(domain),
        link: { to: '/domains/$domain', params: { domain } } as const,
      })),
    ...falls.map(({ domain, share }) => ({
      key: `alignment ${domain}`,
      text: t.home.alignmentFell(domain, shareText(share, 1)),
      link: { to: '/domains/$domain', params: { domain }, search: { tab: 'reports' } } as const,
    })),
    ...webhooks
      .filter((webhook) => ['bad', 'warn'].includes(healthOf(webhook).tone))
      .map((webhook) => ({
        key: `webhook ${webhook.id}`,
        text: t.home.webhook(webhook.name, healthOf(webhook).label),
        link: { to: '/webhooks/$webhookId', params: { webhookId: webhook.id } } as const,
      })),
    ...campaigns.map(({ id, name, status }) => ({
      key: `campaign ${id}`,
      text: t.home.campaign(name, t.campaigns.states[status]),
      link: { to: '/campaigns/$campaignId', params: { campaignId: id } } as const,
    })),
  ];
  if (problems.length === 0) return null;
  return (
    <Section title={t.home.needsYou}>
      <ul className="panel divide-y divide-line">
        {problems.map(({ key, text, link }) => (
          <li key={key}>
            <Link {...link} className="flex items-center gap-3 px-4 py-2.5 hover:bg-sunken">
              <Icon name="warning" className="shrink-0 text-warn" />
              <span className="flex-1">{text}</span>
              <Icon name="right" className="text-ink-3" />
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  );
}

const SHOWN = [
  ['reception_count', undefined],
  ['delivered_count', 'Delivered'],
  ['deferred_count', 'Deferred'],
  ['bounced_count', 'Bounced'],
  ['failed_count', 'Failed'],
  ['complaint_count', null],
] as const;

/** All mail of the account, campaigns included, in one request. */
function Figures() {
  const account = useAccount();
  const [hours, setHours] = useState(24);
  const { data, error, refetch } = useQuery({
    queryKey: ['overview', account.account_id, 'figures'],
    queryFn: () => read(back.GET('/console/api/statistics')),
    refetchInterval: () => pollMs(REFRESH_MS),
  });
  const period = data?.periods.find((one) => one.hours === hours);
  if (data && data.periods.every(({ reception_count: accepted }) => accepted === 0)) return null;
  return (
    <Section
      title={t.home.figures}
      lead={t.home.figuresText}
      actions={
        <div
          role="group"
          aria-label={t.messages.period}
          className="flex rounded-md border border-line bg-surface p-0.5"
        >
          {t.home.periods.map(([value, label]) => (
            <button
              key={value}
              type="button"
              aria-pressed={hours === value}
              onClick={() => setHours(value)}
              className={`rounded-sm px-2.5 py-0.5 text-xs font-medium ${hours === value ? 'bg-sunken' : 'text-ink-3 hover:text-ink'}`}
            >
              {label}
            </button>
          ))}
        </div>
      }
    >
      {error && !period && <Failed error={error} retry={() => void refetch()} />}
      {!error && !period && <Skeleton rows={2} />}
      {period && (
        <ul className="panel grid grid-cols-2 gap-px overflow-hidden bg-line sm:grid-cols-3 lg:grid-cols-6">
          {SHOWN.map(([name, status]) => (
            <li key={name} className="bg-surface">
              <Link
                {...(status === null
                  ? ({ to: '/suppressions' } as const)
                  : ({
                      to: '/messages',
                      search: { hours: String(hours), ...(status === undefined ? {} : { status }) },
                    } as const))}
                className="block px-4 py-3 hover:bg-sunken"
              >
                <span className="block text-xs text-ink-3">{t.home.columns[name]}</span>
                <span className="block text-xl font-semibold tracking-tight">
                  {period[name].toLocaleString('en')}
                </span>
                <span className="block text-xs text-ink-3">
                  {name === 'reception_count'
                    ? t.home.accepted
                    : shareText(period[name], period.reception_count)}
                </span>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

const LastFailures = ({ overview: { failed } }: { overview: Overview }) => (
  <Section
    title={t.home.lastFailures}
    lead={t.home.lastFailuresText}
    actions={
      <LinkButton look="quiet" to="/messages" search={{ status: 'Bounced,Failed,Suppressed' }}>
        {t.home.all}
      </LinkButton>
    }
  >
    <ul className="panel divide-y divide-line">
      {failed.map((message) => (
        <li key={message.id}>
          <Link
            {...linkOfMessage(message)}
            className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2 hover:bg-sunken"
          >
            <Badge tone={toneOf(message.status)}>{message.status}</Badge>
            <span className="min-w-0 flex-1 truncate">
              <span className="font-medium">{message.recipient}</span>{' '}
              <span className="text-ink-3">{message.bounce_classification}</span>
            </span>
            <span className="text-xs text-ink-3">
              <Time at={message.created_at} ago />
            </span>
          </Link>
        </li>
      ))}
    </ul>
  </Section>
);
