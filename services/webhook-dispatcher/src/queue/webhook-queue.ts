import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { FAILING_AFTER, type WebhookDeliveryRequested } from '@postmesh/webhooks-contract';
import { LeasedQueue, type NewRow } from '@postmesh/work';
import { Metrics, type Logger } from '@postmesh/observability';
import { LOGGER, SETTINGS, stopTimes } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { WebhookAttempt, type AttemptResult } from '../attempt/webhook-attempt.js';
import { EndpointRooms } from '../endpoints/endpoint-rooms.js';
import { AttemptRecorder } from '../record/attempt-recorder.js';
import {
  groupKeyOf,
  messageIdOf,
  WEBHOOK_DELIVERIES,
  type WebhookDelivery,
} from './webhook-deliveries.table.js';

// Longer than the default timeout of an attempt; the lease of a longer attempt is renewed.
const LEASE_S = 60;

type Requested = ReturnType<typeof WebhookDeliveryRequested.parse>;

/**
 * The due webhook deliveries, and their attempts: round-robin by host and endpoint (decision 51), within the limits of
 * each endpoint (`EndpointRooms`).
 */
@Injectable()
export class WebhookQueue implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly queue: LeasedQueue<WebhookDelivery, AttemptResult>;

  constructor(
    private readonly dataSource: DataSource,
    private readonly attempt: WebhookAttempt,
    recorder: AttemptRecorder,
    rooms: EndpointRooms,
    @Inject(SETTINGS) settings: Settings,
    @Inject(LOGGER) logger: Logger,
    metrics: Metrics,
  ) {
    this.queue = new LeasedQueue<WebhookDelivery, AttemptResult>(
      dataSource,
      WEBHOOK_DELIVERIES,
      {
        make: async (delivery) => {
          rooms.begin(delivery.endpointId);
          return attempt.make(delivery).finally(() => rooms.end(delivery.endpointId));
        },
        record: (manager, results) =>
          recorder.record(manager, results, (endings) => this.queue.settle(manager, endings)),
        recorded: (result, own) => attempt.log(result, own),
        // an interrupted attempt is made again under the same id, so other workers may take every row
        hasBegun: () => false,
        abandoned: (manager, deliveries) => recorder.recordAbandoned(manager, deliveries),
        setAside: (manager, deliveries) => recorder.recordSetAside(manager, deliveries),
        stop: (graceMs) => attempt.stop(graceMs),
      },
      {
        concurrency: settings.webhookConcurrency,
        rooms,
        leaseSeconds: LEASE_S,
        graceMs: stopTimes(settings).graceMs,
        clock: attempt.clock,
      },
      logger,
    );
    this.observe(metrics);
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.queue.start();
  }

  /** Lets running attempts end within the grace period of a stop; the rest is cut off and released. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.queue.stop();
  }

  /** Part of the intake's transaction. An existing delivery stays unchanged. */
  add(manager: EntityManager, events: readonly Requested[]): Promise<() => void> {
    const now = this.attempt.clock.date();
    return this.insert(
      manager,
      events.map((event) => toRow(event, now)),
    );
  }

  /** Part of the caller's transaction. */
  insert(manager: EntityManager, rows: readonly NewRow[]): Promise<() => void> {
    return this.queue.insert(manager, rows);
  }

  private observe(metrics: Metrics): void {
    metrics.gauge(
      'postmesh_webhook_deliveries_in_flight',
      'Webhook attempts that are being made now',
      [],
      (gauge) => gauge.set(this.queue.size),
    );
    metrics.asked<Due>(
      async () => (await this.dataSource.query<Due[]>(DUE))[0] as Due,
      [
        {
          name: 'postmesh_webhook_deliveries_late_seconds',
          help: 'How long the oldest webhook delivery that a dispatcher could make has been due',
          read: ({ late }) => Math.max(0, late ?? 0),
        },
        {
          name: 'postmesh_webhook_deliveries_due',
          help: `Webhook deliveries that are due and that a dispatcher could make, up to ${COUNT_AT_MOST}; without those of failing endpoints`,
          read: ({ due }) => due,
        },
      ],
    );
  }

  /**
   * How long the oldest delivery that a dispatcher could make has been due. A failed query shows in health, and the other
   * metrics stay readable.
   */
  async lateSeconds(): Promise<number> {
    const rows: { late: number | null }[] = await this.dataSource
      .query(`${RUNNABLE} select ${LATE} as late`)
      .catch(() => []);
    return Math.max(0, rows[0]?.late ?? 0);
  }
}

interface Due {
  late: number | null;
  due: number;
}

// The count stops here: this many deliveries justify all possible workers.
const COUNT_AT_MOST = 100_000;

// With more endpoints the oldest delivery is not determined.
const MAX_ENDPOINTS = 5_000;

/**
 * Endpoints with runnable deliveries, by one index probe each, without failing or pausing ones, whose deliveries wait
 * for a receiver, not for a dispatcher.
 */
const RUNNABLE = `with recursive groups(group_key, nth) as (
    (select group_key, 1 from webhook_deliveries where state = 'ready' order by group_key limit 1)
    union all
    select (select q.group_key from webhook_deliveries q where q.state = 'ready' and q.group_key > groups.group_key
      order by q.group_key limit 1), nth + 1
    from groups where group_key is not null and nth < ${MAX_ENDPOINTS}),
  runnable as (
    select group_key from groups
    where group_key is not null and not exists (
      select from endpoint_states s where s.endpoint_id::text = substring(group_key from '[^ ]*$')
        and (s.failures >= ${FAILING_AFTER} or s.next_call_at > now())))`;

const LATE = `extract(epoch from now() - least(
    (select min(due_at) from webhook_deliveries where state = 'waiting'),
    (select min(oldest.due_at) from runnable, lateral (
      select min(due_at) as due_at from webhook_deliveries q
      where q.state = 'ready' and q.group_key = runnable.group_key) as oldest)))::float8`;

const DUE = `${RUNNABLE} select ${LATE} as late, (
    select count(*) from (select from runnable, lateral (
      select from webhook_deliveries q where q.state = 'ready' and q.group_key = runnable.group_key
      limit ${COUNT_AT_MOST}) as ready limit ${COUNT_AT_MOST}) as bounded)::int as due`;

/** @param now by the clock of the database, as replays select by it */
const toRow = ({ account_id, trace, data }: Requested, now: Date): NewRow => ({
  id: data.delivery_id,
  accountId: account_id as string,
  key: groupKeyOf(data.host, data.webhook_id),
  dueAt: new Date(data.due_at),
  reason: 'not tried yet',
  columns: {
    host: data.host,
    webhook_id: data.webhook_id,
    trace,
    webhook_message_id: data.webhook_message_id,
    event_type: data.event_type,
    body: data.body,
    target: data.route === undefined ? null : 'route',
    route: data.route === undefined ? null : JSON.stringify(data.route),
    message_id: messageIdOf(data),
    requested_at: now,
  },
});
