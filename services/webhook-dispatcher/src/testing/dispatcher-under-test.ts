import { createHmac } from 'node:crypto';
import { DataSource } from 'typeorm';
import { newId, type EventEnvelope } from '@postmesh/contracts';
import { WebhookDeliveryAttempted } from '@postmesh/webhook-dispatcher-contract';
import {
  WebhookDeliveryRequested,
  WebhookStopped,
  type EndpointStanding,
  type RouteTarget,
  type WebhookTarget,
} from '@postmesh/webhooks-contract';
import type { RouteBodyRequest } from '@postmesh/messages-contract';
import { SecretBox } from '@postmesh/secrets';
import {
  recordEvents,
  startTestService,
  type RecordedEvents,
  type TestService,
} from '@postmesh/service-testing';
import type { Settings } from '@postmesh/settings';
import type { ReceivedRequest } from '@postmesh/testing';
import { EndpointStates } from '../endpoints/endpoint-states.js';
import { WebhookQueue } from '../queue/webhook-queue.js';
import { WEBHOOK_DISPATCHER_SERVICE } from '../webhook-dispatcher.definition.js';

const SECRET = `pm-whsec-${'k3Yp9QxV'.repeat(8)}`;
const WAIT_MS = 20_000;

type Attempted = ReturnType<typeof WebhookDeliveryAttempted.parse>['data'];

interface RequestWanted {
  webhookId?: string;
  eventType?: string;
  accountId?: string;
  body?: string;
  /** the message that it is about */
  messageId?: string;
  dueAt?: Date;
  sealedSecret?: string;
  /** the webhook is unknown to the webhooks service */
  unknown?: boolean;
  /** the webhook is disabled */
  missed?: true;
  /** delivery to a route, of this inbound message */
  route?: { message_id: string; to: string; occurred_at: string };
}

export interface DispatcherUnderTest extends TestService {
  /** the published attempts, oldest first */
  readonly attempts: Attempted[];
  readonly database: DataSource;
  /** the webhooks service's answers about webhooks, by id; a missing webhook is deleted */
  readonly targets: Map<string, Omit<WebhookTarget, 'webhook_id'>>;
  /** its answers about routes */
  readonly routes: Map<string, Omit<RouteTarget, 'route_id'>>;
  /** the body made by the messages service of an inbound message for a route; undefined = its content is gone */
  readonly bodies: { of: (request: RouteBodyRequest) => object | undefined };
  /** the failing and disabled endpoints, as reported by the webhooks service */
  readonly standings: EndpointStanding[];
  /** the ids of each request to it */
  readonly asked: string[][];
  /** a requested delivery to a webhook at this URL, not yet published */
  request(url: string, more?: RequestWanted): EventEnvelope<Requested>;
  /** @param reason `deleted` unless given */
  stopWebhook(webhookId: string, reason?: 'deleted' | 'disabled'): Promise<void>;
  /** resolves when `ready` returns true, checked after every attempt */
  readonly until: RecordedEvents<Attempted>['until'];
  /** all attempts of a delivery, after its end; the waits between them are skipped */
  ended(deliveryId: string): Promise<Attempted[]>;
  /** deliveries that are pending */
  pending(): Promise<PendingDelivery[]>;
  /** virtual time: moves all times in the rows that affect decisions back by these seconds, and makes due deliveries */
  skip(seconds: number): Promise<void>;
}

interface PendingDelivery {
  id: string;
  state: 'ready' | 'waiting' | 'leased';
  attempts: number;
  reason: string;
  lease_token: string;
}

type Requested = ReturnType<typeof WebhookDeliveryRequested.parse>['data'];

/** Waits in thousandths of these seconds between six tries. */
const SHORT_RETRIES = [1, 16, 81, 256, 625];

/** A dispatcher that may call this machine, and makes six tries within a second. */
export async function startDispatcher(
  databaseUrl: string,
  settings: Partial<Settings> & { targets?: DispatcherUnderTest['targets']; periodic?: boolean } = {},
): Promise<DispatcherUnderTest> {
  const { targets = new Map(), periodic, ...changed } = settings;
  const routes: DispatcherUnderTest['routes'] = new Map();
  const bodies: DispatcherUnderTest['bodies'] = { of: () => undefined };
  const asked: string[][] = [];
  const standings: EndpointStanding[] = [];
  const under = await startTestService(WEBHOOK_DISPATCHER_SERVICE, {
    databaseUrl,
    ...(periodic === undefined ? {} : { periodic }),
    neighbours: {
      webhooks: webhooksDouble({ targets, routes, standings, asked }),
      messages: ({ body }) => {
        const made = bodies.of(body as RouteBodyRequest);
        return made === undefined ? { status: 404, body: {} } : { status: 200, body: made };
      },
    },
    settings: {
      outgoingHttpAllow: ['127.0.0.0/8', '::1/128'],
      webhookRetries: SHORT_RETRIES,
      webhookRetryScale: 0.001,
      ...changed,
    },
  });
  const recorded = await recordEvents(under.bus, {
    streams: ['webhook-deliveries'],
    pick: attemptOf,
    waitMs: WAIT_MS,
  });
  const database = under.service.get(DataSource);
  const account = newId();
  const secrets = under.service.get(SecretBox);
  const skip = (seconds: number) => skipTime(under, database, seconds);
  return Object.assign(under, {
    attempts: recorded.events,
    database,
    targets,
    routes,
    bodies,
    standings,
    asked,
    request: (url: string, more: RequestWanted = {}) => {
      const delivery_id = newId();
      const webhook_id = more.webhookId ?? newId();
      const kind = more.route ? 'route' : 'webhook';
      const sealed_secret = more.sealedSecret ?? secrets.seal(SECRET, `${kind}/${webhook_id}`);
      const wants = { attachments: true, headers: false, strip_replies: false };
      if (more.route) routes.set(webhook_id, { url, sealed_secret, ...wants });
      else if (!more.unknown) targets.set(webhook_id, { url, sealed_secret });
      return WebhookDeliveryRequested.make(
        {
          delivery_id,
          webhook_id,
          host: new URL(url).host,
          webhook_message_id: `msg_${delivery_id.replaceAll('-', '')}`,
          event_type: more.route ? 'message.routing' : (more.eventType ?? 'message.delivered'),
          body: more.route ? '' : (more.body ?? `{"type":"message.delivered","webhook_id":"${webhook_id}"}`),
          ...(more.route ? { route: more.route } : {}),
          ...(more.messageId === undefined ? {} : { message_id: more.messageId }),
          due_at: (more.dueAt ?? new Date()).toISOString(),
          ...(more.missed ? { missed: true } : {}),
        },
        { account_id: more.accountId ?? account },
      );
    },
    stopWebhook: (webhook_id: string, reason: 'deleted' | 'disabled' = 'deleted') =>
      under.bus.publish([WebhookStopped.make({ webhook_id, reason }, { account_id: null })]),
    until: recorded.until,
    pending: () =>
      database.query(
        'select id, state, attempts, reason, lease_token from webhook_deliveries order by due_at',
      ),
    skip,
    ended: (deliveryId: string) => untilEnded(recorded, deliveryId, skip),
  });
}

