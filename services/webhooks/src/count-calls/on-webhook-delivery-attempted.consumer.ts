import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { WebhookDeliveryAttempted, WebhookDisabled, WebhookStopped, type EventOf } from '@postmesh/contracts';
import type { Logger } from '@postmesh/observability';
import { Outbox } from '@postmesh/outbox';
import { Consumes, LOGGER, type Consumer } from '@postmesh/service-host';
import { countAttempts, type Counted, type CountedAttempt } from './call-counters.rules.js';

type Attempted = EventOf<typeof WebhookDeliveryAttempted>;

/** What is called, and the table that holds its counters. */
const TABLES = { webhook: 'webhooks', route: 'routes' } as const;
type Target = keyof typeof TABLES;

interface StandingRow {
  id: string;
  account_id: string;
  name: string;
  enabled: boolean;
  errors_since_last_success: number;
}

interface Count extends Counted {
  row: StandingRow;
}

/**
 * Moves the counters of webhooks and routes and disables those that fail for too long (spec 2-messages §18.7-8,
 * 1-platform §13.5 rule 3).
 */
@Injectable()
export class OnWebhookDeliveryAttempted implements Consumer<typeof WebhookDeliveryAttempted> {
  constructor(
    private readonly outbox: Outbox,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @Consumes(WebhookDeliveryAttempted, 'webhooks.count-calls')
  async handle(tx: EntityManager, events: Attempted[]): Promise<void> {
    for (const target of ['webhook', 'route'] as const) {
      const attempts = events.filter(({ data }) => (data.target ?? 'webhook') === target);
      const counts = await countPerId(tx, target, attempts);
      await this.disable(
        tx,
        target,
        counts.filter(({ disables }) => disables).map(({ row }) => row),
      );
      await store(tx, target, counts);
    }
  }

  private async disable(manager: EntityManager, target: Target, rows: readonly StandingRow[]): Promise<void> {
    if (rows.length === 0) return;
    // Waits for matches in progress, so that what they request is dropped by the event below.
    await manager.query(`select from ${TABLES[target]} where id = any($1::uuid[]) order by id for update`, [
      rows.map(({ id }) => id),
    ]);
    const reason = 'too-many-errors' as const;
    const ofRoute = target === 'route' ? { target } : {};
    const stopped = rows.flatMap(({ id, account_id, name }) => [
      WebhookStopped.make({ webhook_id: id, reason }, { account_id }),
      WebhookDisabled.make({ webhook_id: id, ...ofRoute, account_id, name, reason }, { account_id }),
    ]);
    await this.outbox.add(manager, stopped);
    for (const { id, account_id } of rows) {
      this.logger.warn(
        { event: `${target}.disabled`, [`${target}_id`]: id, account_id },
        `${target} disabled after too many failures`,
      );
    }
  }
}

/** What is deleted meanwhile has no row and is not counted. */
async function countPerId(
  manager: EntityManager,
  target: Target,
  events: readonly Attempted[],
): Promise<Count[]> {
  if (events.length === 0) return [];
  const attempts = new Map<string, CountedAttempt[]>(events.map(({ data }) => [data.webhook_id, []]));
  for (const { data } of events) {
    attempts.get(data.webhook_id)?.push({ success: data.success, attemptedAt: data.attempted_at });
  }
  const rows: StandingRow[] = await manager.query(
    `select id, account_id, name, enabled, errors_since_last_success from ${TABLES[target]}
     where id = any($1::uuid[]) order by id for no key update`,
    [[...attempts.keys()]],
  );
  return rows.map((row) => {
    const standing = { enabled: row.enabled, errorsSinceLastSuccess: row.errors_since_last_success };
    return { row, ...countAttempts(standing, attempts.get(row.id) ?? []) };
  });
}

async function store(manager: EntityManager, target: Target, counts: readonly Count[]): Promise<void> {
  if (counts.length === 0) return;
  await manager.query(
    `update ${TABLES[target]} as called set
       success_count = success_count + counted.successes,
       error_count = error_count + counted.errors,
       errors_since_last_success = counted.in_a_row,
       last_request_at = greatest(called.last_request_at, counted.latest),
       enabled = enabled and not counted.disables,
       updated_at = case when counted.disables then now() else updated_at end,
       revision = revision + counted.disables::int
     from unnest($1::uuid[], $2::int[], $3::int[], $4::int[], $5::timestamptz[], $6::boolean[])
       as counted(id, successes, errors, in_a_row, latest, disables)
     where called.id = counted.id`,
    [
      counts.map(({ row }) => row.id),
      counts.map(({ successes }) => successes),
      counts.map(({ errors }) => errors),
      counts.map(({ errorsSinceLastSuccess }) => errorsSinceLastSuccess),
      counts.map(({ lastRequestAt }) => lastRequestAt),
      counts.map(({ disables }) => disables),
    ],
  );
}
