import { callConsole } from '../api/client';
import { useRows } from '../api/pages';
import { useAccount } from '../api/session';
import { RowsTable, type Column } from '../ui/rows-table';
import { Empty } from '../ui/states';
import { Time } from '../ui/times';
import { t } from '../words/words';

interface Entry {
  id: string;
  created_at: string;
  actor: string;
  action: string;
  target?: string | null;
}

const COLUMNS: readonly Column<Entry>[] = [
  { id: 'time', title: t.audit.time, width: '10rem', cell: ({ created_at }) => <Time at={created_at} /> },
  { id: 'actor', title: t.audit.actor, width: 'minmax(0,1fr)', cell: ({ actor }) => actor },
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
    cell: ({ target }) => target ?? '',
  },
];

export function Audit() {
  const { account_id } = useAccount();
  const list = useRows<Entry>(['audit', account_id], (after) =>
    callConsole(`/audit${after === undefined ? '' : `?after=${encodeURIComponent(after)}`}`),
  );
  return (
    <RowsTable
      label={t.audit.title}
      list={list}
      columns={COLUMNS}
      keyOf={({ id }) => id}
      empty={<Empty title={t.audit.none} />}
    />
  );
}
