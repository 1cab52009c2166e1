import { Link, useNavigate } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
import { useAction, useRows } from '../api/pages';
import { Button } from '../ui/button';
import { CodeBlock, Value } from '../ui/copy';
import { Input } from '../ui/field';
import { Modal } from '../ui/modal';
import { Facts, Page, Section } from '../ui/page';
import { RowsTable, type Column } from '../ui/rows-table';
import { Empty } from '../ui/states';
import { Time } from '../ui/times';
import { get, pathOf, to, useSearchText, type PageOf } from './api';
import { accountLink, numberText, shortId } from './parts';
import { w } from './words';

interface Entry {
  id: string;
  at: string;
  actor: string;
  action: string;
  account_id: string | null;
  subject_id: string | null;
  details: Record<string, unknown>;
  seq: number | null;
}

const columnsOf = (show: (entry: Entry) => void): readonly Column<Entry>[] => [
  { id: 'time', title: w.audit.time, width: '10rem', cell: ({ at }) => <Time at={at} /> },
  {
    id: 'actor',
    title: w.audit.actor,
    width: 'minmax(0,1fr)',
    wide: true,
    cell: ({ actor }) => <span title={actor}>{actor}</span>,
  },
  {
    id: 'action',
    title: w.audit.action,
    width: 'minmax(0,1.4fr)',
    cell: (entry) => (
      <button type="button" className="block max-w-full truncate hover:underline" onClick={() => show(entry)}>
        <code className="font-mono text-xs">{entry.action}</code>
      </button>
    ),
  },
  {
    id: 'account',
    title: w.account,
    width: '6rem',
    wide: true,
    cell: ({ account_id: id }) =>
      id !== null && (
        <Link {...to(accountLink(id))} className="font-mono text-xs text-accent hover:underline">
          {shortId(id)}
        </Link>
      ),
  },
  {
    id: 'details',
    title: w.audit.details,
    width: 'minmax(0,1.6fr)',
    wide: true,
    cell: ({ details }) => (
      <span className="text-ink-2" title={JSON.stringify(details, null, 1)}>
        {JSON.stringify(details)}
      </span>
    ),
  },
  {
    id: 'seq',
    title: w.audit.seq,
    width: '4.500rem',
    wide: true,
    end: true,
    cell: ({ seq }) => (seq === null ? w.audit.waitsShort : numberText(seq)),
  },
];

const FILTERS = ['account', 'actor', 'action'] as const;
type Filters = Partial<Record<(typeof FILTERS)[number], string>>;

/** The audit of all accounts, and whether its chain is whole. */
export default function AuditPage() {
  const filters: Filters = {
    account: useSearchText('account'),
    actor: useSearchText('actor'),
    action: useSearchText('action'),
  };
  const { account, actor, action } = filters;
  const [shown, show] = useState<Entry>();
  const list = useRows<Entry>(['audit', account, actor, action], async (after) => {
    const query = { account_id: account, actor, action, after };
    return get<PageOf<Entry>>(pathOf('accounts/audit', query));
  });
  return (
    <Page title={w.nav.audit} lead={w.audit.lead}>
      <Chain />
      <Section title={w.audit.entries}>
        <FilterForm key={[account, actor, action].join(' ')} filters={filters} />
        <RowsTable
          label={w.audit.entries}
          list={list}
          columns={columnsOf(show)}
          keyOf={({ id }) => id}
          empty={<Empty title={w.audit.none} />}
        />
      </Section>
      {shown && <Shown of={shown} onClose={() => show(undefined)} />}
    </Page>
  );
}

const Shown = ({ of: entry, onClose }: { of: Entry; onClose: () => void }) => (
  <Modal title={entry.action} wide onClose={onClose}>
    <div className="flex flex-col gap-4">
      <Facts
        rows={[
          [w.audit.time, <Time key="time" at={entry.at} />],
          [w.audit.actor, entry.actor],
          entry.account_id !== null && [w.account, <Value key="account" text={entry.account_id} />],
          entry.subject_id !== null && [w.audit.subject, <Value key="subject" text={entry.subject_id} />],
          [w.audit.seq, entry.seq === null ? w.audit.waiting : numberText(entry.seq)],
        ]}
      />
      <CodeBlock label={w.audit.details} text={JSON.stringify(entry.details, null, 2)} />
    </div>
  </Modal>
);

function FilterForm({ filters }: { filters: Filters }) {
  const navigate = useNavigate();
  const [given, setGiven] = useState(filters);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const search = Object.fromEntries(FILTERS.map((name) => [name, given[name]?.trim()]));
    void navigate({ ...to('/audit'), search } as never);
  };
  return (
    <form role="search" onSubmit={submit} className="mb-4 grid gap-3 sm:grid-cols-[2fr_1fr_1fr_auto]">
      {FILTERS.map((name) => (
        <Input
          key={name}
          bare
          type="search"
          label={w.audit.filters[name]}
          placeholder={w.audit.filters[name]}
          value={given[name] ?? ''}
          onChange={(event) => setGiven({ ...given, [name]: event.target.value })}
        />
      ))}
      <Button type="submit" icon="search">
        {w.audit.filter}
      </Button>
    </form>
  );
}

interface ChainReport {
  seq: number;
  hash: string;
  waiting: number;
  problem: string | null;
  next: number | null;
}

/** Parts of a chain until its end or its first fault. */
async function verify(noted: string, progress: (entries: number) => void): Promise<ChainReport> {
  let after: string | undefined;
  for (;;) {
    const part = await get<ChainReport>(pathOf('accounts/audit/chain', { after, noted: noted.trim() }));
    progress(part.seq);
    if (part.next === null || String(part.next) === after) return part;
    after = String(part.next);
  }
}

function Chain() {
  const [noted, setNoted] = useState('');
  const [entries, setEntries] = useState(0);
  const check = useAction((end: string) => verify(end, setEntries), { quiet: true });
  const report = check.data;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setEntries(0);
    check.mutate(noted);
  };
  return (
    <Section title={w.audit.chain} lead={w.audit.chainText}>
      <form onSubmit={submit} className="panel flex flex-col gap-4 p-4">
        <div className="flex flex-wrap items-start gap-3">
          <div className="min-w-0 flex-1 basis-72">
            <Input
              label={w.audit.noted}
              hint={w.audit.notedHint}
              pattern="\d{1,15}:[0-9a-f]{64}"
              title={w.audit.notedHint}
              value={noted}
              onChange={(event) => setNoted(event.target.value)}
              error={check.error?.message}
            />
          </div>
          <Button type="submit" look="primary" busy={check.isPending} className="sm:mt-6">
            {w.audit.verify}
          </Button>
        </div>
        <div role="status" className="empty:hidden">
          {check.isPending && <p className="text-sm text-ink-2">{w.audit.verifying(entries)}</p>}
          {report && !check.isPending && (
            <>
              <p
                className={`mb-3 rounded-md px-4 py-3 font-medium ${report.problem === null ? 'bg-good-soft text-good' : 'bg-bad-soft text-bad'}`}
              >
                {report.problem === null ? w.audit.whole(report.seq) : w.audit.broken(report.problem)}
              </p>
              <Facts
                rows={[
                  [
                    report.problem === null ? w.audit.end : w.audit.lastGood,
                    <Value key="end" text={`${report.seq}:${report.hash}`} />,
                  ],
                  [w.audit.waiting, numberText(report.waiting)],
                ]}
              />
            </>
          )}
        </div>
      </form>
    </Section>
  );
}
