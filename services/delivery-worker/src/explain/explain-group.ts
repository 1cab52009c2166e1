import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { SETTINGS } from '@postmesh/service-host';
import { SINGLE } from '@postmesh/work';
import type { Settings } from '@postmesh/settings';
import { providerOfGroup, RELAY_GROUP } from '../mx/group-key.rules.js';
import { DEFAULT_PROVIDER, type Providers } from '../shaping/providers.table.js';
import { SHAPING_PROVIDERS } from '../shaping/read-providers.js';
import { ShapingClock } from '../shaping/shaping-clock.js';
import { ShapingMemory } from '../shaping/shaping-memory.js';
import { raisedBy, setBy } from './explain-words.rules.js';
import { BudgetRows, type BudgetRow } from '../warm-up/budget-rows.js';
import { NOTHING, type BudgetAhead } from '../warm-up/budget-ahead.rules.js';
import { budgetKey, budgetOf, nextStage } from '../warm-up/warm-up.rules.js';
import { scheduleOf } from '../warm-up/warm-up.table.js';
import { relaysKey } from '../ways/ways.rules.js';
import { Ways } from '../ways/ways.js';
import { ceilingOf, endOf, sentUntilDone, type Queued, type SourceNow } from './forecast.rules.js';

// More rows are not counted: an answer in seconds is worth more than an exact number of millions.
const MAX_COUNTED = 500_000;
const MAX_LATER = 2_000;
const MAX_ACCOUNTS = 1_000;
/** Without a measurement: a usual time of a message, with its round trips. */
const USUAL_S = 0.5;
/** A pace that is used so far hides the time that a message needs. */
const PACED = 0.8;

interface UseRow {
  groupKey: string;
  source: string;
  connections: number;
  perSecond: number;
}

