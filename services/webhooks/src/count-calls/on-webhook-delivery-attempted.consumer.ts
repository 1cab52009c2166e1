import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import type { EntityManager } from 'typeorm';
import { WebhookDeliveryAttempted } from '@postmesh/webhook-dispatcher-contract';
import { WebhookDisabled, WebhookStopped } from '@postmesh/webhooks-contract';
import type { EventOf } from '@postmesh/contracts';
import type { Logger } from '@postmesh/observability';
import { Outbox } from '@postmesh/events';
import { Consumes, LOGGER, SETTINGS, type EventContext } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { ENDPOINT_KINDS, targetInEvents, type EndpointKind } from '../endpoints/endpoint-kinds.js';
import { countAttempts, type Counted, type CountedAttempt } from './call-counters.rules.js';

type Attempted = EventOf<typeof WebhookDeliveryAttempted>;

interface StandingRow {
  id: string;
  account_id: string;
  name: string;
  enabled: boolean;
  errors_since_last_success: number;
  failing_since: Date | null;
}

interface Count extends Counted {
  row: StandingRow;
}

/**
 * Updates the counters of webhooks and routes and disables those whose calls all failed for too long
 * (spec 2-messages §18 rules 7 and 8, spec 1-platform §13.5 rule 3).
 *
 * No deltas, as in `Counters` of libs/database: errors since the last success depend on the order of attempts, and
 * their count disables the endpoint in the same transaction, so its row is read and locked here in any case. One
 * consumer writes an endpoint's counters, in batches; nothing else waits for its row.
 */
@Controller()
export class OnWebhookDeliveryAttempted {
  private readonly disableAfterMs: number;

  constructor(
    private readonly outbox: Outbox,
    @Inject(SETTINGS) { webhookDisableHours }: Settings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.disableAfterMs = webhookDisableHours * HOUR_MS;
  }

  @Consumes(WebhookDeliveryAttempted, 'webhooks.count-calls')
  async handle(@Payload() events: Attempted[], @Ctx() { tx }: EventContext): Promise<void> {
    for (const kind of ENDPOINT_KINDS) {
      const attempts = events.filter(({ data }) => (data.target ?? 'webhook') === kind.name);
      const counts = await countPerId(tx, kind, { events: attempts, disableAfterMs: this.disableAfterMs });
      await this.disable(
        tx,
        kind,
        counts.filter(({ disables }) => disables),
      );
      await store(tx, kind, counts);
    }
  }

  private async disable(manager: EntityManager, kind: EndpointKind, counts: readonly Count[]): Promise<void> {
    if (counts.length === 0) return;
    // Waits for running matches, so that the event below ends the calls that they request.
    await manager.query(`select from ${kind.table} where id = any($1::uuid[]) order by id for update`, [
      counts.map(({ row }) => row.id),
    ]);
    const reason = 'too-many-errors' as const;
    const stopped = counts.flatMap(({ row: { id, account_id, name }, ...counted }) => [
      WebhookStopped.make({ webhook_id: id, reason }, { account_id }),
      WebhookDisabled.make(
        { webhook_id: id, ...targetInEvents(kind), account_id, name, reason, ...failureOf(counted) },
        { account_id },
      ),
    ]);
    await this.outbox.add(manager, stopped);
    for (const { row, errorsSinceLastSuccess: failures, failingSince } of counts) {
      const { id, account_id } = row;
      this.logger.warn(
        {
          event: `${kind.name}.disabled`,
          [`${kind.name}_id`]: id,
          account_id,
          failures,
          failing_since: failingSince,
        },
        `every call failed for too long, ${kind.name} disabled`,
      );
    }
  }
}

const HOUR_MS = 3_600_000;

const failureOf = ({ failingSince, errorsSinceLastSuccess, lastFailure }: Counted) => ({
  ...(failingSince === null ? {} : { failing_since: failingSince.toISOString() }),
  failures: errorsSinceLastSuccess,
  last_failure: lastFailure,
});

/** Endpoints deleted in the meantime have no row and are not counted. */
async function countPerId(
  manager: EntityManager,
  { table }: EndpointKind,
  { events, disableAfterMs }: { events: readonly Attempted[]; disableAfterMs: number },
): Promise<Count[]> {
  if (events.length === 0) return [];
  const attempts = new Map<string, CountedAttempt[]>(events.map(({ data }) => [data.webhook_id, []]));
  for (const { data } of events) {
    const { success, attempted_at: attemptedAt, reason } = data;
    attempts.get(data.webhook_id)?.push({ success, attemptedAt, reason });
  }
  const rows: StandingRow[] = await manager.query(
    `select id, account_id, name, enabled, errors_since_last_success, failing_since from ${table}
     where id = any($1::uuid[]) order by id for no key update`,
    [[...attempts.keys()]],
  );
  return rows.map((row) => {
    const standing = {
      enabled: row.enabled,
      errorsSinceLastSuccess: row.errors_since_last_success,
      failingSince: row.failing_since,
    };
    return { row, ...countAttempts(standing, attempts.get(row.id) ?? [], disableAfterMs) };
  });
}

async function store(
  manager: EntityManager,
  { table }: EndpointKind,
  counts: readonly Count[],
): Promise<void> {
  if (counts.length === 0) return;
  await manager.query(
    `update ${table} as called set
       success_count = success_count + counted.successes,
       error_count = error_count + counted.errors,
       errors_since_last_success = counted.in_a_row,
       last_request_at = greatest(called.last_request_at, counted.latest),
       failing_since = counted.failing_since,
       last_failure = counted.last_failure,
       failing_notified_at = case when counted.failing_since is not distinct from called.failing_since
         then failing_notified_at end,
       disabled_at = case when counted.disables then now() else disabled_at end,
       enabled = enabled and not counted.disables,
       updated_at = case when counted.disables then now() else updated_at end,
       revision = revision + counted.disables::int
     from unnest($1::uuid[], $2::int[], $3::int[], $4::int[], $5::timestamptz[], $6::boolean[],
         $7::timestamptz[], $8::text[])
       as counted(id, successes, errors, in_a_row, latest, disables, failing_since, last_failure)
     where called.id = counted.id`,
    [
      counts.map(({ row }) => row.id),
      counts.map(({ successes }) => successes),
      counts.map(({ errors }) => errors),
      counts.map(({ errorsSinceLastSuccess }) => errorsSinceLastSuccess),
      counts.map(({ lastRequestAt }) => lastRequestAt),
      counts.map(({ disables }) => disables),
      counts.map(({ failingSince }) => failingSince?.toISOString() ?? null),
      counts.map(({ lastFailure }) => lastFailure),
    ],
  );
}
