import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Badge, type Tone } from '../ui/badge';
import { Page, Section } from '../ui/page';
import { SearchBox } from '../ui/search-box';
import { Loaded } from '../ui/states';
import { notify } from '../ui/toasts';
import { call, get, to } from './api';
import { accountLink, Act, At, Code, numberText, shortId, Table, type Column } from './parts';
import { w } from './words';

interface Cause {
  reply: string | null;
  remote_host: string | null;
  done: string | null;
  done_at: string | null;
  needs_operator: boolean;
}
interface Group extends Cause {
  group: string;
  provider: string | null;
  source: string | null;
  connections: number;
  connections_allowed: number;
  per_second: number;
  per_second_allowed: number | null;
  suspended_until: string | null;
  state: string;
  reason: string | null;
}
interface HeldSender extends Cause {
  group: string;
  source: string | null;
  scope: string;
  subject: string;
  suspended_until: string;
  reason: string;
}
interface Queue {
  deliveries: number;
  in_flight: number;
  due: number;
  suspended: number;
  destinations: { destination: string; deliveries: number; next_due_at: string | null }[];
  groups: Group[];
  suspensions: HeldSender[];
  suspended_accounts: {
    account_id: string;
    reason: string;
    deliveries: number;
    next_end_at: string | null;
  }[];
  waiting: {
    message_id: string;
    destination: string;
    state: string;
    attempts: number;
    due_at: string | null;
    reason: string;
    account_id: string;
  }[];
}

const REFRESH_MS = 10_000;
const KEY = ['queue'] as const;
const TONES: Record<string, Tone> = { suspended: 'bad', probing: 'warn', open: 'good' };

export function QueuesPage() {
  const query = useQuery({
    queryKey: KEY,
    queryFn: () => get<Queue>('delivery-worker/queue'),
    refetchInterval: REFRESH_MS,
  });
  return (
    <Page title={w.nav.queues} lead={w.queues.lead}>
      <Ask />
      <Loaded query={query}>{(queue) => <Queue of={queue} />}</Loaded>
    </Page>
  );
}

/** Opens the explanation of a provider or a domain. */
function Ask() {
  const navigate = useNavigate();
  const [text, setText] = useState('');
  const ask = (name: string) => name && void navigate(explained(name.toLowerCase()) as never);
  return (
    <SearchBox
      label={w.explain.ask}
      text={text}
      setText={setText}
      search={ask}
      className="mb-4 sm:max-w-md"
    />
  );
}

const explained = (name: string) => to(`/queues/${encodeURIComponent(name)}`);

const Account = ({ id }: { id: string }) => (
  <Link {...to(accountLink(id))} className="font-mono text-xs text-accent hover:underline">
    {shortId(id)}
  </Link>
);

function Why({ reason, cause }: { reason: string | null; cause: Cause }) {
  return (
    <div className="min-w-56">
      {reason && <p>{reason}</p>}
      {cause.done && (
        <p className="text-ink-2">
          {cause.done} <At at={cause.done_at} />
        </p>
      )}
      {cause.reply && (
        <p className="text-ink-3">
          <Code>{cause.reply}</Code> {cause.remote_host}
        </p>
      )}
      {!reason && !cause.done && !cause.reply && <span className="text-ink-3">–</span>}
    </div>
  );
}

const GROUPS: readonly Column<Group>[] = [
  {
    title: w.queues.provider,
    cell: ({ group, provider, source }) => (
      <>
        {provider === null ? (
          <span className="font-medium">{group}</span>
        ) : (
          <Link {...explained(provider)} className="font-medium text-accent hover:underline">
            {provider}
          </Link>
        )}
        <span className="block text-xs text-ink-3">{[group, source].filter(Boolean).join(' · ')}</span>
      </>
    ),
  },
  {
    title: w.queues.state,
    cell: ({ state }) => <Badge tone={TONES[state] ?? 'plain'}>{w.queues.states[state] ?? state}</Badge>,
  },
  {
    title: w.queues.connections,
    end: true,
    cell: (one) => w.queues.of(one.connections, one.connections_allowed),
  },
  {
    title: w.queues.rate,
    end: true,
    cell: (one) => w.queues.of(one.per_second, one.per_second_allowed),
  },
  { title: w.queues.why, cell: (one) => <Why reason={one.reason} cause={one} /> },
  {
    title: w.queues.until,
    cell: ({ group, suspended_until }) =>
      suspended_until === null ? (
        <At at={null} />
      ) : (
        <div className="flex flex-col items-start gap-2">
          <At at={suspended_until} />
          <Act
            label={w.queues.resume}
            run={() => call('POST', `delivery-worker/queue/groups/${encodeURIComponent(group)}/resume`)}
            changes={[KEY]}
            done={() => notify(w.queues.resumed(group))}
          />
        </div>
      ),
  },
];

