import { z } from 'zod';
import { ApiError, FIGURES_HEADER, SERVICES, Stream, type ServiceName } from '@postmesh/contracts';
import type { EventBus, GroupLag } from '@postmesh/events';
import type { InternalClient } from '@postmesh/http';
import type { Logger } from '@postmesh/observability';
import { givenSettings, type Settings } from '@postmesh/settings';
import { API_VERSION } from '../openapi/build-api-document.js';
import { CertificateHosts } from './certificate-hosts.js';
import { withFamilyUsage } from './family-usage.js';
import { installationJobs, readDeadLetters, replayDeadLetters } from './installation.js';
import { OperatorAudit } from './operator-audit.js';
import type { OperatorRequest, OperatorRoute, OperatorServer } from './operator-server.js';
import { readSecrets, rotateSecrets } from './secret-keys.js';

export interface OperatorPorts {
  client: InternalClient;
  bus: Pick<EventBus, 'lag'>;
  logger: Logger;
  /** of this process */
  settings: Settings;
  /** readiness of each part of the installation, by name */
  readiness: () => Promise<Record<string, boolean>>;
}

// A larger number of unconsumed events is a backlog that needs attention.
const MAX_LAG = 10_000;

interface DeclaredRoute {
  method: 'GET' | 'POST';
  path: string;
  /** query and body, for the list of routes */
  takes?: string;
  run: (ports: OperatorPorts, request: OperatorRequest) => Promise<unknown>;
}

/** The routes of the interface itself; a POST is an action and has an audit entry. */
const ROUTES: readonly DeclaredRoute[] = [
  { method: 'GET', path: 'doctor', run: examine },
  { method: 'GET', path: 'lag', run: async ({ bus }) => ({ groups: await bus.lag() }) },
  {
    method: 'GET',
    path: 'dead-letters',
    takes: '?consumer=&limit=',
    run: ({ client }, request) => readDeadLetters(client, request),
  },
  {
    method: 'POST',
    path: 'dead-letters/replay',
    takes: ' {consumer, ids?}',
    run: ({ client }, request) => replayDeadLetters(client, request),
  },
  {
    method: 'GET',
    path: 'jobs',
    run: async ({ client }) => ({ queues: await installationJobs(client).counts() }),
  },
  {
    method: 'GET',
    path: 'jobs/failed',
    run: async ({ client }) => ({ failed: await installationJobs(client).failed() }),
  },
  {
    method: 'POST',
    path: 'jobs/retry',
    run: async ({ client }) => ({ retried: await installationJobs(client).retryFailed() }),
  },
  {
    method: 'GET',
    path: 'installation',
    run: async ({ settings }) => ({
      versions: {
        api: API_VERSION,
        node: process.versions.node,
        system: `${process.platform} ${process.arch}`,
      },
      settings: givenSettings(settings),
    }),
  },
  { method: 'GET', path: 'secrets', run: ({ client }) => readSecrets(client) },
  { method: 'POST', path: 'secrets/rotate', run: ({ client }) => rotateSecrets(client) },
];