/** The ceiling of an MX group now, what set it, what is queued, when the queue is empty, and what would raise the ceiling. */
@Injectable()
export class ExplainGroup {
  constructor(
    private readonly dataSource: DataSource,
    private readonly memory: ShapingMemory,
    private readonly clock: ShapingClock,
    @Inject(SHAPING_PROVIDERS) private readonly providers: Providers,
    private readonly ways: Ways,
    private readonly budgets: BudgetRows,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** @param accountId whose mail is explained besides */
  async execute(groupKey: string, accountId?: string): Promise<object> {
    const now = this.clock.now();
    const ways = this.waysOf(groupKey);
    const [budgets, uses, [counted], later, accounts]: [
      ...[BudgetRow[], UseRow[], Counted[], Later[], AccountRow[]],
    ] = await Promise.all([
      this.budgets.ofProvider(budgetKey(groupKey)),
      this.dataSource.query(USES, [[...new Set(ways.map((way) => way.groupKey))]]),
      this.dataSource.query(COUNTED, [groupKey, new Date(now)]),
      this.dataSource.query(LATER, [groupKey, new Date(now)]),
      this.dataSource.query(ACCOUNTS, [groupKey, new Date(now)]),
    ]);
    const { due = 0, inFlight = 0, singles = 0 } = counted ?? {};
    const sources = ways.map((way) => ({ ...way, now: this.sourceNow(way, { uses, budgets }) }));
    const queued = {
      due: due + inFlight,
      singles,
      later: later.map(({ at, messages }) => ({ at: Math.max(now, Number(at)), messages })),
    };
    const perSecond = sources.reduce((sum, one) => sum + ceilingOf(one.now, now, singles).perSecond, 0);
    const running = sources.map((one) => one.now);
    return {
      group: groupKey,
      provider: providerOfGroup(groupKey) ?? null,
      sources: sources.map((one) => this.shown(one, { now, singles })),
      per_second: round(
        uses.filter((use) => use.groupKey === groupKey).reduce((sum, use) => sum + use.perSecond, 0),
      ),
      per_second_allowed: round(perSecond),
      due,
      in_flight: inFlight,
      later: later.reduce((sum, { messages }) => sum + messages, 0),
      ...shownEnd(queued, running, now),
      accounts: accounts.length,
      account:
        accountId === undefined
          ? null
          : accountShare(accountId, accounts, {
              running,
              perSecond,
              now,
              singles: singles / Math.max(1, due),
            }),
    };
  }

  /** Sources, and the relays that take what exceeds the budgets of new ones. */
  private waysOf(groupKey: string): Way[] {
    const { relayPools, sources } = this.ways;
    const relays = (pools: typeof relayPools) =>
      pools.map(({ id }) => ({ groupKey: RELAY_GROUP, id: relaysKey(id), name: `relays of ${id}` }));
    if (groupKey === RELAY_GROUP)
      return relays(relayPools).map(({ id, ...way }) => ({ ...way, id, name: id === '' ? null : id }));
    const direct = sources.map(({ id, warmUp }) => ({ groupKey, id, name: id === '' ? null : id, warmUp }));
    const spilled = relayPools.filter(
      ({ overBudget, sources: own }) => overBudget === 'move' && own.some(({ warmUp }) => warmUp === true),
    );
    return [...direct, ...relays(spilled)];
  }

  private sourceNow(
    { groupKey, id, warmUp }: Way,
    { uses, budgets }: { uses: readonly UseRow[]; budgets: readonly BudgetRow[] },
  ): SourceNow {
    const now = this.clock.now();
    const provider = this.memory.providerOf(groupKey);
    const state = this.memory.of(groupKey, id).state(now);
    const own = uses.find((use) => use.groupKey === groupKey && use.source === id);
    const { connections = 0, perSecond = 0 } = own ?? {};
    const measured = connections > 0 && perSecond > 0 ? connections / perSecond : undefined;
    const isPaced = state.rate !== null && perSecond >= PACED * state.rate;
    const budget =
      warmUp === true
        ? budgetAhead(
            groupKey,
            budgets.find(({ source }) => source === id),
          )
        : undefined;
    return {
      ...{ state, provider, perSecond, budget },
      mostConnections: this.settings.deliveryPerDestination * this.memory.workersAlive,
      messageSeconds: Math.min(measured ?? USUAL_S, isPaced ? USUAL_S : Number.POSITIVE_INFINITY),
    };
  }

  private shown(
    { groupKey, name, now: source }: Way & { now: SourceNow },
    { now, singles }: { now: number; singles: number },
  ): object {
    const ceiling = ceilingOf(source, now, singles);
    const known = this.providers.get(providerOfGroup(groupKey) ?? DEFAULT_PROVIDER);
    const row = groupKey === RELAY_GROUP ? undefined : (known ?? this.providers.get(DEFAULT_PROVIDER));
    const explained = { groupKey, source, ceiling, row, now, singles };
    const { cause } = source.state;
    return {
      source: name,
      ceiling: ceiling.by,
      per_second: round(ceiling.perSecond),
      connections: ceiling.connections,
      set_by: setBy(explained),
      reply:
        cause === null ? null : [cause.code || null, cause.enhanced, cause.text].filter(Boolean).join(' '),
      reply_at: cause === null ? null : new Date(cause.at).toISOString(),
      raised_by: raisedBy(explained),
    };
  }
}

/** A source towards the group, or the relays of a pool, whose limits are those of another group. */
interface Way {
  readonly groupKey: string;
  readonly id: string;
  /** for people; null: the only source */
  readonly name: string | null;
  readonly warmUp?: boolean | undefined;
}

/**
 * The budget as the next message finds it: the first one of a day moves the stage.
 * @param row none before the first message
 */
export function budgetAhead(groupKey: string, row: BudgetRow | undefined): BudgetAhead | undefined {
  const schedule = scheduleOf(budgetKey(groupKey));
  const isOver = row !== undefined && row.stageDay < row.today;
  const stage = row === undefined ? 0 : isOver ? nextStage(row, schedule) : row.stage;
  if (budgetOf(schedule, stage) === undefined) return undefined;
  const results = row === undefined || isOver ? { ...NOTHING, stage } : row;
  const { dayUsedToday = 0, hourUsedNow = 0 } = row ?? {};
  return {
    ...{ schedule, hourUsed: hourUsedNow, isSpent: false },
    results: { ...results, dayUsed: dayUsedToday },
  };
}

function shownEnd(queued: Queued, running: readonly SourceNow[], now: number) {
  const { emptyAt, latestAt } = endOf(queued, running, now);
  return { empties_at: timeOf(emptyAt), latest_at: timeOf(latestAt) };
}

/** Accounts take turns at a provider. */
function accountShare(
  id: string,
  accounts: readonly AccountRow[],
  about: { running: readonly SourceNow[]; perSecond: number; now: number; singles: number },
) {
  const { running, perSecond, now } = about;
  const due = accounts.find((account) => account.id === id)?.due ?? 0;
  const others = accounts.filter((account) => account.id !== id).map((account) => account.due);
  const until = due === 0 ? 0 : sentUntilDone(due, others);
  // singles are the same part of each account, as far as this knows
  const queued = { due: until, singles: until * about.singles, later: [] };
  const share = due === 0 ? 0 : 1 / (others.length + 1);
  return {
    id,
    due,
    share: round(share),
    per_second: round(perSecond * share),
    ...shownEnd(queued, running, now),
  };
}

const round = (value: number): number => Math.round(value * 100) / 100;
const timeOf = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());

interface Counted {
  due: number;
  singles: number;
  inFlight: number;
}
interface Later {
  at: string;
  messages: number;
}
interface AccountRow {
  id: string;
  due: number;
}

const USES = `
  select group_key as "groupKey", source, sum(connections)::int as connections, sum(rate)::float8 as "perSecond"
  from shaping_use where group_key = any($1) and told_at > now() - interval '15 seconds' group by group_key, source`;

const COUNTED = `
  select count(*) filter (where state = 'leased')::int as "inFlight",
    count(*) filter (where state in ('ready', 'waiting') and due_at <= $2)::int as due,
    count(*) filter (where state in ('ready', 'waiting') and due_at <= $2 and lane = ${SINGLE})::int as singles
  from (select state, due_at, lane from deliveries where group_key = $1 and state in ('ready', 'waiting', 'leased')
    limit ${MAX_COUNTED}) as counted`;

// By the minute in which they are due.
const LATER = `
  select (floor(extract(epoch from due_at) / 60) * 60000)::bigint as at, count(*)::int as messages
  from (select due_at from deliveries where group_key = $1 and state = 'waiting' and due_at > $2
    limit ${MAX_COUNTED}) as counted
  group by 1 order by 1 limit ${MAX_LATER}`;

const ACCOUNTS = `
  select account_id as id, count(*)::int as due
  from (select account_id from deliveries where group_key = $1 and state in ('ready', 'waiting') and due_at <= $2
    limit ${MAX_COUNTED}) as counted
  group by account_id order by count(*) desc, account_id limit ${MAX_ACCOUNTS}`;