function Queue({ of: queue }: { of: Queue }) {
  return (
    <>
      <Section title={w.queues.totals}>
        <dl className="grid grid-cols-2 gap-3 sm:grid-cols-4">
          {(
            [
              [w.queues.all, queue.deliveries],
              [w.queues.due, queue.due],
              [w.queues.inFlight, queue.in_flight],
              [w.queues.suspended, queue.suspended],
            ] as const
          ).map(([name, value]) => (
            <div key={name} className="panel flex flex-col-reverse px-4 py-3">
              <dt className="text-xs text-ink-3">{name}</dt>
              <dd className="text-xl font-semibold">{numberText(value)}</dd>
            </div>
          ))}
        </dl>
      </Section>
      <Section title={w.queues.providers} lead={w.queues.providersText}>
        <Table
          label={w.queues.providers}
          rows={queue.groups}
          columns={GROUPS}
          keyOf={({ group, source }) => `${group} ${source}`}
          empty={w.queues.noProviders}
        />
      </Section>
      <Section title={w.queues.senders} lead={w.queues.sendersText}>
        <Table
          label={w.queues.senders}
          rows={queue.suspensions}
          keyOf={({ group, source, subject, scope }) => [group, source, scope, subject].join(' ')}
          empty={w.queues.noSenders}
          columns={[
            { title: w.queues.sender, cell: ({ subject }) => <Code>{subject}</Code> },
            { title: w.queues.provider, cell: ({ group }) => group },
            { title: w.queues.why, cell: (one) => <Why reason={one.reason} cause={one} /> },
            { title: w.queues.until, cell: ({ suspended_until }) => <At at={suspended_until} /> },
          ]}
        />
      </Section>
      <Section title={w.queues.accounts}>
        <Table
          label={w.queues.accounts}
          rows={queue.suspended_accounts}
          keyOf={({ account_id, reason }) => account_id + reason}
          empty={w.queues.noAccounts}
          columns={[
            { title: w.account, cell: ({ account_id }) => <Account id={account_id} /> },
            { title: w.queues.deliveries, end: true, cell: ({ deliveries }) => numberText(deliveries) },
            { title: w.reason, cell: ({ reason }) => reason },
            { title: w.queues.until, cell: ({ next_end_at }) => <At at={next_end_at} /> },
          ]}
        />
      </Section>
      <Section title={w.queues.destinations}>
        <Table
          label={w.queues.destinations}
          rows={queue.destinations}
          keyOf={({ destination }) => destination}
          empty={w.queues.nothing}
          columns={[
            {
              title: w.queues.destination,
              cell: ({ destination }) => (
                <Link {...explained(destination)} className="text-accent hover:underline">
                  {destination}
                </Link>
              ),
            },
            { title: w.queues.deliveries, end: true, cell: ({ deliveries }) => numberText(deliveries) },
            { title: w.queues.next, cell: ({ next_due_at }) => <At at={next_due_at} /> },
          ]}
        />
      </Section>
      <Section title={w.queues.waiting}>
        <Table
          label={w.queues.waiting}
          rows={queue.waiting}
          keyOf={({ message_id }) => message_id}
          empty={w.queues.nothing}
          columns={[
            { title: w.queues.next, cell: ({ due_at }) => <At at={due_at} /> },
            { title: w.queues.destination, cell: ({ destination }) => destination },
            { title: w.reason, cell: ({ reason }) => <div className="min-w-56">{reason}</div> },
            { title: w.queues.attempts, end: true, cell: ({ attempts }) => attempts },
            { title: w.account, cell: ({ account_id }) => <Account id={account_id} /> },
          ]}
        />
      </Section>
    </>
  );
}
