import { Injectable } from '@nestjs/common';
import { Metrics } from '@postmesh/observability';
import { DataSource } from 'typeorm';
import { ShapingLimits } from '../shaping/shaping-limits.js';
import { ShapingMemory } from '../shaping/shaping-memory.js';

// More are not counted: this many need every available worker.
const COUNT_AT_MOST = 500_000;

interface Backlog {
  /** can be sent now: more workers would help */
  due: number;
  /** age of the oldest of them, seconds */
  oldest: number | null;
  /** due, but their MX group is suspended */
  held: number;
  /** waiting for their time: retries, scheduled messages */
  later: number;
  /** waiting for their account */
  suspended: number;
}

/**
 * The backlog of the queue, of all workers together: each worker reports the same. Deliveries to a suspended MX group
 * are counted apart, since no worker can send them.
 */
@Injectable()
export class DeliveryBacklog {
  constructor(
    private readonly dataSource: DataSource,
    private readonly memory: ShapingMemory,
    private readonly limits: ShapingLimits,
    metrics: Metrics,
  ) {
    const upTo = `up to ${COUNT_AT_MOST} in all`;
    metrics.asked(
      () => this.look(),
      [
        {
          name: 'postmesh_deliveries_due',
          help: `Deliveries that are due, may go out and are not in flight, ${upTo}`,
          read: ({ due }) => due,
        },
        {
          name: 'postmesh_deliveries_due_oldest_seconds',
          help: 'How long the oldest of them has been due; 0 when there is none',
          read: ({ oldest }) => Math.max(0, oldest ?? 0),
        },
        {
          name: 'postmesh_deliveries_waiting',
          help: `Deliveries that wait for a provider, for their time or for their account, ${upTo}`,
          labelNames: ['reason'],
          read: ({ held, later, suspended }) => [
            [{ reason: 'provider' }, held],
            [{ reason: 'time' }, later],
            [{ reason: 'account' }, suspended],
          ],
        },
      ],
    );
  }

  private async look(): Promise<Backlog> {
    const groups = [...new Set(this.memory.all().map(({ key }) => key.groupKey))];
    const held = groups.filter((groupKey) => this.limits.waitOfGroup(groupKey) !== undefined);
    const [row] = await this.dataSource.query<[Backlog]>(BACKLOG, [held]);
    return row;
  }
}

const BACKLOG = `
  select count(*) filter (where is_due and not is_held)::int as due,
    extract(epoch from now() - min(due_at) filter (where is_due and not is_held))::float8 as oldest,
    count(*) filter (where is_due and is_held)::int as held,
    count(*) filter (where state = 'waiting' and not is_due)::int as later,
    count(*) filter (where state = 'suspended')::int as suspended
  from (
    select state, due_at, state in ('ready', 'waiting') and due_at <= now() as is_due,
      coalesce(group_key = any($1::text[]), false) as is_held
    from deliveries where state in ('ready', 'waiting', 'suspended') limit ${COUNT_AT_MOST}) as looked`;
