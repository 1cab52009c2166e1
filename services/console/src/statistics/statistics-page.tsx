import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useMemo, type FormEvent } from 'react';
import { api, read, type Schemas } from '../api/client';
import { useAccount } from '../api/session';
import { Button } from '../ui/button';
import { Input, Select } from '../ui/field';
import { Page, Section } from '../ui/page';
import { saveCsv } from '../ui/save-csv';
import { Curl, Empty, Loaded, Skeleton } from '../ui/states';
import { dateTimeText, durationText, useZone } from '../ui/times';
import { t } from '../words/words';
import { COUNTS, shareText, totalsOf } from './deliverability.rules';
import { FiguresTable } from './figures-table';
import { Groups } from './groups';
import { useBounces, useDeliverability, useDeliveryTimes, type Narrowed } from './queries';

const LineChart = lazy(() => import('../charts/line-chart'));

type Bucket = Schemas['DeliverabilityBucket'];

const DEFAULT_DAYS = '30';

export function StatisticsPage() {
  const { days = DEFAULT_DAYS, domain, tag } = useSearch({ strict: false });
  const narrowed = { days: Number(days) || Number(DEFAULT_DAYS), domain, tag };
  const deliverability = useDeliverability(narrowed);
  return (
    <Page
      title={t.statistics.title}
      lead={t.statistics.lead}
      actions={<Narrow days={days} domain={domain ?? ''} tag={tag ?? ''} />}
    >
      <Section
        title={t.statistics.deliverability}
        actions={deliverability.data && <Export buckets={deliverability.data.data} />}
      >
        <Loaded query={deliverability}>{({ data }) => <Deliverability buckets={data} />}</Loaded>
      </Section>
      <div className="mt-8 grid gap-8 lg:grid-cols-2">
        <Section title={t.statistics.bounces} lead={t.statistics.bouncesText}>
          <Bounces narrowed={{ ...narrowed, enabled: !deliverability.isPending }} />
        </Section>
        <Section title={t.statistics.times} lead={t.statistics.timesText}>
          <Times narrowed={{ ...narrowed, enabled: !deliverability.isPending }} />
        </Section>
      </div>
      <Groups narrowed={narrowed} />
    </Page>
  );
}

function Narrow({ days, domain, tag }: { days: string; domain: string; tag: string }) {
  const account = useAccount();
  const navigate = useNavigate();
  const domains = useQuery({
    queryKey: ['domains', account.account_id, 'names'],
    queryFn: () => read(api.GET('/v2/accounts/{account_id}/domains', { params: { path: account } })),
  });
  const change = (changed: { days?: string; domain?: string; tag?: string }) => {
    const wanted = Object.entries({ days, domain, tag, ...changed }).filter(([, value]) => value !== '');
    void navigate({ to: '/statistics', search: Object.fromEntries(wanted), replace: true });
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    change({ tag: String(new FormData(event.currentTarget).get('tag')).trim() });
  };
  return (
    <>
      <form onSubmit={submit}>
        <Input
          key={tag}
          label={t.statistics.tag}
          bare
          name="tag"
          placeholder={t.statistics.tag}
          defaultValue={tag}
          spellCheck={false}
          className="w-32"
        />
      </form>
      <Select
        label={t.messages.period}
        bare
        className="w-auto"
        options={t.statistics.periods}
        value={days}
        onChange={(event) => change({ days: event.target.value })}
      />
      <Select
        label={t.suppressions.domain}
        bare
        className="w-auto"
        options={[
          ['', t.statistics.allDomains],
          ...(domains.data?.data ?? []).map(({ domain: name }) => [name, name] as const),
        ]}
        value={domain}
        onChange={(event) => change({ domain: event.target.value })}
      />
    </>
  );
}

function Deliverability({ buckets }: { buckets: readonly Bucket[] }) {
  const totals = useMemo(() => totalsOf(buckets), [buckets]);
  const times = useMemo(() => buckets.map(({ from_timestamp }) => from_timestamp), [buckets]);
  const series = useMemo(
    () => [
      {
        label: t.statistics.columns.delivered_count,
        color: 'good',
        values: buckets.map((one) => one.delivered_count),
      },
      {
        label: t.statistics.columns.deferred_count,
        color: 'warn',
        values: buckets.map((one) => one.deferred_count),
      },
      {
        label: t.statistics.columns.bounced_count,
        color: 'bad',
        values: buckets.map((one) => one.bounced_count),
      },
    ],
    [buckets],
  );
  if (totals.reception_count === 0 && totals.delivered_count === 0)
    return (
      <Empty title={t.statistics.nothing} curl={<Curl path="/statistics/transactional/deliverability" />}>
        {t.statistics.nothingText}
      </Empty>
    );
  return (
    <>
      <dl className="panel mb-4 grid grid-cols-2 gap-px overflow-hidden bg-line sm:grid-cols-4">
        {COUNTS.map((name) => (
          <div key={name} className="bg-surface px-4 py-3">
            <dt className="text-xs text-ink-3">{t.statistics.columns[name]}</dt>
            <dd className="text-lg font-semibold">{totals[name].toLocaleString('en')}</dd>
            {name !== 'reception_count' && (
              <dd className="text-xs text-ink-3">
                {shareText(
                  totals[name],
                  name.startsWith('opened') || name.startsWith('clicked')
                    ? totals.delivered_count
                    : totals.reception_count,
                )}
              </dd>
            )}
          </div>
        ))}
      </dl>
      <div className="panel p-4">
        <Suspense fallback={<Skeleton rows={5} />}>
          <LineChart times={times} series={series} label={t.statistics.deliverability} />
        </Suspense>
      </div>
      <Figures buckets={buckets} />
    </>
  );
}

