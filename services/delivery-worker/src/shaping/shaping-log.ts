import { Inject, Injectable } from '@nestjs/common';
import { Metrics, type Logger } from '@postmesh/observability';
import { LOGGER } from '@postmesh/service-host';
import { providerLabel } from '../mx/group-key.rules.js';
import type { Cause } from './learning.rules.js';
import type { ShapingKey } from './shaping-rows.js';

/** Changes of limits, as log lines and as metrics per provider. */
@Injectable()
export class ShapingLog {
  private readonly cuts;
  private readonly suspensions;

  constructor(
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly metrics: Metrics,
  ) {
    this.cuts = metrics.counter(
      'postmesh_smtp_limit_cuts_total',
      'Times that replies of a provider lowered what is used of it',
      ['provider'],
    );
    this.suspensions = metrics.counter(
      'postmesh_smtp_suspensions_total',
      'Times that nothing was to be sent to a provider for a while, by what it was about',
      ['provider', 'scope'],
    );
  }

  /** @param read returns the connections per group, called when metrics are read */
  connections(read: () => Iterable<readonly [groupKey: string, connections: number]>): void {
    this.metrics.gauge(
      'postmesh_smtp_provider_connections',
      'Open connections of this worker by provider',
      ['provider'],
      (gauge) => {
        gauge.reset();
        for (const [groupKey, connections] of read())
          gauge.inc({ provider: providerLabel(groupKey) }, connections);
      },
    );
  }

  /** @param read returns the suspensions in force, with the last reply that changed something */
  suspendedGroups(read: () => Iterable<{ groupKey: string; needsOperator: boolean }>): void {
    this.metrics.gauge(
      'postmesh_smtp_groups_suspended',
      'MX groups (per source address) to which nothing is sent now; needs_operator: until an operator acts',
      ['provider', 'needs_operator'],
      (gauge) => {
        gauge.reset();
        for (const { groupKey, needsOperator } of read())
          gauge.inc({ provider: providerLabel(groupKey), needs_operator: String(needsOperator) });
      },
    );
  }

  cut(key: ShapingKey, limits: { connections: number; rate: number | null }, cause: Cause | null): void {
    this.cuts.inc({ provider: providerLabel(key.groupKey) });
    this.logger.info({ event: 'shaping.cut', ...keyFields(key), ...limits, ...reply(cause) }, 'limits cut');
  }

  suspended(key: ShapingKey, scope: string, { until, cause }: { until: number; cause: Cause | null }): void {
    this.suspensions.inc({ provider: providerLabel(key.groupKey), scope });
    const suspended_until = new Date(until).toISOString();
    const line = { event: 'shaping.suspended', ...keyFields(key), scope, suspended_until, ...reply(cause) };
    if (cause?.alert) this.logger.error({ ...line, needs_operator: true }, 'a provider blocks us');
    else this.logger.warn(line, 'sending to a group suspended');
  }

  recovered(key: ShapingKey): void {
    this.logger.info({ event: 'shaping.recovered', ...keyFields(key) }, 'sending to a group resumed');
  }

  learnt(key: ShapingKey, perConnection: number): void {
    this.logger.info(
      { event: 'shaping.per_connection_learnt', ...keyFields(key), per_connection: perConnection },
      'messages per connection learnt',
    );
  }

  unsaved(error: unknown, key?: ShapingKey): void {
    this.logger.error(
      { event: 'shaping.not_saved', err: error, ...(key ? keyFields(key) : {}) },
      'reading or sharing limits failed, will retry',
    );
  }
}

const keyFields = ({ groupKey, source }: ShapingKey) => ({
  group: groupKey,
  ...(source === '' ? {} : { source }),
});

const reply = (cause: Cause | null) => ({
  smtp_code: cause?.code,
  enhanced_status_code: cause?.enhanced,
  remote_host: cause?.host,
});
