import { useQuery } from '@tanstack/react-query';
import { Facts, Page, Section } from '../ui/page';
import { Empty, Loaded } from '../ui/states';
import { get, to, useParam } from './api';
import { At, Code, numberText, Table } from './parts';
import { w } from './words';

interface Source {
  source: string | null;
  ceiling: string;
  per_second: number;
  connections: number;
  set_by: string;
  reply: string | null;
  reply_at: string | null;
  raised_by: string;
}
interface Group {
  group: string;
  sources: Source[];
  per_second: number;
  per_second_allowed: number;
  due: number;
  in_flight: number;
  later: number;
  accounts: number;
  empties_at: string | null;
  latest_at: string | null;
}
interface Explanation {
  notice?: string;
  groups: Group[];
}

const REFRESH_MS = 10_000;

/** Why mail to a provider or a domain is not faster. */
export function ExplainPage() {
  const name = useParam('name');
  const query = useQuery({
    queryKey: ['queue', 'explain', name],
    queryFn: () => get<Explanation>(`delivery-worker/explanations/${encodeURIComponent(name)}`),
    refetchInterval: REFRESH_MS,
  });
  return (
    <Page title={name} back={{ ...to('/queues'), label: w.nav.queues }} lead={w.explain.lead}>
      <Loaded query={query}>
        {({ notice, groups }) => (
          <>
            {notice && groups.length > 0 && <p className="mb-4 text-sm text-ink-3">{notice}</p>}
            {groups.length === 0 && <Empty title={w.explain.nothing}>{notice}</Empty>}
            {groups.map((group) => (
              <OfGroup key={group.group} of={group} />
            ))}
          </>
        )}
      </Loaded>
    </Page>
  );
}

function OfGroup({ of: group }: { of: Group }) {
  const { due, in_flight: inFlight, later, accounts, empties_at: end, latest_at: latest } = group;
  const isEmpty = due + inFlight + later === 0;
  return (
    <Section title={group.group}>
      <div className="panel mb-4 p-4">
        <Facts
          rows={[
            [w.explain.ceiling, w.explain.perSecond(group.per_second_allowed)],
            [w.explain.now, w.explain.perSecond(group.per_second)],
            [w.explain.queued, w.explain.queue({ due, inFlight, later })],
            accounts > 1 && [w.explain.accounts, w.explain.turns(accounts)],
            [
              w.explain.empty,
              isEmpty ? (
                w.explain.isEmpty
              ) : end === null ? (
                w.explain.notForeseen
              ) : (
                <End at={end} latest={latest} />
              ),
            ],
          ]}
        />
      </div>
      <Table
        label={w.explain.sources}
        rows={group.sources}
        keyOf={({ source }) => source ?? ''}
        empty={w.none}
        columns={[
          { title: w.explain.source, cell: ({ source }) => source ?? w.explain.only },
          { title: w.queues.rate, end: true, cell: (one) => numberText(one.per_second) },
          { title: w.queues.connections, end: true, cell: (one) => numberText(one.connections) },
          { title: w.explain.setBy, cell: (one) => <SetBy of={one} /> },
          { title: w.explain.raisedBy, cell: (one) => <div className="min-w-56">{one.raised_by}</div> },
        ]}
      />
    </Section>
  );
}

function SetBy({ of: { set_by: words, reply, reply_at: at } }: { of: Source }) {
  return (
    <div className="min-w-56">
      <p>{words}</p>
      {reply && (
        <p className="text-ink-3">
          <Code>{reply}</Code> <At at={at} />
        </p>
      )}
    </div>
  );
}

function End({ at, latest }: { at: string; latest: string | null }) {
  return (
    <>
      <At at={at} />
      {latest !== null && latest !== at && (
        <span className="text-ink-3">
          , {w.explain.latest} <At at={latest} />
        </span>
      )}
    </>
  );
}
