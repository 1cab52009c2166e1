import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { AccountId, BooleanParameter } from '@postmesh/contracts';
import { pageSql, toPage, type Page, type PageQuery, type PageRow, type Sql } from '@postmesh/http';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';

/**
 * `signing`: its key is not due; `due`: the interval is over, no rotation has begun; `publishing`: not every resolver sees
 * the standby key; `verified`: all do, it signs a day later; `switched`: it signs, the old key stays published.
 */
const ROTATION_STATES = ['signing', 'due', 'publishing', 'verified', 'switched'] as const;
type RotationState = (typeof ROTATION_STATES)[number];

/** `?state=&troubled=&search=&account=` */
export const DkimRotationsQuery = z.object({
  state: z.enum(ROTATION_STATES).optional(),
  troubled: BooleanParameter.optional(),
  // a part of a name; Postgres reads no NUL
  search: z
    .string()
    .max(255)
    .regex(/^\P{Cc}*$/u)
    .toLowerCase()
    .optional(),
  account: AccountId.optional(),
});
export type DkimRotationsQuery = z.infer<typeof DkimRotationsQuery>;

/** The DKIM key of a managed domain, and its rotation (spec 1-platform §11.7). */
export interface DkimRotation {
  id: string;
  created_at: string;
  account_id: string;
  domain: string;
  dns_valid: boolean;
  state: RotationState;
  /** of a domain that sends: due for a day, or not seen by every resolver for an hour */
  troubled: boolean;
  /** the reason of its last wait */
  reason: string | null;
  /** bits of the key that signs */
  bits: number;
  /** when it began to sign */
  key_since: string;
  due_at: string;
  interval_days: number;
  started_at: string | null;
  verified_at: string | null;
  switched_at: string | null;
  /** time of the next step */
  next_at: string;
}

type Times = 'created_at' | 'key_since' | 'due_at' | 'started_at' | 'verified_at' | 'switched_at' | 'next_at';
type Row = Omit<DkimRotation, Times> & { [T in Times]: Date } & PageRow;

/** Managed domains with the state of their rotation. $1: days of the installation */
const ROTATIONS = `
  select rotation.*,
    dns_valid and case state
      when 'due' then due_at < now() - interval '1 day'
      when 'publishing' then started_at < now() - interval '1 hour'
      else false end as troubled
  from (
    select key.*, case
        when switched_at is not null then 'switched'
        when verified_at is not null then 'verified'
        when started_at is not null then 'publishing'
        when due_at <= now() then 'due'
        else 'signing' end as state
    from (
      select d.id, d.created_at, d.account_id, d.domain, d.state in ('valid', 'suspect') as dns_valid, active.bits,
        coalesce(active.activated_at, active.created_at) as key_since,
        coalesce(active.activated_at, active.created_at) + make_interval(days => days.interval_days) as due_at,
        days.interval_days, d.rotation_started_at as started_at, d.rotation_verified_at as verified_at,
        d.rotation_switched_at as switched_at, d.rotation_next_at as next_at, d.rotation_reason as reason
      from domains d
      join dkim_keys active on active.domain_id = d.id and active.slot = d.active_slot
      left join account_settings account on account.account_id = d.account_id
      cross join lateral (
        select coalesce(d.dkim_rotation_interval_days, account.dkim_rotation_days, $1)::int as interval_days) days
      where d.dns_mode = 'managed') key) rotation`;

/** DKIM keys of all managed domains, for operators. Every list reads all of them: operators ask seldom. */
@Injectable()
export class DkimRotations {
  constructor(
    private readonly dataSource: DataSource,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'dkimRotationDays'>,
  ) {}

  /** The newest domains first. */
  async list(filters: DkimRotationsQuery, page: PageQuery): Promise<Page<DkimRotation>> {
    const { text, parameters } = pageSql(this.rotations(filters), page);
    const rows: Row[] = await this.dataSource.query(text, [...parameters]);
    return toPage(rows, page, presentRotation);
  }

  /** The number of domains in each state, and of those in trouble. */
  async counts(): Promise<Record<RotationState | 'troubled', number>> {
    const { text, parameters } = this.rotations({});
    const rows: { state: RotationState; domains: number; troubled: number }[] = await this.dataSource.query(
      `select state, count(*)::int as domains, (count(*) filter (where troubled))::int as troubled
       from (${text}) as listed group by state`,
      [...parameters],
    );
    const of = (state: RotationState) => rows.find((row) => row.state === state)?.domains ?? 0;
    return {
      ...(Object.fromEntries(ROTATION_STATES.map((state) => [state, of(state)])) as Record<
        RotationState,
        number
      >),
      troubled: rows.reduce((sum, row) => sum + row.troubled, 0),
    };
  }

  private rotations({ state, troubled, search, account }: DkimRotationsQuery): Sql {
    const parameters: unknown[] = [this.settings.dkimRotationDays];
    const place = (value: unknown) => `$${parameters.push(value)}`;
    const conditions = ['true'];
    if (state !== undefined) conditions.push(`state = ${place(state)}`);
    if (troubled !== undefined) conditions.push(`troubled = ${place(troubled)}`);
    if (search !== undefined) conditions.push(`strpos(domain, ${place(search)}) > 0`);
    if (account !== undefined) conditions.push(`account_id = ${place(account)}`);
    return {
      text: `select * from (${ROTATIONS}) as rotation where ${conditions.join(' and ')}`,
      parameters,
    };
  }
}

const text = (at: Date | null): string | null => at?.toISOString() ?? null;

const presentRotation = (row: Row): DkimRotation => ({
  id: row.id,
  created_at: row.created_at.toISOString(),
  account_id: row.account_id,
  domain: row.domain,
  dns_valid: row.dns_valid,
  state: row.state,
  troubled: row.troubled,
  reason: row.reason,
  bits: row.bits,
  key_since: row.key_since.toISOString(),
  due_at: row.due_at.toISOString(),
  interval_days: row.interval_days,
  started_at: text(row.started_at),
  verified_at: text(row.verified_at),
  switched_at: text(row.switched_at),
  next_at: row.next_at.toISOString(),
});
