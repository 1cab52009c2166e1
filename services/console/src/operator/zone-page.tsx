import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useRows } from '../api/pages';
import { Badge, type Tone } from '../ui/badge';
import { Select } from '../ui/field';
import { Facts, Page, Section } from '../ui/page';
import { RowsTable, type Column } from '../ui/rows-table';
import { SearchBox } from '../ui/search-box';
import { Empty, Loaded } from '../ui/states';
import { Time } from '../ui/times';
import { notify } from '../ui/toasts';
import { call, get, pathOf, to, useSearchText, type PageOf } from './api';
import { Act, At, Code, numberText, Table, Wide } from './parts';
import { w } from './words';

interface Publication {
  driver: 'dynamic-update' | 'pulled';
  zone: string;
  waiting: number;
  to_withdraw: number;
  problem: string | null;
  failing_since: string | null;
  next_at: string | null;
}
interface SystemDomain {
  domain: string;
  dns_valid: boolean;
  last_dns_check_at: string | null;
  dns_records: { type: string; host: string; content: string; required: boolean; propagated: boolean }[];
}
interface Rotation {
  id: string;
  account_id: string;
  domain: string;
  dns_valid: boolean;
  state: string;
  troubled: boolean;
  reason: string | null;
  bits: number;
  key_since: string;
  due_at: string;
  next_at: string;
}

const REFRESH_MS = 15_000;
const ZONE = ['zone'] as const;

/** The zone of the installation with the DKIM keys of managed domains, and how far their rotation is. */
export default function ZonePage() {
  return (
    <Page title={w.nav.zone} lead={w.zone.lead}>
      <Zone />
      <Keys />
      <OwnDomain />
    </Page>
  );
}

function Zone() {
  const query = useQuery({
    queryKey: ZONE,
    queryFn: () => get<Publication>('domains/zone/publication'),
    refetchInterval: REFRESH_MS,
  });
  const republish = async () => {
    const { waiting } = await call<{ waiting: number }>('POST', 'domains/zone/republish');
    notify(w.zone.republished(waiting));
  };
  const isWritten = query.data?.driver === 'dynamic-update';
  return (
    <Section
      title={w.zone.publication}
      actions={
        isWritten && <Act label={w.zone.republish} run={republish} changes={[ZONE]} done={() => undefined} />
      }
    >
      <Loaded query={query}>
        {(zone) => (
          <div className="panel p-4">
            <Facts
              rows={[
                [
                  w.zone.state,
                  <Badge key="state" tone={zone.problem === null ? 'good' : 'bad'}>
                    {zone.problem !== null ? w.zone.failing : isWritten ? w.zone.written : w.zone.pulled}
                  </Badge>,
                ],
                [w.zone.name, <Code key="zone">{zone.zone}</Code>],
                !isWritten && [w.zone.how, w.zone.pulledText],
                zone.problem !== null && [
                  w.zone.problem,
                  <span key="problem" className="text-bad">
                    {zone.problem}
                  </span>,
                ],
                zone.failing_since !== null && [
                  w.zone.failingSince,
                  <At key="since" at={zone.failing_since} />,
                ],
                zone.next_at !== null && [w.zone.next, <At key="next" at={zone.next_at} />],
                isWritten && [w.zone.waiting, numberText(zone.waiting)],
                [w.zone.toWithdraw, numberText(zone.to_withdraw)],
              ]}
            />
          </div>
        )}
      </Loaded>
    </Section>
  );
}

const TONES: Record<string, Tone> = {
  due: 'warn',
  publishing: 'accent',
  verified: 'accent',
  switched: 'good',
};

const RotationBadge = ({ of: { state, troubled } }: { of: Pick<Rotation, 'state' | 'troubled'> }) => (
  <Badge tone={troubled ? 'bad' : (TONES[state] ?? 'plain')}>{w.zone.states[state] ?? state}</Badge>
);

const COLUMNS: readonly Column<Rotation>[] = [
  {
    id: 'domain',
    title: w.zone.domain,
    width: 'minmax(0,1.2fr)',
    cell: ({ domain }) => <span className="font-medium">{domain}</span>,
  },
  { id: 'state', title: w.zone.state, width: '7.500rem', cell: (one) => <RotationBadge of={one} /> },
  {
    id: 'reason',
    title: w.reason,
    width: 'minmax(0,1.6fr)',
    wide: true,
    cell: ({ reason }) => <span title={reason ?? ''}>{reason}</span>,
  },
  { id: 'bits', title: w.zone.bits, width: '4rem', wide: true, end: true, cell: ({ bits }) => bits },
  {
    id: 'due',
    title: w.zone.due,
    width: '6.500rem',
    end: true,
    cell: ({ due_at }) => <Time at={due_at} ago />,
  },
];

