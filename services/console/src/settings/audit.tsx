import { back, read, type ConsoleSchemas } from '../api/client';
import { useRows } from '../api/pages';
import { useAccount } from '../api/session';
import { RowsTable, type Column } from '../ui/rows-table';
import { Empty } from '../ui/states';
import { Time } from '../ui/times';
import { t } from '../words/words';

type Entry = ConsoleSchemas['AuditEntry'];

const ACTORS: Record<Entry['actor']['type'], string> = t.audit.actors;

const COLUMNS: readonly Column<Entry>[] = [
  { id: 'time', title: t.audit.time, width: '10rem', cell: ({ created_at }) => <Time at={created_at} /> },
  { id: 'actor', title: t.audit.actor, width: 'minmax(0,1fr)', cell: ({ actor }) => actorText(actor) },
  {
    id: 'action',
    title: t.audit.action,
    width: 'minmax(0,1fr)',
    cell: ({ action }) => <code className="font-mono text-xs">{action}</code>,
  },
  {
    id: 'target',
    title: t.audit.target,
    width: 'minmax(0,1fr)',
    wide: true,
    cell: ({ subject_id: id, details }) => (
      <span className="block truncate" title={JSON.stringify(details)}>
        {detailsText(details) || <code className="font-mono text-xs">{id}</code>}
      </span>
    ),
  },
];

const onPhone = ({ action, actor, created_at }: Entry) => (
  <>
    <code className="block truncate font-mono text-xs">{action}</code>
    <span className="flex items-center justify-between gap-2 text-xs text-ink-3">
      <span className="min-w-0 truncate">{actorText(actor)}</span>
      <span className="shrink-0">
        <Time at={created_at} />
      </span>
    </span>
  </>
);

function actorText({ type, id, name }: Entry['actor']): string {
  if (type === 'operator' || type === 'system') return ACTORS[type];
  const known = name ?? id ?? '';
  return type === 'member' ? known : `${ACTORS[type]} ${known}`;
}

/** Values that a person reads in a line; the whole is in the title. */
const detailsText = (details: Entry['details']): string =>
  Object.entries(details)
    .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
    .map(([name, value]) => `${name}: ${String(value)}`)
    .join(', ');

export function Audit() {
  const { account_id } = useAccount();
  const list = useRows<Entry>(['audit', account_id], (after) =>
    read(back.GET('/console/api/audit', { params: { query: after === undefined ? {} : { after } } })),
  );
  return (
    <RowsTable
      label={t.audit.title}
      list={list}
      columns={COLUMNS}
      keyOf={({ id }) => id}
      phone={onPhone}
      empty={<Empty title={t.audit.none} />}
    />
  );
}