/** The routes of the services, for the list of routes. */
const SERVICE_ROUTES = [
  'GET tls/ask?domain= (without a token)',
  'GET operator/session',
  'POST operator/session {token}',
  'DELETE operator/session',
  'GET operator/sign-in-ways',
  'POST operator/oidc-sign-ins/options {to?}',
  'POST operator/oidc-sign-ins {response}',
  'GET operator/delivery-worker/queue',
  'POST operator/delivery-worker/queue/groups/<group>/resume',
  'GET operator/delivery-worker/explanations/<provider or domain>?account_id=',
  'POST operator/delivery-worker/deliveries/sent {deliveries}',
  'GET operator/delivery-worker/egress, egress/ways',
  'PUT operator/delivery-worker/egress/pools/<id> {order?, when_blocked?, over_budget?}',
  'PUT operator/delivery-worker/egress/sources/<id> {address?, ehlo?, pool?, warm_up?}',
  'PUT operator/delivery-worker/egress/relays/<id> {host?, port?, tls?, user?, password?, pool?, place?, allow_plaintext?}',
  'PUT operator/delivery-worker/egress/rules/<id> {pool, place?, account_id?, sending_domain?, provider?, stream?, tag?}',
  'DELETE operator/delivery-worker/egress/<kind>/<id>',
  'GET operator/messages/messages?recipient=&account=',
  'GET operator/messages/messages/<id>',
  'GET operator/messages/accounts/<id>/domains/<name>/doctor',
  'GET operator/messages/feedback, feedback/<mail id>',
  'GET, POST operator/messages/accounts/<id>/suppression-imports (text/csv or application/x-ndjson)',
  'GET operator/messages/suppression-imports/<import id>',
  'GET, POST operator/marketing/accounts/<id>/contact-imports?list_id= (text/csv or application/x-ndjson)',
  'GET, DELETE operator/marketing/contact-imports/<import id>',
  'GET operator/marketing/accounts/<id>/contact-export?format=&limit=&after=&keys=',
  'GET operator/marketing/accounts/<id>/contacts/<id or email>',
  'GET, POST operator/marketing/accounts/<id>/attributes {key, type}',
  'DELETE operator/marketing/accounts/<id>/attributes/<key>',
  'POST operator/webhooks/webhooks/<id>/test {events?}',
  'POST operator/marketing/accounts/<id>/campaign-templates {name, blocks, content}',
  'GET, PUT operator/marketing/accounts/<id>/campaign-templates/<template id>/simple-design {blocks, content}',
  'GET, PUT operator/marketing/accounts/<id>/campaigns/<campaign id>/simple-design {blocks, content}',
  'POST operator/webhooks/endpoints/<id>/enable',
  'GET operator/webhook-dispatcher/endpoints?account_id=&troubled=',
  'GET operator/webhook-dispatcher/endpoints/<id>?failed=',
  'GET, POST operator/webhook-dispatcher/replays {endpoint_id, kind, since, event_type?}',
  'GET operator/webhook-dispatcher/replays/<replay id>',
  'POST operator/webhook-dispatcher/deliveries/<id>/replay',
  'GET operator/webhook-dispatcher/queue',
  'GET operator/webhook-dispatcher/deliveries/<id>',
  'GET operator/accounts/accounts?search=&state=&parent=&limit=&after=',
  'POST operator/accounts/accounts {name, owner_email, owner_name?, website?}',
  'GET operator/accounts/accounts/<id>',
  'PUT operator/accounts/accounts/<id> {name?, platform_partner?, monthly_credit?, rate_limits?}',
  'DELETE operator/accounts/accounts/<id> {reason}',
  'POST operator/accounts/accounts/<id>/suspend {reason}, resume, block {reason}, unblock',
  'POST operator/accounts/accounts/<id>/owner {email}',
  'GET operator/accounts/accounts/<id>/members, usage, api-keys',
  'POST operator/accounts/accounts/<id>/api-keys {label, scopes, ip_allow_list?}',
  'DELETE operator/accounts/accounts/<id>/api-keys/<key id>',
  'POST operator/accounts/sign-in-links {email, account_id?}',
  'GET operator/accounts/audit?account_id=&actor=&action=&since=&until=&limit=&after=',
  'GET operator/accounts/audit/chain?after=&noted=',
  'GET, PUT operator/domains/accounts/<id>/settings',
  'GET operator/domains/domains/<name>',
  'GET, POST operator/domains/accounts/<id>/dns-hosts {zone, host, token, access_key_id?, allow_rotation?}',
  'DELETE operator/domains/accounts/<id>/dns-hosts/<dns host id>',
  'POST operator/domains/accounts/<id>/domains/<name>/pause {reason}, unpause, unlock {fields}',
  'GET operator/marketing/campaigns?status=&account=&limit=&after=',
  'GET operator/marketing/campaigns/<id>',
  'GET operator/marketing/campaign-recipients?email=&account=',
  'POST operator/marketing/campaigns/<id>/approve, return {note}, reject {note?}, pause, resume, cancel',
  'GET, PUT operator/marketing/accounts/<id>/marketing {daily_limit?, review_every_campaign?}',
  'GET operator/domains/provider-views',
  'PUT, DELETE operator/domains/provider-views/gmail {client_id, client_secret, refresh_token}',
  'PUT, DELETE operator/domains/provider-views/snds {key}',
  'GET operator/domains/system-domain',
  'GET operator/domains/zone',
  'GET operator/domains/zone/publication',
  'GET operator/domains/dkim-rotations?state=&troubled=&search=&account=&limit=&after=',
  'GET operator/domains/dkim-rotations/counts',
  'POST operator/domains/zone/republish',
  '* operator/<service>/…',
];

const LISTED = [
  ...ROUTES.map(({ method, path, takes = '' }) => `${method} operator/${path}${takes}`),
  ...SERVICE_ROUTES,
];

/**
 * The operator routes of an installation (architecture §5.4).
 * @param portsNow undefined during the start: only health and metrics are served then
 */
