import { Controller, Get, Inject } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DatabaseClock } from '@postmesh/database';
import { ApiErrors } from '@postmesh/contracts';
import type { WaitingDelivery } from '@postmesh/delivery-worker-contract';
import { Internal, SETTINGS, uuidParam } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { groupName } from '../shaping/slow-down.rules.js';
import { ShapingLimits } from '../shaping/shaping-limits.js';
import { waitOf, type DeliveryNow } from './waiting.rules.js';

/** One delivery: why it waits and until when, as the queue has it now (architecture §1.3). */
@Internal()
@Controller('operator/deliveries')
export class DeliveryController {
  constructor(
    private readonly dataSource: DataSource,
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly limits: ShapingLimits,
    private readonly clock: DatabaseClock,
  ) {}

  @Get(':delivery_id')
  async read(@uuidParam('delivery_id') id: string): Promise<WaitingDelivery> {
    const [delivery]: DeliveryRow[] = await this.dataSource.query(DELIVERY, [id]);
    if (!delivery) throw ApiErrors.notFound('delivery');
    const { groupKey, destination } = delivery;
    const { reason, until, cause } = waitOf(
      {
        ...delivery,
        groupName: groupKey === null ? destination : groupName(groupKey, destination),
        groupConnections: groupKey === null ? 0 : this.limits.allowedOf(groupKey),
        groupWait: this.groupWaitOf(delivery),
      },
      this.settings,
      this.clock.date(),
    );
    return {
      id: delivery.id,
      state: delivery.state,
      attempts: delivery.attempts,
      destination: delivery.destination,
      waiting_for: reason,
      cause,
      waiting_until: until?.toISOString() ?? null,
      expires: delivery.expires?.toISOString() ?? null,
    };
  }

  private groupWaitOf({ groupKey, domain, accountId }: DeliveryRow) {
    if (groupKey === null) return undefined;
    const sender = domain === null ? undefined : { senderDomain: domain, accountId };
    return this.limits.waitOfGroup(groupKey, sender);
  }
}

type DeliveryRow = Omit<DeliveryNow, 'groupWait' | 'groupKey' | 'groupName' | 'groupConnections'> & {
  groupKey: string | null;
  domain: string | null;
  accountId: string;
};

// rows in flight are bounded by the workers, whatever the backlog
const DELIVERY = `
  select d.id, d.state, d.attempts, d.destination, d.due_at as "dueAt", d.suspended_until as "suspendedUntil",
    d.leased_until as "leasedUntil", d.expires, d.reason, d.group_key as "groupKey", d.domain,
    d.account_id as "accountId",
    (select s.state from account_states s where s.account_id = d.account_id) as "accountState",
    busy.of_group as "groupInFlight", busy.account as "accountInFlight", busy.total as "inFlight",
    (select count(*)::int from workers w where w.heartbeat_at > now() - interval '10 seconds') as workers
  from deliveries d
  cross join lateral (
    select count(*) filter (where l.group_key = d.group_key)::int as of_group,
      count(*) filter (where l.account_id = d.account_id)::int as account, count(*)::int as total
    from deliveries l where l.state = 'leased') as busy
  where d.id = $1`;
