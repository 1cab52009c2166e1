import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
import { api, read, type Schemas } from '../api/client';
import { useRows } from '../api/pages';
import { useAccount } from '../api/session';
import { Badge } from '../ui/badge';
import { Button, LinkButton } from '../ui/button';
import { Icon } from '../ui/icons';
import { Page } from '../ui/page';
import { RowsTable, type Column } from '../ui/rows-table';
import { Curl, Empty } from '../ui/states';
import { Time } from '../ui/times';
import { t } from '../words/words';
import { FILTERS, filterOfText, queryOf, type MessageFilters } from './message-filters.rules';
import { toneOf } from './message-story.rules';

export type Summary = Schemas['MessageSummary'];

const REFRESH_MS = 5_000;

export const COLUMNS: readonly Column<Summary>[] = [
  {
    id: 'status',
    title: t.messages.status,
    width: '7rem',
    cell: ({ status }) => <Badge tone={toneOf(status)}>{status}</Badge>,
  },
  {
    id: 'recipient',
    title: t.messages.recipient,
    width: 'minmax(0,1.2fr)',
    cell: ({ recipient }) => <span className="font-medium">{recipient}</span>,
  },
  {
    id: 'subject',
    title: t.messages.subject,
    width: 'minmax(0,1.6fr)',
    cell: ({ subject, tags }) => (
      <span className="flex items-center gap-2">
        <span className="min-w-0 truncate">{subject || t.messages.noSubject}</span>
        {tags.slice(0, 2).map((tag) => (
          <Badge key={tag}>{tag}</Badge>
        ))}
      </span>
    ),
  },
  {
    id: 'sender',
    title: t.messages.sender,
    width: 'minmax(0,1fr)',
    wide: true,
    cell: ({ sender, direction }) => (
      <span className="text-ink-2">
        {direction === 'inbound' && <span className="sr-only">{t.messages.inbound} </span>}
        {sender}
      </span>
    ),
  },
  {
    id: 'time',
    title: t.messages.time,
    width: '6.500rem',
    end: true,
    cell: ({ created_at }) => (
      <span className="text-ink-3">
        <Time at={created_at} ago />
      </span>
    ),
  },
];

export const onPhone = ({ status, recipient, subject, created_at }: Summary) => (
  <>
    <span className="flex items-center justify-between gap-2">
      <span className="min-w-0 truncate font-medium">{recipient}</span>
      <Badge tone={toneOf(status)}>{status}</Badge>
    </span>
    <span className="flex items-center justify-between gap-2 text-xs text-ink-3">
      <span className="min-w-0 truncate">{subject || t.messages.noSubject}</span>
      <Time at={created_at} ago />
    </span>
  </>
);

export const linkOfMessage = ({ id }: Summary) =>
  ({ to: '/messages/$messageId', params: { messageId: id } }) as const;

const SAMPLE = {
  from: { email: 'hello@your-domain' },
  recipients: [{ email: 'ann@mail.test' }],
  subject: 'Hello',
  text_content: 'The first message.',
};

export function MessagesPage() {
  const account = useAccount();
  const filters: MessageFilters = useSearch({ strict: false });
  const list = useRows<Summary>(
    ['messages', account.account_id, filters],
    (after) => {
      const query = { ...queryOf(filters, Date.now()), ...(after === undefined ? {} : { after }) };
      return read(api.GET('/v2/accounts/{account_id}/messages', { params: { path: account, query } }));
    },
    { refreshMs: REFRESH_MS },
  );
  const isFiltered = FILTERS.some((name) => filters[name] !== undefined);
  return (
    <Page title={t.messages.title} lead={t.messages.lead}>
      <Filters filters={filters} />
      <RowsTable
        label={t.messages.title}
        list={list}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        linkOf={linkOfMessage}
        phone={onPhone}
        curl={<Curl path="/messages" />}
        empty={isFiltered ? <NothingFound filters={filters} /> : <NothingYet />}
      />
    </Page>
  );
}

function NothingFound({ filters }: { filters: MessageFilters }) {
  return (
    <Empty
      title={t.messages.nothingFound}
      action={
        <>
          <LinkButton to="/messages">{t.messages.showAll}</LinkButton>
          {filters.recipient && (
            <LinkButton to="/about/$address" params={{ address: filters.recipient }}>
              {t.command.about(filters.recipient)}
            </LinkButton>
          )}
        </>
      }
    >
      {t.messages.nothingFoundText}
    </Empty>
  );
}

const NothingYet = () => (
  <Empty
    title={t.messages.nothingYet}
    action={
      <>
        <LinkButton to="/domains" look="primary">
          {t.domains.add}
        </LinkButton>
        <LinkButton to="/developers">{t.developers.createKey}</LinkButton>
      </>
    }
    curl={<Curl method="POST" path="/messages" body={SAMPLE} />}
  >
    {t.messages.nothingYetText}
  </Empty>
);

function Filters({ filters }: { filters: MessageFilters }) {
  const navigate = useNavigate();
  const [text, setText] = useState('');
  const change = (next: MessageFilters) =>
    void navigate({ to: '/messages', search: { ...filters, ...next } });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() === '') return;
    change(filterOfText(text));
    setText('');
  };
  const without = (name: keyof MessageFilters) => {
    const { [name]: _gone, ...rest } = filters;
    void navigate({ to: '/messages', search: rest });
  };
  return (
    <div className="mb-4 flex flex-col gap-2">
      <div className="flex flex-wrap gap-2">
        <form role="search" onSubmit={submit} className="relative min-w-56 flex-1">
          <Icon name="search" className="absolute top-2 left-2.5 text-ink-3" />
          <input
            type="search"
            aria-label={t.messages.search}
            placeholder={t.messages.search}
            value={text}
            onChange={(event) => setText(event.target.value)}
            spellCheck={false}
            className="field pl-8"
          />
        </form>
        <select
          aria-label={t.messages.status}
          value={filters.status ?? ''}
          onChange={(event) => change({ status: event.target.value })}
          className="field w-auto"
        >
          <option value="">{t.messages.anyStatus}</option>
          {t.messages.statuses.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
        <select
          aria-label={t.messages.period}
          value={filters.hours ?? ''}
          onChange={(event) => change({ hours: event.target.value })}
          className="field w-auto"
        >
          <option value="">{t.messages.anyTime}</option>
          {t.messages.periods.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </div>
      <ul className="flex flex-wrap gap-1.5 empty:hidden" aria-label={t.messages.filters}>
        {(['recipient', 'sender', 'subject', 'tags'] as const).map((name) => {
          const value = filters[name];
          return (
            value !== undefined && (
              <li key={name}>
                <Button
                  look="plain"
                  className="min-h-7 px-2"
                  onClick={() => without(name)}
                  aria-label={t.messages.dropFilter(t.messages.names[name], value)}
                >
                  <span className="text-ink-3">{t.messages.names[name]}</span>
                  {value}
                  <Icon name="close" className="text-ink-3" />
                </Button>
              </li>
            )
          );
        })}
      </ul>
    </div>
  );
}
