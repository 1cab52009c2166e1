import { newId, WebhookCallRequested, WebhookStopped, type EventEnvelope } from '@postmesh/contracts';
import { startTestService, type TestRequest, type TestService } from '@postmesh/service-testing';
import type { Settings } from '@postmesh/settings';
import { WEBHOOKS_SERVICE } from '../webhooks.definition.js';

const WAIT_MS = 15_000;

/** The service with a domains service that owns what the test says, and an ear on what it publishes. */
export interface WebhooksUnderTest extends TestService {
  /** domains of the account, per account id */
  readonly owned: Map<string, string[]>;
  /** everything on the streams that the service writes to, oldest first */
  readonly published: EventEnvelope[];
  /** `call` on `/v2/accounts/<account>/webhooks<rest>` */
  webhooks(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    rest: string,
    request?: TestRequest,
  ): ReturnType<TestService['call']>;
  /** resolves when `ready` says so, looked at after every published event */
  until<T>(ready: () => T | undefined | false): Promise<T>;
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
  const published: EventEnvelope[] = [];
  const looks = new Set<() => void>();
  await under.bus.subscribe({
    // a group of its own: two services under test both hear everything
    group: `test-${newId()}`,
    streams: ['webhook-deliveries', 'accounts'],
    handle: async (events) => {
      published.push(...events.map(({ event }) => event as EventEnvelope));
      for (const look of looks) look();
    },
  });
  return Object.assign(under, {
    owned,
    published,
    webhooks: (method: 'GET' | 'POST' | 'PUT' | 'DELETE', rest: string, request: TestRequest = {}) =>
      under.call(method, `/v2/accounts/${request.account_id ?? under.accountId}/webhooks${rest}`, request),
    until: <T>(ready: () => T | undefined | false) => waitUntil(ready, looks),
  });
}

function findOwned(owned: ReadonlyMap<string, string[]>, request: { path: string; body?: unknown }) {
  const account = /^\/internal\/accounts\/([^/]+)\/domains\/find$/.exec(request.path)?.[1] ?? '';
  const { domains } = request.body as { domains: string[] };
  return domains
    .filter((domain) => owned.get(account)?.includes(domain))
    .map((domain) => ({ domain_id: newId(), domain, dns_valid: true }));
}

function waitUntil<T>(ready: () => T | undefined | false, looks: Set<() => void>): Promise<T> {
  return new Promise((resolve, reject) => {
    const look = () => {
      const found = ready();
      if (found === undefined || found === false) return;
      clearTimeout(limit);
      looks.delete(look);
      resolve(found);
    };
    const limit = setTimeout(() => {
      looks.delete(look);
      reject(new Error('what was waited for did not come'));
    }, WAIT_MS);
    looks.add(look);
    look();
  });
}

/** The requested calls among published events, with parsed bodies. */
export function requestedCalls(events: readonly EventEnvelope[]) {
  return events
    .filter((event) => event.type === WebhookCallRequested.type)
    .map((event) => WebhookCallRequested.parse(event).data)
    .map((call) => ({ ...call, payload: JSON.parse(call.body) }));
}

export function stoppedWebhooks(events: readonly EventEnvelope[]) {
  return events
    .filter((event) => event.type === WebhookStopped.type)
    .map((event) => WebhookStopped.parse(event).data);
}
