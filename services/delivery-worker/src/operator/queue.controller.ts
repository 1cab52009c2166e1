import { Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Internal } from '@postmesh/service-host';
import { ShapingLimits } from '../shaping/shaping-limits.js';
import { GroupLimitsView } from './group-limits.view.js';
import { ResumeGroup } from './resume-group.js';

const MAX_DESTINATIONS = 100;
const MAX_WAITING = 100;
const MAX_ACCOUNTS = 100;
// More rows are not counted: an answer in seconds is worth more than an exact number of millions.
const MAX_COUNTED = 500_000;

interface WaitingRow {
  message_id: string;
  destination: string;
  state: string;
  attempts: number;
  due_at: Date;
  suspended_until: Date | null;
  reason: string;
  group_key: string | null;
  domain: string | null;
  account_id: string;
}

/**
 * The waiting deliveries, why and until when they wait (architecture §1.3); suspended deliveries wait for their account, until their own end.
 */
@Internal()
@Controller('operator/queue')
export class QueueController {
  constructor(
    private readonly dataSource: DataSource,
    private readonly limits: ShapingLimits,
    private readonly view: GroupLimitsView,
    private readonly resumeGroup: ResumeGroup,
  ) {}

  @Get()
  async queue(): Promise<object> {
    const [totals] = await this.dataSource.query(TOTALS);
    const destinations = await this.dataSource.query(DESTINATIONS);
    const suspended = await this.dataSource.query(SUSPENDED);
    const waiting: WaitingRow[] = await this.dataSource.query(WAITING);
    return {
      ...totals,
      destinations,
      groups: await this.view.groups(),
      suspensions: await this.view.suspensions(),
      suspended_accounts: suspended,
      waiting: waiting.map((row) => this.shown(row)),
    };
  }

  @Post('groups/:group/resume')
  @HttpCode(200)
  async resume(@Param('group') group: string): Promise<object> {
    return { group, resumed: await this.resumeGroup.execute(group) };
  }

  /** Suspending a group writes none of its messages: their reason is computed when they are read. */
  private shown({ group_key, domain, ...row }: WaitingRow): object {
    if (!isForItsGroup(row.state)) return row;
    const sender = domain === null ? undefined : { senderDomain: domain, accountId: row.account_id };
    const wait = group_key === null ? undefined : this.limits.waitOfGroup(group_key, sender);
    if (wait === undefined || wait.until <= row.due_at) return row;
    return { ...row, due_at: wait.until, reason: wait.reason };
  }
}

const isForItsGroup = (state: string) => state === 'ready' || state === 'waiting';

const COUNTED = `(select * from deliveries where state <> 'canceled' limit ${MAX_COUNTED}) as deliveries`;

const TOTALS = `
  select count(*)::int as deliveries, count(*) filter (where state = 'leased')::int as in_flight,
    count(*) filter (where state in ('ready', 'waiting') and due_at <= now())::int as due,
    count(*) filter (where state = 'suspended')::int as suspended,
    min(due_at) filter (where state in ('ready', 'waiting')) as next_due_at from ${COUNTED}`;

const DESTINATIONS = `
  select destination, count(*)::int as deliveries,
    min(due_at) filter (where state in ('ready', 'waiting')) as next_due_at
  from ${COUNTED} group by destination order by count(*) desc, destination limit ${MAX_DESTINATIONS}`;

const SUSPENDED = `
  select account_id, reason, count(*)::int as deliveries, min(suspended_until) as next_end_at
  from (select * from deliveries where state = 'suspended' limit ${MAX_COUNTED}) as deliveries
  group by account_id, reason order by count(*) desc, account_id limit ${MAX_ACCOUNTS}`;

const WAITING = `
  select id as message_id, destination, state, attempts, due_at, suspended_until, reason, group_key, domain, account_id
  from ${COUNTED} order by state = 'suspended', due_at, id limit ${MAX_WAITING}`;
