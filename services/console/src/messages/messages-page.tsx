import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { back, read, type Schemas } from '../api/client';
import { useRows } from '../api/pages';
import { useAccount } from '../api/session';
import { Badge } from '../ui/badge';
import { Button, LinkButton } from '../ui/button';
import { Icon } from '../ui/icons';
import { Page } from '../ui/page';
import { RowsTable, type Column } from '../ui/rows-table';
import { SearchBox } from '../ui/search-box';
import { Curl, Empty } from '../ui/states';
import { Time } from '../ui/times';
import { t } from '../words/words';
import { FILTERS, filterOfText, queryOf, type MessageFilters } from './message-filters.rules';
import { toneOf } from './message-story.rules';

/** A message of a list of the API, or found in the console. */
export type Summary = Schemas['MessageSummary'] & { campaign_id?: string | null };

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
    cell: ({ subject, tags, campaign_id: campaignId }) => (
      <span className="flex items-center gap-2">
        <span className="min-w-0 truncate">{subject || t.messages.noSubject}</span>
        {campaignId && <Badge tone="accent">{t.messages.ofCampaign}</Badge>}
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

const FULL_ENOUGH = 30;
/** Pages that are read on without being asked for. */
const MAX_PAGES = 30;

/** A search stops at a bound, with few messages found or none: the page reads on while it has little to show. */
export function useSearched(filters: MessageFilters) {
  const account = useAccount();
  const [searched, setSearched] = useState<{ pages: number; until: string | null }>();
  const list = useRows<Summary>(
    ['messages', account.account_id, filters],
    async (after) => {
      const query = { ...queryOf(filters, Date.now()), ...(after === undefined ? {} : { after }) };
      const page = await read(back.GET('/console/api/messages', { params: { query } }));
      setSearched((before) => ({
        pages: after === undefined ? 1 : (before?.pages ?? 0) + 1,
        until: page.searched_until,
      }));
      return page;
    },
    { refreshMs: REFRESH_MS },
  );
  const readsOn =
    list.hasMore && list.rows.length < FULL_ENOUGH && searched !== undefined && searched.pages < MAX_PAGES;
  const { loadMore, isLoadingMore } = list;
  useEffect(() => {
    if (readsOn && !isLoadingMore) loadMore();
  }, [readsOn, isLoadingMore, loadMore]);
  return { ...list, readsOn, until: searched?.until ?? null };
}

/** How far back the search has come, and the way on. */
export function SearchFurther({ list }: { list: ReturnType<typeof useSearched> }) {
  if (!list.hasMore || list.until === null || list.rows.length >= FULL_ENOUGH) return null;
  return (
    <p role="status" className="mt-3 flex flex-wrap items-center gap-3 text-sm text-ink-2">
      <span>
        {t.messages.searchedUntil} <Time at={list.until} />
      </span>
      {!list.readsOn && (
        <Button busy={list.isLoadingMore} onClick={list.loadMore}>
          {t.messages.searchFurther}
        </Button>
      )}
    </p>
  );
}

export function MessagesPage() {
  const filters: MessageFilters = useSearch({ strict: false });
  const list = useSearched(filters);
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
        empty={
          list.hasMore ? (
            <SearchFurther list={list} />
          ) : isFiltered ? (
            <NothingFound filters={filters} />
          ) : (
            <NothingYet />
          )
        }
      />
      {list.rows.length > 0 && <SearchFurther list={list} />}
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
  const submit = (given: string) => {
    if (given === '') return;
    change(filterOfText(given));
    setText('');
  };
  const without = (name: keyof MessageFilters) => {
    const { [name]: _gone, ...rest } = filters;
    void navigate({ to: '/messages', search: rest });
  };
  return (
    <div className="mb-4 flex flex-col gap-2">
      <div className="flex flex-wrap gap-2">
        <SearchBox
          label={t.messages.search}
          text={text}
          setText={setText}
          search={submit}
          className="min-w-56 flex-1"
        />
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
          aria-label={t.messages.kind}
          value={filters.kind ?? ''}
          onChange={(event) => change({ kind: event.target.value })}
          className="field w-auto"
        >
          {t.messages.kinds.map(([value, label]) => (
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
        {(['recipient', 'address', 'sender', 'subject', 'tags'] as const).map((name) => {
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
