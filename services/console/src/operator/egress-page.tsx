import { useQuery } from '@tanstack/react-query';
import { Badge } from '../ui/badge';
import { Page, Section } from '../ui/page';
import { Loaded } from '../ui/states';
import { notify } from '../ui/toasts';
import { call, get } from './api';
import { EGRESS, type Pool, type Relay, type Rule, type Source } from './egress';
import { PoolForm, RelayForm, RuleForm, SourceForm } from './egress-forms';
import { Act, Code, numberText, Table, type Column } from './parts';
import { w } from './words';

interface Budget {
  source: string;
  provider: string;
  stage: number;
  a_day: number | null;
  an_hour: number | null;
  used_today: number;
  used_this_hour: number;
  deferred: number;
  complaints: number;
}
interface Ways {
  pools: Pool[];
  sources: Source[];
  relays: Relay[];
  rules: Rule[];
  budgets: Budget[];
}

const REFRESH_MS = 15_000;

/** Pools with their sources and relays, the rules that give mail to them, and the budgets of new addresses. */
export default function EgressPage() {
  const query = useQuery({
    queryKey: EGRESS,
    queryFn: () => get<Ways>('delivery-worker/egress/ways'),
    refetchInterval: REFRESH_MS,
  });
  return (
    <Page title={w.nav.egress} lead={w.egress.lead}>
      <Loaded query={query}>{(ways) => <Shown of={ways} />}</Loaded>
    </Page>
  );
}

const Remove = ({ path }: { path: string }) => (
  <Act
    label={w.egress.remove}
    run={() => call('DELETE', `delivery-worker/egress/${path}`)}
    changes={[EGRESS]}
    done={() => notify(w.egress.changed)}
  />
);

const idColumn: Column<{ id: string }> = { title: w.egress.id, cell: ({ id }) => <b>{id}</b> };
const poolColumn: Column<{ pool: string }> = { title: w.egress.pool, cell: ({ pool }) => pool };

function Shown({ of: { pools, sources, relays, rules, budgets } }: { of: Ways }) {
  const names = pools.map(({ id }) => id);
  return (
    <>
      <Section title={w.egress.pools} lead={w.egress.poolsText} actions={<PoolForm />}>
        <Table
          label={w.egress.pools}
          rows={pools}
          keyOf={({ id }) => id}
          empty={w.none}
          columns={[
            idColumn,
            { title: w.egress.order, cell: ({ order }) => w.egress.orders[order] ?? order },
            { title: w.egress.whenBlocked, cell: (one) => w.egress.choices[one.when_blocked] },
            { title: w.egress.overBudget, cell: (one) => w.egress.choices[one.over_budget] },
            {
              title: '',
              end: true,
              cell: (pool) => (
                <span className="inline-flex gap-2">
                  <PoolForm of={pool} />
                  {pool.id !== 'default' && <Remove path={`pools/${pool.id}`} />}
                </span>
              ),
            },
          ]}
        />
      </Section>
      <Section title={w.egress.sources} lead={w.egress.sourcesText} actions={<SourceForm pools={names} />}>
        <Table
          label={w.egress.sources}
          rows={sources}
          keyOf={({ id }) => id}
          empty={w.egress.noSources}
          columns={[
            idColumn,
            poolColumn,
            { title: w.egress.address, cell: ({ address }) => <Code>{address}</Code> },
            { title: w.egress.ehlo, cell: ({ ehlo }) => <Code>{ehlo}</Code> },
            { title: w.egress.state, cell: (source) => <States of={source} /> },
            {
              title: '',
              end: true,
              cell: (source) => (
                <span className="inline-flex gap-2">
                  <SourceForm pools={names} of={source} />
                  <Remove path={`sources/${source.id}`} />
                </span>
              ),
            },
          ]}
        />
      </Section>
      <Section title={w.egress.budgets} lead={w.egress.budgetsText}>
        <Budgets of={budgets} />
      </Section>
      <Section title={w.egress.relays} lead={w.egress.relaysText} actions={<RelayForm pools={names} />}>
        <Table
          label={w.egress.relays}
          rows={relays}
          keyOf={({ id }) => id}
          empty={w.egress.noRelays}
          columns={[
            idColumn,
            poolColumn,
            { title: w.egress.place, cell: ({ place }) => numberText(place), end: true },
            { title: w.egress.host, cell: ({ host, port }) => <Code>{`${host}:${port}`}</Code> },
            { title: w.egress.tls, cell: ({ tls }) => w.egress.tlsWays[tls] ?? tls },
            { title: w.egress.user, cell: ({ user }) => user ?? w.none },
            {
              title: '',
              end: true,
              cell: (relay) => (
                <span className="inline-flex gap-2">
                  <RelayForm pools={names} of={relay} />
                  <Remove path={`relays/${relay.id}`} />
                </span>
              ),
            },
          ]}
        />
      </Section>
      <Section title={w.egress.rules} lead={w.egress.rulesText} actions={<RuleForm pools={names} />}>
        <Table
          label={w.egress.rules}
          rows={rules}
          keyOf={({ id }) => id}
          empty={w.egress.noRules}
          columns={[
            idColumn,
            { title: w.egress.place, cell: ({ place }) => numberText(place), end: true },
            { title: w.egress.conditions, cell: (rule) => conditionsOf(rule) },
            poolColumn,
            {
              title: '',
              end: true,
              cell: (rule) => (
                <span className="inline-flex gap-2">
                  <RuleForm pools={names} of={rule} />
                  <Remove path={`rules/${rule.id}`} />
                </span>
              ),
            },
          ]}
        />
      </Section>
    </>
  );
}

