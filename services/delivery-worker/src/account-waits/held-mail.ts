import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { timeOfId } from '@postmesh/contracts';
import { ShapingClock } from '../shaping/shaping-clock.js';
import { ShapingLimits } from '../shaping/shaping-limits.js';
import type { HeldWait } from './held-wait.js';
import { PutBackMail } from './put-back-mail.js';

const MAX_GROUPS = 100;
// More messages of an account are not counted: its Home asks every few seconds.
const MAX_COUNTED = 10_000;
const MAX_SHOWN = 20;
const MAX_DESTINATIONS = 3;
/** A pace that needs longer than this for what waits holds it up. */
const SLOW_FROM_S = 300;

/** Mail that waits because a provider takes nothing or little, from one address or from all. */
@Injectable()
export class HeldMail {
  constructor(
    private readonly dataSource: DataSource,
    private readonly limits: ShapingLimits,
    private readonly clock: ShapingClock,
    private readonly putBack: PutBackMail,
  ) {}

  /** The waits of an account, most messages first. */
  async of(accountId: string): Promise<HeldWait[]> {
    const rows: HeldRow[] = await this.dataSource.query(HELD, [accountId, new Date(this.clock.now())]);
    const held = rows.flatMap((row) => this.waitOf(row, accountId) ?? []);
    const reasons = new Set(held.map(({ reason }) => reason));
    const others = (await this.putBack.of(accountId)).filter(({ reason }) => !reasons.has(reason));
    return merged([...held, ...others]).slice(0, MAX_SHOWN);
  }

  /** Accounts with queued mail while a provider takes little, after this one in the order of their ids. */
  async accountsAfter(accountId: string, limit: number): Promise<string[]> {
    const now = new Date(this.clock.now());
    const rows: { account: string }[] = await this.dataSource.query(ACCOUNTS, [accountId, now, limit]);
    return rows.map(({ account }) => account);
  }

  private waitOf(
    { groupKey, domain, queued, first, ...row }: HeldRow,
    accountId: string,
  ): HeldWait | undefined {
    const facts = { ...row, share: row.messages / queued, oldest: new Date(timeOfId(first)) };
    const sender = domain === null ? undefined : { senderDomain: domain, accountId };
    const wait = this.limits.waitOfGroup(groupKey, sender);
    if (wait !== undefined) {
      const { by, reason } = wait;
      const [since, until] = [wait.since?.toISOString() ?? null, wait.until.toISOString()];
      return { kind: 'suspended', by, reason, since, until, per_second: null, ...facts };
    }
    const pace = this.limits.paceOf(groupKey);
    if (pace === undefined || row.messages <= pace.perSecond * SLOW_FROM_S) return undefined;
    const { by, reason, since, perSecond } = pace;
    return {
      ...{ kind: 'slowed', by, reason, since: since?.toISOString() ?? null, until: null },
      ...{ per_second: perSecond, ...facts },
    };
  }
}

interface HeldRow {
  groupKey: string;
  domain: string | null;
  messages: number;
  destinations: string[];
  /** messages of the account, counted up to the same limit */
  queued: number;
  /** id of the oldest message */
  first: string;
}

/** Waits of several sending domains for one reason are one. Most messages first. */
function merged(waits: readonly HeldWait[]): HeldWait[] {
  const found = new Map<string, HeldWait>();
  for (const wait of waits) {
    const before = found.get(wait.reason);
    const destinations = [...new Set([...(before?.destinations ?? []), ...wait.destinations])].sort();
    found.set(wait.reason, {
      ...wait,
      messages: wait.messages + (before?.messages ?? 0),
      share: wait.share + (before?.share ?? 0),
      oldest: before && before.oldest < wait.oldest ? before.oldest : wait.oldest,
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
  counted as materialized (
    (select id, group_key, domain, destination, due_at from deliveries
      where account_id = $1::uuid and state = 'ready' and exists (select from slow) limit ${MAX_COUNTED})
    union all (select id, group_key, domain, destination, due_at from deliveries
      where account_id = $1::uuid and state = 'waiting' and exists (select from slow) limit ${MAX_COUNTED}))
  select group_key as "groupKey", domain, count(*)::int as messages, min(id::text) as first,
    (select count(*)::int from counted) as queued,
    (array_agg(distinct destination))[1:${MAX_DESTINATIONS}] as destinations
  from counted join slow using (group_key) where due_at <= until group by group_key, domain`;

// $1 the account before, $2 now, $3 limit. One step into the index for each account; none while nothing is slow.
const ACCOUNTS = `
  with recursive step as (
    select ${nextAfter('$1::uuid')} as account, 1 as nth
      where exists (select from shaping_state where suspended_until > $2 or rate is not null)
        or exists (select from suspensions where suspended_until > $2)
        or exists (select from egress_sources where warm_up)
    union all
    select ${nextAfter('step.account')}, nth + 1 from step where account is not null and nth < $3)
  select account from step where account is not null`;

/** SQL: the next account that has mail in one of the two states. */
function nextAfter(account: string): string {
  const firstOf = (state: string) =>
    `(select account_id from deliveries where state = '${state}' and account_id > ${account} order by account_id limit 1)`;
  return `least(${firstOf('ready')}, ${firstOf('waiting')})`;
}
