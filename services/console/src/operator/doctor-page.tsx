import { useQuery } from '@tanstack/react-query';
import { Badge } from '../ui/badge';
import { Page } from '../ui/page';
import { Loaded } from '../ui/states';
import { get } from './api';
import { Table } from './parts';
import { w } from './words';

interface Doctor {
  ok: boolean;
  checks: { check: string; ok: boolean; detail: string }[];
}

const REFRESH_MS = 15_000;

export function DoctorPage() {
  const query = useQuery({
    queryKey: ['doctor'],
    queryFn: () => get<Doctor>('doctor'),
    refetchInterval: REFRESH_MS,
  });
  return (
    <Page title={w.nav.doctor} lead={w.doctor.lead}>
      <Loaded query={query}>
        {({ ok, checks }) => (
          <>
            <p
              role="status"
              className={`mb-4 rounded-md px-4 py-3 font-medium ${ok ? 'bg-good-soft text-good' : 'bg-bad-soft text-bad'}`}
            >
              {ok ? w.doctor.good : w.doctor.bad(checks.filter((one) => !one.ok).length)}
            </p>
            <Table
              label={w.doctor.checks}
              rows={checks.toSorted((a, b) => Number(a.ok) - Number(b.ok))}
              keyOf={({ check }) => check}
              empty={w.none}
              columns={[
                {
                  title: w.doctor.state,
                  cell: (one) => (
                    <Badge tone={one.ok ? 'good' : 'bad'}>{one.ok ? w.doctor.ok : w.doctor.failed}</Badge>
                  ),
                },
                { title: w.doctor.check, cell: ({ check }) => <span className="font-medium">{check}</span> },
                {
                  title: w.doctor.detail,
                  cell: ({ detail }) => <span className="text-ink-2">{detail}</span>,
                },
              ]}
            />
          </>
        )}
      </Loaded>
    </Page>
  );
}
