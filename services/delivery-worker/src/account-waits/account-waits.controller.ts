import { Controller, Get } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { AccountId } from '@postmesh/contracts';
import type { AccountWait, AccountWaits } from '@postmesh/delivery-worker-contract';
import { Internal, uuidParam } from '@postmesh/service-host';
import { ShapingClock } from '../shaping/shaping-clock.js';
import { ShapingLimits } from '../shaping/shaping-limits.js';

const MAX_GROUPS = 100;
// More messages of an account are not counted: its Home asks every few seconds.
const MAX_COUNTED = 10_000;
const MAX_SHOWN = 20;
const MAX_DESTINATIONS = 3;
/** A pace that needs longer than this for what waits holds it up. */
const SLOW_FROM_S = 300;

/** Mail of an account that waits for a provider, for the Home of its members. */
@Internal()
@Controller('internal/accounts')
export class AccountWaitsController {
  constructor(
    private readonly dataSource: DataSource,
    private readonly limits: ShapingLimits,
    private readonly clock: ShapingClock,
  ) {}

  @Get(':account_id/waits')
  async read(@uuidParam('account_id') accountId: AccountId): Promise<AccountWaits> {
    const rows: HeldRow[] = await this.dataSource.query(HELD, [accountId, new Date(this.clock.now())]);
    const waits = merged(rows.flatMap((row) => this.waitOf(row, accountId) ?? []));
    return { waits: waits.slice(0, MAX_SHOWN) };
  }

  private waitOf({ groupKey, domain, ...row }: HeldRow, accountId: AccountId): AccountWait | undefined {
    const sender = domain === null ? undefined : { senderDomain: domain, accountId };
    const wait = this.limits.waitOfGroup(groupKey, sender);
    if (wait !== undefined) {
      const { by, reason } = wait;
      const [since, until] = [wait.since?.toISOString() ?? null, wait.until.toISOString()];
      return { kind: 'suspended', by, reason, since, until, per_second: null, ...row };
    }
    const pace = this.limits.paceOf(groupKey);
    if (pace === undefined || row.messages <= pace.perSecond * SLOW_FROM_S) return undefined;
    const { by, reason, since, perSecond } = pace;
    return {
      ...{ kind: 'slowed', by, reason, since: since?.toISOString() ?? null, until: null },
      ...{ per_second: perSecond, ...row },
    };
  }
}

interface HeldRow {
  groupKey: string;
  domain: string | null;
  messages: number;
  destinations: string[];
}

/** Waits of several sending domains for one reason are one. Most messages first. */
function merged(waits: readonly AccountWait[]): AccountWait[] {
  const found = new Map<string, AccountWait>();
  for (const wait of waits) {
    const before = found.get(wait.reason);
    const destinations = [...new Set([...(before?.destinations ?? []), ...wait.destinations])].sort();
    found.set(wait.reason, {
      ...wait,
      messages: wait.messages + (before?.messages ?? 0),
      destinations: destinations.slice(0, MAX_DESTINATIONS),
    });
  }
  return [...found.values()].sort((one, other) => other.messages - one.messages);
}

// $1 account, $2 now. Without a slow group nothing is counted. A message whose own time is later waits for that.
const HELD = `
  with slow as materialized (
    select group_key, max(until) as until from (
      (select group_key, suspended_until as until from shaping_state where suspended_until > $2
        order by suspended_until desc limit ${MAX_GROUPS})
      union all (select group_key, $2 from shaping_state where rate is not null order by changed_at desc limit ${MAX_GROUPS})
      union all (select group_key, suspended_until from suspensions where suspended_until > $2
        and (scope <> 'account' or subject = $1::text) order by suspended_until desc limit ${MAX_GROUPS})) as all_slow
    group by group_key),
  counted as (
    (select group_key, domain, destination, due_at from deliveries
      where account_id = $1::uuid and state = 'ready' and exists (select from slow) limit ${MAX_COUNTED})
    union all (select group_key, domain, destination, due_at from deliveries
      where account_id = $1::uuid and state = 'waiting' and exists (select from slow) limit ${MAX_COUNTED}))
  select group_key as "groupKey", domain, count(*)::int as messages,
    (array_agg(distinct destination))[1:${MAX_DESTINATIONS}] as destinations
  from counted join slow using (group_key) where due_at <= until group by group_key, domain`;