export function addOperatorRoutes(server: OperatorServer, portsNow: () => OperatorPorts | undefined): void {
  const withPorts =
    (makeRoute: (ports: OperatorPorts) => OperatorRoute): OperatorRoute =>
    async (request) => {
      const ports = portsNow();
      if (!ports) throw new ApiError(503, 'the installation is starting');
      return makeRoute(ports)(request);
    };
  server.route('GET', 'operator', async () => ({ body: { services: SERVICES, see: LISTED } }));
  const hosts = new CertificateHosts();
  server.route(
    'GET',
    'tls/ask',
    withPorts((ports) => async (request) => ({ body: await hosts.ask(ports, request) })),
  );
  for (const { method, path, run } of ROUTES) {
    const route = withPorts((ports) =>
      audited(ports, async (request) => ({ body: await run(ports, request) })),
    );
    server.route(method, `operator/${path}`, route);
  }
  for (const service of SERVICES) {
    const route = withPorts((ports) =>
      audited(ports, forwardTo(service, ports.client), (request) => !auditsItself(service, request)),
    );
    server.route('*', `operator/${service}`, route);
  }
}

const audited = (
  { client, logger }: OperatorPorts,
  route: OperatorRoute,
  isAudited?: (request: OperatorRequest) => boolean,
): OperatorRoute => new OperatorAudit(client, logger).around(route, isAudited);

/** The accounts service audits changes of accounts itself, with the previous values. */
const auditsItself = (service: ServiceName, { rest }: OperatorRequest) =>
  service === 'accounts' && (rest === 'accounts' || rest.startsWith('accounts/'));

/** The report of a family, which is counted by the messages service. */
const FAMILY_USAGE = /^accounts\/[^/]+\/usage$/;

function forwardTo(service: ServiceName, client: InternalClient): OperatorRoute {
  return async ({ operator, method, rest, query, body, stream }) => {
    const search = query.size > 0 ? `?${query.toString()}` : '';
    const path = `/operator/${rest}${search}`;
    const isUsage = service === 'accounts' && method === 'GET' && FAMILY_USAGE.test(rest);
    const headers: Record<string, string> = isUsage ? { [FIGURES_HEADER]: 'later' } : {};
    const response = await client.send(service, { method, path, body, raw: stream, operator, headers });
    const given: unknown = JSON.parse(response.bytes.toString() || 'null');
    const made = isUsage && response.status === 200 ? await withFamilyUsage(client, given) : given;
    return { status: response.status, body: made };
  };
}

const ZonePublication = z.object({
  driver: z.string(),
  waiting: z.number(),
  problem: z.string().nullable(),
  next_at: z.string().nullable(),
});

/** Only when the service writes its zone; the availability of the domains service is a separate check. */
async function zoneCheck(client: InternalClient) {
  const request = { method: 'GET' as const, path: '/operator/zone/publication' };
  const found = await client.request('domains', request, ZonePublication).catch(() => undefined);
  if (found?.driver !== 'dynamic-update') return [];
  const { problem, waiting, next_at } = found;
  const detail = problem === null ? `${waiting} keys wait` : `${problem}; next try ${next_at}`;
  return [{ check: 'the zone of the service can be written', ok: problem === null, detail }];
}

const Checks = z.object({
  checks: z.array(z.object({ check: z.string(), ok: z.boolean(), detail: z.string() })),
});

/** The checks that a service reports; its availability is a separate check. */
async function checksOf(client: InternalClient, service: ServiceName, path: string) {
  const request = { method: 'GET' as const, path };
  const found = await client.request(service, request, Checks).catch(() => undefined);
  return found?.checks ?? [];
}

/** Events of a stream without a reader are no delay: they have no effect before a process of that release has read them. */
function lagCheck({ group, stream, behind }: GroupLag) {
  if (!Stream.safeParse(stream).success)
    return {
      check: `${group} has read ${stream}, a stream of another release`,
      ok: false,
      detail: `${behind} events wait for a process of that release (docs/operations.md, Rolling upgrades)`,
    };
  return {
    check: `${group} keeps up with ${stream}`,
    ok: behind < MAX_LAG,
    detail: `${behind} events behind`,
  };
}

/** The state of the installation, as readable checks. */
async function examine({ readiness, bus, client }: OperatorPorts): Promise<object> {
  const [parts, lag, zone, egress, webhooks, endpoints] = await Promise.all([
    readiness(),
    bus.lag(),
    zoneCheck(client),
    // names of our addresses, port 25, relays, as seen by one delivery worker
    checksOf(client, 'delivery-worker', '/operator/egress'),
    checksOf(client, 'webhook-dispatcher', '/operator/checks'),
    // failing and disabled webhooks and routes
    checksOf(client, 'webhooks', '/operator/checks'),
  ]);
  const checks = [
    ...Object.entries(parts).map(([name, ready]) => ({
      check: `${name} is ready`,
      ok: ready,
      detail: ready ? 'yes' : 'no',
    })),
    ...lag.map(lagCheck),
    ...zone,
    ...egress,
    ...webhooks,
    ...endpoints,
  ];
  return { ok: checks.every((check) => check.ok), checks };
}
