import { useQuery } from '@tanstack/react-query';
import { Page, Section } from '../ui/page';
import { Loaded } from '../ui/states';
import { notify } from '../ui/toasts';
import { call, get } from './api';
import { Act, At, numberText, Table } from './parts';
import { w } from './words';

interface Counts {
  waiting: number;
  active: number;
  delayed: number;
  failed: number;
}
interface FailedRun {
  job: string;
  id: string;
  reason: string;
  failedAt: string;
}

const KEY = ['jobs'] as const;
const REFRESH_MS = 15_000;

export function JobsPage() {
  const query = useQuery({
    queryKey: KEY,
    queryFn: async () => {
      const [{ queues }, { failed }] = await Promise.all([
        get<{ queues: Record<string, Counts> }>('jobs'),
        get<{ failed: FailedRun[] }>('jobs/failed'),
      ]);
      return { queues, failed };
    },
    refetchInterval: REFRESH_MS,
  });
  const retry = async () => {
    const { retried } = await call<{ retried: number }>('POST', 'jobs/retry');
    notify(w.jobs.retried(retried));
  };
  return (
    <Page
      title={w.nav.jobs}
      lead={w.jobs.lead}
      actions={
        query.data &&
        query.data.failed.length > 0 && (
          <Act label={w.jobs.retry} run={retry} changes={[KEY]} done={() => undefined} primary />
        )
      }
    >
      <Loaded query={query}>
        {({ queues, failed }) => (
          <>
            <Section title={w.jobs.failedRuns}>
              <Table
                label={w.jobs.failedRuns}
                rows={failed}
                keyOf={({ job, id }) => `${job} ${id}`}
                empty={w.jobs.none}
                columns={[
                  { title: w.jobs.job, cell: ({ job }) => <span className="font-medium">{job}</span> },
                  { title: w.jobs.at, cell: ({ failedAt }) => <At at={failedAt} /> },
                  {
                    title: w.reason,
                    cell: ({ reason }) => <div className="min-w-56 break-words text-bad">{reason}</div>,
                  },
                ]}
              />
            </Section>
            <Section title={w.nav.jobs}>
              <Table
                label={w.nav.jobs}
                rows={Object.entries(queues).toSorted(([a], [b]) => a.localeCompare(b))}
                keyOf={([job]) => job}
                empty={w.none}
                columns={[
                  { title: w.jobs.job, cell: ([job]) => job },
                  ...(['waiting', 'active', 'delayed', 'failed'] as const).map((state) => ({
                    title: w.jobs[state],
                    end: true,
                    cell: ([, counts]: [string, Counts]) => numberText(counts[state]),
                  })),
                ]}
              />
            </Section>
          </>
        )}
      </Loaded>
    </Page>
  );
}
