import { createHmac } from 'node:crypto';
import { DataSource } from 'typeorm';
import {
  newId,
  WebhookDeliveryAttempted,
  WebhookDeliveryRequested,
  WebhookStopped,
  type EventEnvelope,
  type RouteBodyRequest,
  type RouteTarget,
  type WebhookTarget,
} from '@postmesh/contracts';
import { SecretBox } from '@postmesh/secrets';
import {
  recordEvents,
  startTestService,
  type RecordedEvents,
  type TestService,
} from '@postmesh/service-testing';
import type { Settings } from '@postmesh/settings';
import type { ReceivedRequest } from '@postmesh/testing';
import { WEBHOOK_DISPATCHER_SERVICE } from '../webhook-dispatcher.definition.js';

export const SECRET = `pm-whsec-${'k3Yp9QxV'.repeat(8)}`;
const WAIT_MS = 20_000;

type Attempted = ReturnType<typeof WebhookDeliveryAttempted.parse>['data'];

export interface RequestWanted {
  webhookId?: string;
  eventType?: string;
  accountId?: string;
  body?: string;
  dueAt?: Date;
  sealedSecret?: string;
  /** the webhooks service knows nothing of the webhook */
  unknown?: boolean;
  /** it is a route's, of this inbound message */
  route?: { message_id: string; to: string; occurred_at: string };
}

export interface DispatcherUnderTest extends TestService {
  /** what the dispatcher told of its attempts, oldest first */
  readonly attempts: Attempted[];
  readonly database: DataSource;
  /** what the webhooks service says of webhooks, by id; a missing one is gone */
  readonly targets: Map<string, Omit<WebhookTarget, 'webhook_id'>>;
  /** and of routes */
  readonly routes: Map<string, Omit<RouteTarget, 'route_id'>>;
  /** what the messages service makes of an inbound message for a route; undefined = its content is gone */
  readonly bodies: { of: (request: RouteBodyRequest) => object | undefined };
  /** how often it was asked */
  readonly asked: string[][];
  /** a requested delivery to a webhook at this URL, not yet published */
  request(url: string, more?: RequestWanted): EventEnvelope<Requested>;
  stopWebhook(webhookId: string): Promise<void>;
  /** resolves when `ready` says so, looked at after every attempt */
  readonly until: RecordedEvents<Attempted>['until'];
  /** deliveries that are pending */
  pending(): Promise<PendingDelivery[]>;
}

export interface PendingDelivery {
  id: string;
  state: 'ready' | 'waiting' | 'leased';
  attempts: number;
  reason: string;
  lease_token: string;
}

type Requested = ReturnType<typeof WebhookDeliveryRequested.parse>['data'];

/** A dispatcher that may call this machine and retries a thousand times as fast as the contract says. */
export async function startDispatcher(
  databaseUrl: string,
  settings: Partial<Settings> & { targets?: DispatcherUnderTest['targets'] } = {},
): Promise<DispatcherUnderTest> {
  const { targets = new Map(), ...changed } = settings;
  const routes: DispatcherUnderTest['routes'] = new Map();
  const bodies: DispatcherUnderTest['bodies'] = { of: () => undefined };
  const asked: string[][] = [];
  const under = await startTestService(WEBHOOK_DISPATCHER_SERVICE, {
    databaseUrl,
    neighbours: {
      webhooks: ({ path, body }) => {
        if (path === '/internal/route-targets') {
          const { route_ids } = body as { route_ids: string[] };
          return {
            status: 200,
            body: {
              targets: found(route_ids, routes).map(([route_id, target]) => ({ route_id, ...target })),
            },
          };
        }
        const { webhook_ids } = body as { webhook_ids: string[] };
        asked.push(webhook_ids);
        const all = found(webhook_ids, targets).map(([webhook_id, target]) => ({ webhook_id, ...target }));
        return { status: 200, body: { targets: all } };
      },
      messages: ({ body }) => {
        const made = bodies.of(body as RouteBodyRequest);
        return made === undefined ? { status: 404, body: {} } : { status: 200, body: made };
      },
    },
    settings: { outgoingHttpAllow: ['127.0.0.0/8', '::1/128'], webhookRetryScale: 0.001, ...changed },
  });
  const recorded = await recordEvents(under.bus, {
    streams: ['webhook-deliveries'],
    pick: attemptOf,
    waitMs: WAIT_MS,
  });
  const database = under.service.get(DataSource);
  const account = newId();
  const secrets = under.service.get(SecretBox);
  return Object.assign(under, {
    attempts: recorded.events,
    database,
    targets,
    routes,
    bodies,
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
          due_at: (more.dueAt ?? new Date()).toISOString(),
        },
        { account_id: more.accountId ?? account },
      );
    },
    stopWebhook: (webhook_id: string) =>
      under.bus.publish([WebhookStopped.make({ webhook_id, reason: 'deleted' }, { account_id: null })]),
    until: recorded.until,
    pending: () =>
      database.query(
        'select id, state, attempts, reason, lease_token from webhook_deliveries order by due_at',
      ),
  });
}

function found<T>(ids: readonly string[], known: ReadonlyMap<string, T>): [string, T][] {
  return ids.flatMap((id) => {
    const target = known.get(id);
    return target === undefined ? [] : [[id, target]];
  });
}

const attemptOf = (event: EventEnvelope): Attempted | undefined =>
  event.type === WebhookDeliveryAttempted.type ? WebhookDeliveryAttempted.parse(event).data : undefined;

/** What a receiver does with the headers (spec 2-messages §18.3): the whole secret string is the key. */
export function isSigned({ headers, body }: ReceivedRequest, secret = SECRET): boolean {
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body.toString('utf8')}`;
  const mac = createHmac('sha256', secret).update(signed).digest('base64');
  return headers['webhook-signature'] === `v1,${mac}`;
}
