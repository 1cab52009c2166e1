import { newId, WebhookDeliveryRequested, WebhookStopped, type EventEnvelope } from '@postmesh/contracts';
import {
  recordEvents,
  startTestService,
  type RecordedEvents,
  type TestRequest,
  type TestService,
} from '@postmesh/service-testing';
import type { Settings } from '@postmesh/settings';
import { WEBHOOKS_SERVICE } from '../webhooks.definition.js';

/** The service with a domains service that owns what the test says, and an ear on what it publishes. */
export interface WebhooksUnderTest extends TestService {
  /** domains of the account, per account id */
  readonly owned: Map<string, string[]>;
  /** everything on the streams that the service writes to, oldest first */
  readonly published: readonly EventEnvelope[];
  /** `call` on `/v2/accounts/<account>/webhooks<rest>` */
  webhooks(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    rest: string,
    request?: TestRequest,
  ): ReturnType<TestService['call']>;
  /** resolves when `ready` says so, looked at after every published event */
  readonly until: RecordedEvents<EventEnvelope>['until'];
}

export async function startWebhooks(
  databaseUrl: string,
  settings: Partial<Settings> = {},
): Promise<WebhooksUnderTest> {
  const owned = new Map<string, string[]>();
  const under = await startTestService(WEBHOOKS_SERVICE, {
    databaseUrl,
    settings,
    neighbours: { domains: (request) => ({ status: 200, body: findOwned(owned, request) }) },
  });
  const recorded = await recordEvents(under.bus, {
    streams: ['webhook-deliveries', 'accounts'],
    pick: (event) => event,
  });
  return Object.assign(under, {
    owned,
    published: recorded.events,
    webhooks: (method: 'GET' | 'POST' | 'PUT' | 'DELETE', rest: string, request: TestRequest = {}) =>
      under.call(method, `/v2/accounts/${request.account_id ?? under.accountId}/webhooks${rest}`, request),
    until: recorded.until,
  });
}

function findOwned(owned: ReadonlyMap<string, string[]>, request: { path: string; body?: unknown }) {
  const account = /^\/internal\/accounts\/([^/]+)\/domains\/find$/.exec(request.path)?.[1] ?? '';
  const { domains } = request.body as { domains: string[] };
  return domains
    .filter((domain) => owned.get(account)?.includes(domain))
    .map((domain) => ({ domain_id: newId(), domain, dns_valid: true }));
}

/** The requested calls among published events, with parsed bodies. */
export function requestedCalls(events: readonly EventEnvelope[]) {
  return events
    .filter((event) => event.type === WebhookDeliveryRequested.type)
    .map((event) => WebhookDeliveryRequested.parse(event).data)
    .map((call) => ({ ...call, payload: JSON.parse(call.body) }));
}

export function stoppedWebhooks(events: readonly EventEnvelope[]) {
  return events
    .filter((event) => event.type === WebhookStopped.type)
    .map((event) => WebhookStopped.parse(event).data);
}