const States = ({ of: { here, answered, in_spf, ptr, warm_up } }: { of: Source }) => (
  <span className="inline-flex flex-wrap gap-1">
    <Badge tone={here ? 'good' : 'warn'}>{here ? w.egress.here : w.egress.elsewhere}</Badge>
    {!answered && <Badge tone="bad">{w.egress.closed}</Badge>}
    {!in_spf && <Badge tone="bad">{w.egress.notInSpf}</Badge>}
    {ptr !== null && !ptr.ok && <Badge tone="bad">{w.egress.ptr(ptr.detail)}</Badge>}
    {warm_up && <Badge tone="plain">{w.egress.warmUp}</Badge>}
  </span>
);

const Budgets = ({ of: budgets }: { of: Budget[] }) => (
  <Table
    label={w.egress.budgets}
    rows={budgets}
    keyOf={({ source, provider }) => `${source} ${provider}`}
    empty={w.egress.noBudgets}
    columns={[
      { title: w.egress.source, cell: ({ source }) => source },
      { title: w.egress.provider, cell: ({ provider }) => <Code>{provider}</Code> },
      { title: w.egress.stage, cell: ({ stage }) => numberText(stage), end: true },
      { title: w.egress.today, cell: (one) => w.egress.used(one.used_today, one.a_day), end: true },
      { title: w.egress.thisHour, cell: (one) => w.egress.used(one.used_this_hour, one.an_hour), end: true },
      { title: w.egress.deferred, cell: ({ deferred }) => numberText(deferred), end: true },
      { title: w.egress.complaints, cell: ({ complaints }) => numberText(complaints), end: true },
    ]}
  />
);

const conditionsOf = ({ account_id, sending_domain, provider, stream, tag }: Rule): string =>
  [
    account_id && `${w.account} ${account_id}`,
    sending_domain && `${w.egress.domain} ${sending_domain}`,
    provider && `${w.egress.provider} ${provider}`,
    stream && `${w.egress.stream} ${w.egress.streams[stream]}`,
    tag && `${w.egress.tag} ${tag}`,
  ]
    .filter(Boolean)
    .join(', ');