const onPhone = (one: Rotation) => (
  <>
    <span className="flex items-center justify-between gap-2">
      <span className="min-w-0 truncate font-medium">{one.domain}</span>
      <RotationBadge of={one} />
    </span>
    <span className="block truncate text-xs text-ink-3">{one.reason}</span>
  </>
);

function Keys() {
  const state = useSearchText('state') ?? 'troubled';
  const search = useSearchText('search');
  const counts = useQuery({
    queryKey: [...ZONE, 'counts'],
    queryFn: () => get<Record<string, number>>('domains/dkim-rotations/counts'),
    refetchInterval: REFRESH_MS,
  });
  const list = useRows<Rotation>([...ZONE, 'keys', state, search], (after) => {
    const filter = state === 'troubled' ? { troubled: 'true' } : state === 'all' ? {} : { state };
    return get<PageOf<Rotation>>(pathOf('domains/dkim-rotations', { ...filter, search, after }));
  });
  return (
    <Section title={w.zone.keys} lead={w.zone.keysText}>
      <Filters state={state} search={search ?? ''} counts={counts.data ?? {}} />
      <RowsTable
        label={w.zone.keys}
        list={list}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        phone={onPhone}
        linkOf={({ domain }) => to(`/zone/${encodeURIComponent(domain)}`)}
        empty={
          <Empty title={state === 'troubled' && search === undefined ? w.zone.noTrouble : w.zone.none} />
        }
      />
    </Section>
  );
}

function Filters({
  state,
  search,
  counts,
}: {
  state: string;
  search: string;
  counts: Record<string, number>;
}) {
  const navigate = useNavigate();
  const [text, setText] = useState(search);
  const go = (next: { state?: string; search?: string }) =>
    void navigate({ ...to('/zone'), search: { state, search, ...next } } as never);
  const submit = (given: string) => go({ search: given });
  const total = Object.entries(counts).reduce((sum, [name, n]) => sum + (name === 'troubled' ? 0 : n), 0);
  const countOf = (name: string) => (name === 'all' ? total : (counts[name] ?? 0));
  return (
    <div className="mb-4 flex flex-wrap gap-3">
      <SearchBox
        label={w.zone.search}
        text={text}
        setText={setText}
        search={submit}
        className="min-w-0 flex-1 sm:max-w-md"
      />
      <Select
        bare
        label={w.zone.state}
        options={['troubled', ...Object.keys(w.zone.states), 'all'].map(
          (name) =>
            [name, `${w.zone.choices[name] ?? w.zone.states[name]} (${numberText(countOf(name))})`] as const,
        )}
        value={state}
        onChange={(event) => go({ state: event.target.value })}
      />
    </div>
  );
}

function OwnDomain() {
  const query = useQuery({
    queryKey: [...ZONE, 'own'],
    queryFn: () => get<SystemDomain>('domains/system-domain'),
  });
  return (
    <Section title={w.zone.own} lead={w.zone.ownText}>
      <Loaded query={query}>
        {({ domain, dns_valid: isValid, last_dns_check_at: checkedAt, dns_records: records }) => (
          <>
            <p className="mb-3 flex flex-wrap items-center gap-2">
              <span className="font-medium">{domain}</span>
              <Badge tone={isValid ? 'good' : checkedAt === null ? 'plain' : 'bad'}>
                {isValid ? w.zone.valid : checkedAt === null ? w.zone.notChecked : w.zone.invalid}
              </Badge>
              {checkedAt !== null && (
                <span className="text-xs text-ink-3">
                  {w.zone.checked} <At at={checkedAt} />
                </span>
              )}
            </p>
            <Table
              label={w.zone.own}
              rows={records}
              keyOf={({ type, host }) => `${type} ${host}`}
              empty={w.none}
              columns={[
                {
                  title: w.zone.state,
                  cell: ({ propagated, required }) => (
                    <Badge
                      tone={propagated ? 'good' : checkedAt === null ? 'plain' : required ? 'bad' : 'warn'}
                    >
                      {propagated ? w.zone.seen : checkedAt === null ? w.zone.notChecked : w.zone.notSeen}
                    </Badge>
                  ),
                },
                { title: w.zone.type, cell: ({ type }) => type },
                { title: w.zone.host, cell: ({ host }) => <Wide>{host}</Wide> },
                { title: w.zone.content, cell: ({ content }) => <Wide>{content}</Wide> },
              ]}
            />
          </>
        )}
      </Loaded>
    </Section>
  );
}
