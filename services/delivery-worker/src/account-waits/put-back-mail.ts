import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { timeOfId } from '@postmesh/contracts';
import { ShapingClock } from '../shaping/shaping-clock.js';
import { groupName, isSlowDown } from '../shaping/slow-down.rules.js';
import { BUDGET_REASON, isOfBudget } from '../warm-up/budget-reasons.rules.js';
import type { HeldWait } from './held-wait.js';

// Messages of an account that wait for another time are not all looked at.
const MAX_LOOKED_AT = 10_000;
const MAX_DESTINATIONS = 3;

/**
 * Mail that was put back although other mail to the same hosts leaves: beyond the budget of a new address, or of a pool
 * whose address a provider blocks.
 */
@Injectable()
export class PutBackMail {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: ShapingClock,
  ) {}

  async of(accountId: string): Promise<HeldWait[]> {
    const rows: PutBackRow[] = await this.dataSource.query(PUT_BACK, [accountId, new Date(this.clock.now())]);
    return rows.flatMap((row) => waitOf(row) ?? []);
  }
}

interface PutBackRow {
  groupKey: string;
  reason: string;
  messages: number;
  destinations: string[];
  /** messages of the account, counted up to the same limit */
  queued: number;
  /** id of the oldest message */
  first: string;
  until: Date;
}

/** Numbers of a budget are those of the whole installation: members see that there is one. */
function waitOf({
  groupKey,
  reason,
  messages,
  destinations,
  queued,
  first,
  until,
}: PutBackRow): HeldWait | undefined {
  const by = groupName(groupKey, destinations[0]);
  const oldest = new Date(timeOfId(first));
  const facts = {
    ...{ by, destinations, messages, oldest, share: messages / queued },
    ...{ since: oldest.toISOString(), until: until.toISOString(), per_second: null },
  };
  if (isOfBudget(reason))
    return { ...facts, kind: 'warming', reason: `a new address sends ${by} a few messages an hour at first` };
  return isSlowDown(reason) ? { ...facts, kind: 'suspended', reason } : undefined;
}

// $1 account, $2 now. Without a source of its own nothing is put back so.
const PUT_BACK = `
  with looked_at as materialized (
    select id, group_key, destination, due_at, reason from deliveries
    where account_id = $1::uuid and state = 'waiting' and exists (select from egress_sources) limit ${MAX_LOOKED_AT}),
  put_back as (
    select *, reason like '${BUDGET_REASON}%' as is_budget from looked_at
    where due_at > $2 and (reason like '${BUDGET_REASON}%' or reason like '% slowed down %: nothing before %'))
  select group_key as "groupKey", min(reason) as reason, count(*)::int as messages, min(id::text) as first,
    min(due_at) as until, (array_agg(distinct destination))[1:${MAX_DESTINATIONS}] as destinations,
    (select count(*)::int from (select from deliveries where account_id = $1::uuid and state in ('ready', 'waiting')
      limit ${MAX_LOOKED_AT}) as queued) as queued
  from put_back group by group_key, is_budget`;
