import { useNavigate } from '@tanstack/react-router';
import { useRows } from '../api/pages';
import { Badge } from '../ui/badge';
import { Select } from '../ui/field';
import { Page } from '../ui/page';
import { RowsTable, type Column } from '../ui/rows-table';
import { Empty } from '../ui/states';
import { Time } from '../ui/times';
import { get, pathOf, to, useSearchText, type PageOf } from './api';
import { campaignTone, type Campaign } from './campaign';
import { w } from './words';

const COLUMNS: readonly Column<Campaign>[] = [
  {
    id: 'name',
    title: w.reviews.name,
    width: 'minmax(0,1.4fr)',
    cell: ({ name, subject }) => (
      <>
        <span className="font-medium">{name}</span> <span className="text-ink-3">{subject}</span>
      </>
    ),
  },
  {
    id: 'sender',
    title: w.reviews.sender,
    width: 'minmax(0,1fr)',
    wide: true,
    cell: ({ from_email }) => from_email,
  },
  {
    id: 'status',
    title: w.reviews.status,
    width: '10rem',
    cell: ({ status }) => <Badge tone={campaignTone(status)}>{status.replaceAll('_', ' ')}</Badge>,
  },
  {
    id: 'changed',
    title: w.reviews.changed,
    width: '6rem',
    end: true,
    wide: true,
    cell: ({ updated_at }) => <Time at={updated_at} ago />,
  },
];

export function CampaignsPage() {
  const navigate = useNavigate();
  const status = useSearchText('status') ?? 'waiting_for_review';
  const list = useRows<Campaign>(['campaigns', status], (after) =>
    get<PageOf<Campaign>>(
      pathOf('marketing/campaigns', { status: status === 'all' ? undefined : status, after }),
    ),
  );
  return (
    <Page title={w.nav.reviews} lead={w.reviews.lead}>
      <div className="mb-4 max-w-60">
        <Select
          bare
          label={w.reviews.status}
          options={w.reviews.statuses.map(([value, text]) => [value || 'all', text] as const)}
          value={status}
          onChange={(event) =>
            void navigate({ ...to('/campaigns'), search: { status: event.target.value } } as never)
          }
        />
      </div>
      <RowsTable
        label={w.nav.reviews}
        list={list}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        linkOf={({ id }) => to(`/campaigns/${id}`)}
        empty={<Empty title={w.reviews.none} />}
      />
    </Page>
  );
}
