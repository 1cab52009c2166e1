import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { providerOfGroup } from '../mx/group-key.rules.js';
import type { Cause } from '../shaping/learning.rules.js';
import { ShapingClock } from '../shaping/shaping-clock.js';
import { ShapingMemory } from '../shaping/shaping-memory.js';
import { describeSlowDown } from '../shaping/slow-down.rules.js';

const MAX_GROUPS = 100;
const MAX_SUSPENSIONS = 100;

interface GroupRow {
  groupKey: string;
  source: string;
  inUse: number | null;
  perSecond: number | null;
  connections: number | null;
  rate: number | null;
  perConnection: number | null;
  suspendedUntil: Date | null;
  cause: Cause | null;
}

interface SuspensionRow {
  groupKey: string;
  source: string;
  scope: 'source+domain' | 'account';
  subject: string;
  until: Date;
  cause: Cause;
}

/** Use and limits of each MX group and source, with the last cut and its reason, of all workers together. */
@Injectable()
export class GroupLimitsView {
  constructor(
    private readonly dataSource: DataSource,
    private readonly memory: ShapingMemory,
    private readonly clock: ShapingClock,
  ) {}

  /** Suspended ones first, then those in use, then the most recently changed. */
  async groups(): Promise<object[]> {
    const now = new Date(this.clock.now());
    const rows: GroupRow[] = await this.dataSource.query(GROUPS, [now]);
    return rows.map((row) => this.shownGroup(row, now));
  }

  async suspensions(): Promise<object[]> {
    const rows: SuspensionRow[] = await this.dataSource.query(SUSPENSIONS, [new Date(this.clock.now())]);
    return rows.map(({ groupKey, source, scope, subject, until, cause }) => ({
      group: groupKey,
      source: source === '' ? null : source,
      scope,
      subject,
      suspended_until: until.toISOString(),
      reason: describeSlowDown({ groupKey, cause, until, narrowed: { scope, subject } }),
      ...causeView(cause),
    }));
  }

  private shownGroup(row: GroupRow, now: Date): object {
    const { groupKey, source, cause, suspendedUntil } = row;
    const provider = this.memory.providerOf(groupKey);
    const isSuspended = suspendedUntil !== null && suspendedUntil > now;
    const allowed = isSuspended
      ? 0
      : suspendedUntil === null
        ? (row.connections ?? provider.connections.start)
        : 1;
    return {
      group: groupKey,
      provider: providerOfGroup(groupKey) ?? null,
      source: source === '' ? null : source,
      connections: row.inUse ?? 0,
      connections_allowed: Math.min(allowed, provider.connections.cap),
      per_second: Math.round((row.perSecond ?? 0) * 10) / 10,
      per_second_allowed:
        row.rate === null ? (provider.ratePerSecond ?? null) : Math.round(row.rate * 100) / 100,
      per_connection: row.perConnection ?? provider.perConnection,
      suspended_until: isSuspended ? suspendedUntil.toISOString() : null,
      state: isSuspended ? 'suspended' : suspendedUntil === null ? 'open' : 'probing',
      reason: isSuspended ? describeSlowDown({ groupKey, cause, until: suspendedUntil }) : null,
      ...causeView(cause),
    };
  }
}

/** The last reply that changed something, what was done, and when. */
const causeView = (cause: Cause | null) => ({
  reply: cause === null ? null : [cause.code || null, cause.enhanced, cause.text].filter(Boolean).join(' '),
  remote_host: cause?.host ?? null,
  done: cause?.did ?? null,
  done_at: cause === null ? null : new Date(cause.at).toISOString(),
  needs_operator: cause?.alert ?? false,
});

// Few of the groups that were ever slowed down are interesting now: reads those of the last day.
const GROUPS = `
  with used as (
    select group_key, source, sum(connections)::int as connections, sum(rate) as rate from shaping_use
    where group_key <> '' and told_at > now() - interval '15 seconds' group by group_key, source),
  changed as (
    (select group_key, source from shaping_state where suspended_until is not null order by suspended_until desc limit ${MAX_GROUPS})
    union (select group_key, source from shaping_state order by changed_at desc limit ${MAX_GROUPS})
    union (select group_key, source from used order by connections desc limit ${MAX_GROUPS}))
  select changed.group_key as "groupKey", changed.source, used.connections as "inUse", used.rate as "perSecond",
    s.connections, s.rate, s.per_connection as "perConnection", s.suspended_until as "suspendedUntil", s.cause
  from changed left join used using (group_key, source) left join shaping_state s using (group_key, source)
  order by coalesce(s.suspended_until > $1, false) desc, used.connections desc nulls last, s.changed_at desc, group_key
  limit ${MAX_GROUPS}`;

const SUSPENSIONS = `
  select group_key as "groupKey", source, scope, subject, suspended_until as until, cause from suspensions
  where suspended_until > $1 order by suspended_until desc limit ${MAX_SUSPENSIONS}`;