const COLUMNS = COUNTS.map((name) => ({
  title: t.statistics.columns[name],
  cell: (bucket: Bucket) => bucket[name].toLocaleString('en'),
}));

function Figures({ buckets }: { buckets: readonly Bucket[] }) {
  const of = useZone();
  return (
    <details className="mt-2">
      <summary className="text-xs text-ink-3 hover:text-ink">{t.statistics.asTable}</summary>
      <FiguresTable
        label={t.statistics.asTable}
        head={t.statistics.from}
        columns={COLUMNS}
        rows={buckets}
        keyOf={({ from_timestamp: from }) => from}
        nameOf={({ from_timestamp: from }) => dateTimeText(from, of, { seconds: false })}
      />
    </details>
  );
}

function Export({ buckets }: { buckets: readonly Bucket[] }) {
  const run = () =>
    saveCsv('deliverability.csv', [
      ['from_timestamp', 'to_timestamp', ...COUNTS],
      ...buckets.map((one) => [
        one.from_timestamp,
        one.to_timestamp,
        ...COUNTS.map((name) => String(one[name])),
      ]),
    ]);
  return <Button onClick={run}>{t.exportCsv}</Button>;
}

/** Names and counts, the largest first, with a bar for each. */
function Bars({
  rows,
  text,
}: {
  rows: readonly (readonly [name: string, value: number])[];
  text: (value: number) => string;
}) {
  const most = Math.max(1, ...rows.map(([, value]) => value));
  return (
    <ul className="panel divide-y divide-line">
      {rows.map(([name, value]) => (
        <li key={name} className="relative flex justify-between gap-4 px-4 py-2">
          <span
            aria-hidden="true"
            className="absolute inset-y-1 left-1 rounded-sm bg-sunken"
            style={{ width: `calc(${(100 * value) / most}% - 8px)` }}
          />
          <span className="relative min-w-0 truncate">{name}</span>
          <span className="relative">{text(value)}</span>
        </li>
      ))}
    </ul>
  );
}

const MOST_BARS = 15;

function Bounces({ narrowed }: { narrowed: Narrowed }) {
  const query = useBounces(narrowed);
  return (
    <Loaded query={query}>
      {({ data }) => {
        const counts = new Map<string, number>();
        for (const { classification, count } of data.flatMap(({ bounces }) => bounces))
          counts.set(classification, (counts.get(classification) ?? 0) + count);
        const rows = [...counts].toSorted(([, a], [, b]) => b - a);
        if (rows.length === 0) return <p className="panel px-4 py-3 text-ink-2">{t.statistics.noBounces}</p>;
        return <Bars rows={rows.slice(0, MOST_BARS)} text={(value) => value.toLocaleString('en')} />;
      }}
    </Loaded>
  );
}

function Times({ narrowed }: { narrowed: Narrowed }) {
  const query = useDeliveryTimes(narrowed);
  return (
    <Loaded query={query}>
      {({ data }) => {
        const sums = new Map<string, { seconds: number; count: number }>();
        for (const { recipient_domain: domain, delivery_time, count } of data.flatMap(
          ({ delivery_times: all }) => all,
        )) {
          const sum = sums.get(domain) ?? { seconds: 0, count: 0 };
          sums.set(domain, { seconds: sum.seconds + delivery_time * count, count: sum.count + count });
        }
        const rows = [...sums]
          .toSorted(([, a], [, b]) => b.count - a.count)
          .map(([domain, { seconds, count }]) => [domain, count === 0 ? 0 : seconds / count] as const);
        if (rows.length === 0) return <p className="panel px-4 py-3 text-ink-2">{t.statistics.nothing}</p>;
        return <Bars rows={rows.slice(0, MOST_BARS)} text={durationText} />;
      }}
    </Loaded>
  );
}
