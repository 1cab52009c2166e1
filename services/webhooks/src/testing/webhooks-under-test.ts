import { newId, type EventEnvelope } from '@postmesh/contracts';
import { WebhookDeliveryRequested, WebhookStopped } from '@postmesh/webhooks-contract';
import {
  recordEvents,
  startTestService,
  type RecordedEvents,
  type TestRequest,
  type TestService,
  type TestServiceOptions,
} from '@postmesh/service-testing';
import type { Settings } from '@postmesh/settings';
import { WEBHOOKS_SERVICE } from '../webhooks.definition.js';

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** The service with a domains service whose data the test sets, and a listener on the published events. */
export interface WebhooksUnderTest extends TestService {
  /** domains of the account, per account id */
  readonly owned: Map<string, string[]>;
  /** all events on the streams of the service, oldest first */
  readonly published: readonly EventEnvelope[];
  /** `call` on `/v2/accounts/<account>/webhooks<rest>` */
  webhooks(method: Method, rest: string, request?: TestRequest): ReturnType<TestService['call']>;
  /** the same on `…/routes<rest>` */
  routes: WebhooksUnderTest['webhooks'];
  /** the id of an account's domain */
  domainId(accountId: string, domain: string): string;
  /** replaces every domain by another one of the same name */
  forgetDomainIds(): void;
  /** resolves when `ready` returns true, checked after every published event */
  readonly until: RecordedEvents<EventEnvelope>['until'];
}

export async function startWebhooks(
  databaseUrl: string,
  settings: Partial<Settings> = {},
  more: Pick<TestServiceOptions, 'bus' | 'periodic'> = {},
): Promise<WebhooksUnderTest> {
  const owned = new Map<string, string[]>();
  const ids = new Map<string, string>();
  const domainId = (accountId: string, domain: string) => {
    const key = `${accountId}/${domain}`;
    ids.set(key, ids.get(key) ?? newId());
    return ids.get(key) as string;
  };
  const under = await startTestService(WEBHOOKS_SERVICE, {
    databaseUrl,
    settings,
    ...more,
    neighbours: {
      domains: (request) => {
        const ask = request.path === '/internal/domains/owners' ? findOwners : findOwned;
        return { status: 200, body: ask(owned, request, domainId) };
      },
    },
  });
  const on =
    (family: string) =>
    (method: Method, rest: string, request: TestRequest = {}) =>
      under.call(method, `/v2/accounts/${request.account_id ?? under.accountId}/${family}${rest}`, request);
  const recorded = await recordEvents(under.bus, {
    streams: ['webhook-deliveries', 'accounts'],
    pick: (event) => event,
  });
  return Object.assign(under, {
    owned,
    published: recorded.events,
    webhooks: on('webhooks'),
    routes: on('routes'),
    domainId,
    forgetDomainIds: () => ids.clear(),
    until: recorded.until,
  });
}

type Owned = ReadonlyMap<string, string[]>;
type DomainIdOf = WebhooksUnderTest['domainId'];
interface Asked {
  path: string;
  body?: unknown;
}

function findOwned(owned: Owned, request: Asked, idOf: DomainIdOf) {
  const account = /^\/internal\/accounts\/([^/]+)\/domains\/find$/.exec(request.path)?.[1] ?? '';
  const { domains } = request.body as { domains: string[] };
  return domains
    .filter((domain) => owned.get(account)?.includes(domain))
    .map((domain) => ({ domain_id: idOf(account, domain), domain, dns_valid: true }));
}

/** Every account with a name owns it. */
function findOwners(owned: Owned, request: Asked, idOf: DomainIdOf) {
  const { domains } = request.body as { domains: string[] };
  const owners = [...owned].flatMap(([account_id, theirs]) =>
    domains
      .filter((domain) => theirs.includes(domain))
      .map((domain) => ({ account_id, domain_id: idOf(account_id, domain), domain })),
  );
  return { owners };
}

/** The requested calls among published events, with parsed bodies. */
export function requestedCalls(events: readonly EventEnvelope[]) {
  return events
    .filter((event) => event.type === WebhookDeliveryRequested.type)
    .map((event) => WebhookDeliveryRequested.parse(event).data)
    .map((call) => ({ ...call, payload: call.body === '' ? undefined : JSON.parse(call.body) }));
}

export function stoppedWebhooks(events: readonly EventEnvelope[]) {
  return events
    .filter((event) => event.type === WebhookStopped.type)
    .map((event) => WebhookStopped.parse(event).data);
}