/** `until` of responses that a receiver keeps back until the test calls `respond`. */
export function heldResponse(): { until: Promise<void>; respond: () => void } {
  let respond = () => {};
  const until = new Promise<void>((resolve) => (respond = resolve));
  return { until, respond };
}

const A_DAY_S = 86_400;

async function untilEnded(
  { events, until }: RecordedEvents<Attempted>,
  deliveryId: string,
  skip: (seconds: number) => Promise<void>,
): Promise<Attempted[]> {
  const known = () => events.filter(({ delivery_id }) => delivery_id === deliveryId);
  for (let wanted = 1; ;) {
    const attempts = await until(() => known().length >= wanted && known());
    if (attempts.at(-1)?.next_attempt_at === null) return attempts;
    wanted = attempts.length + 1;
    await skip(A_DAY_S);
  }
}

const TIMES = {
  webhook_deliveries: ['due_at', 'requested_at', 'first_attempt_at'],
  ended_deliveries: ['requested_at', 'ended_at'],
  endpoint_states: ['failing_since', 'next_call_at'],
  replays: ['since', 'until', 'created_at', 'next_run_at'],
} as const;

type Known = Pick<DispatcherUnderTest, 'targets' | 'routes' | 'standings' | 'asked'>;

/** The parts of the webhooks service that the dispatcher uses. */
const webhooksDouble =
  ({ targets, routes, standings, asked }: Known) =>
  ({ path, body }: { path: string; body?: unknown }) => {
    if (path === '/internal/endpoint-standings') {
      const { account_id, endpoint_id } = body as { account_id?: string; endpoint_id?: string };
      const endpoints = standings.filter(
        (one) =>
          [undefined, one.endpoint_id].includes(endpoint_id) &&
          [undefined, one.account_id].includes(account_id),
      );
      return { status: 200, body: { endpoints } };
    }
    if (path === '/internal/route-targets') {
      const { route_ids } = body as { route_ids: string[] };
      const all = found(route_ids, routes).map(([route_id, target]) => ({ route_id, ...target }));
      return { status: 200, body: { targets: all } };
    }
    const { webhook_ids } = body as { webhook_ids: string[] };
    asked.push(webhook_ids);
    const all = found(webhook_ids, targets).map(([webhook_id, target]) => ({ webhook_id, ...target }));
    return { status: 200, body: { targets: all } };
  };

async function skipTime({ service }: TestService, database: DataSource, seconds: number): Promise<void> {
  for (const [table, columns] of Object.entries(TIMES)) {
    const moved = columns.map((column) => `${column} = ${column} - make_interval(secs => $1)`);
    const version = table === 'endpoint_states' ? ', version = version + 1' : '';
    // this and a record of several rows could each wait for the other
    await database.transaction(async (tx) => {
      await tx.query(`lock table ${table} in exclusive mode`);
      await tx.query(`update ${table} set ${moved.join(', ')}${version}`, [seconds]);
    });
  }
  await service.get(EndpointStates).sync();
  service.get(WebhookQueue).queue.wake();
}

function found<T>(ids: readonly string[], known: ReadonlyMap<string, T>): [string, T][] {
  return ids.flatMap((id) => {
    const target = known.get(id);
    return target === undefined ? [] : [[id, target]];
  });
}

const attemptOf = (event: EventEnvelope): Attempted | undefined =>
  event.type === WebhookDeliveryAttempted.type ? WebhookDeliveryAttempted.parse(event).data : undefined;

/** Verifies the signature like a receiver (spec 2-messages §18.3): the whole secret string is the key. */
export function isSigned({ headers, body }: ReceivedRequest, secret = SECRET): boolean {
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body.toString('utf8')}`;
  const mac = createHmac('sha256', secret).update(signed).digest('base64');
  return headers['webhook-signature'] === `v1,${mac}`;
}
