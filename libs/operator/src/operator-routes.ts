import { z } from 'zod';
import { ApiError, SERVICES, ServiceName } from '@postmesh/contracts';
import type { EventBus } from '@postmesh/event-bus';
import type { InternalClient, InternalRequest } from '@postmesh/internal-http';
import type { Examination } from './examine.js';
import type { Logger } from '@postmesh/observability';
import type { JobsView } from './installation-jobs.js';
import { NotedDeeds } from './noted-deeds.js';
import type { OperatorRequest, OperatorRoute, OperatorServer } from './operator-server.js';

export interface OperatorPorts {
  client: InternalClient;
  bus: EventBus;
  jobs: JobsView;
  logger: Logger;
  /** what is well and what is not, in words for people */
  examine: () => Promise<Examination[]>;
}

/** Everything that an operator can ask of an installation (architecture §5.4). */
export function addOperatorRoutes(server: OperatorServer, ports: OperatorPorts): void {
  server.route('GET', 'operator', async () => ({ body: { services: SERVICES, see: ROUTES } }));
  server.route('GET', 'operator/doctor', async () => {
    const checks = await ports.examine();
    return { body: { ok: checks.every((check) => check.ok), checks } };
  });
  server.route('GET', 'operator/lag', async () => ({ body: { groups: await ports.bus.lag() } }));
  const deeds = new NotedDeeds(ports.client, ports.logger);
  addDeadLetterRoutes(server, ports.client, deeds);
  addJobRoutes(server, ports.jobs, deeds);
  for (const service of SERVICES) {
    const forward = deeds.around(
      forwardTo(service, ports.client),
      (request) => !auditsItself(service, request),
    );
    server.route('*', `operator/${service}`, forward);
  }
}

/** The accounts service writes what befalls accounts into its audit itself, with what was before. */
const auditsItself = (service: ServiceName, { rest }: OperatorRequest) =>
  service === 'accounts' && (rest === 'accounts' || rest.startsWith('accounts/'));

const ROUTES = [
  'GET operator/doctor',
  'GET operator/lag',
  'GET operator/dead-letters?consumer=&limit=',
  'POST operator/dead-letters/replay {consumer, ids?}',
  'GET operator/jobs',
  'GET operator/jobs/failed',
  'POST operator/jobs/retry',
  'GET operator/delivery-worker/queue',
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
  'GET operator/accounts/audit?account_id=&actor=&action=&since=&until=&limit=&after=',
  'GET, PUT operator/domains/accounts/<id>/settings',
  'GET operator/domains/system-domain',
  'GET operator/domains/zone',
  '* operator/<service>/…',
];

// The gateway keeps nothing and so consumes nothing.
const CONSUMING = SERVICES.filter((service) => service !== 'gateway');
const MAX_DEAD_LETTERS = 1_000;
const DeadLetter = z.looseObject({ consumer: z.string(), died_at: z.string() });
const DeadLetters = z.object({ dead_letters: z.array(DeadLetter) });
const Replayed = z.object({ replayed: z.number().int(), failed: z.number().int() });
const ReplayBody = z.object({
  consumer: z.string().min(1),
  ids: z.array(z.string()).max(10_000).optional(),
});

/** Dead letters stand in the schemas of their consumers, so the services are asked. */
function addDeadLetterRoutes(server: OperatorServer, client: InternalClient, deeds: NotedDeeds): void {
  server.route('GET', 'operator/dead-letters', async ({ query }) => {
    const consumer = query.get('consumer');
    const limit = Number(query.get('limit') ?? 100);
    if (!Number.isInteger(limit) || limit < 1 || limit > MAX_DEAD_LETTERS) {
      throw new ApiError(400, `limit must be between 1 and ${MAX_DEAD_LETTERS}`);
    }
    const search = new URLSearchParams({ limit: String(limit), ...(consumer ? { consumer } : {}) });
    const path = `/operator/dead-letters?${search.toString()}`;
    const services = consumer ? [serviceOf(consumer)] : CONSUMING;
    const found = await Promise.all(
      services.map((service) => askFor(client, service, { method: 'GET', path }, DeadLetters)),
    );
    const oldestFirst = found
      .flatMap(({ dead_letters }) => dead_letters)
      .sort((one, other) => (one.died_at < other.died_at ? -1 : 1));
    return { body: { dead_letters: oldestFirst.slice(0, limit) } };
  });
  const replay: OperatorRoute = async ({ body, operator }) => {
    const wanted = ReplayBody.safeParse(body);
    if (!wanted.success) throw new ApiError(400, 'consumer is required');
    const path = '/operator/dead-letters/replay';
    const request = { method: 'POST' as const, path, body: wanted.data, operator };
    return { body: await askFor(client, serviceOf(wanted.data.consumer), request, Replayed) };
  };
  server.route('POST', 'operator/dead-letters/replay', deeds.around(replay, always));
}

/** @throws ApiError 400 when the name does not begin with a service */
function serviceOf(consumer: string): ServiceName {
  const service = ServiceName.safeParse(consumer.split('.')[0]);
  if (!service.success || service.data === 'gateway') {
    throw new ApiError(400, 'consumer must be the name of a consumer, such as messages.delivery-outcomes');
  }
  return service.data;
}

async function askFor<S extends z.ZodType>(
  client: InternalClient,
  service: ServiceName,
  request: InternalRequest,
  schema: S,
): Promise<z.infer<S>> {
  const response = await client.request(service, request, schema).catch(() => undefined);
  if (response === undefined) throw new ApiError(503, `the ${service} service does not answer`);
  return response;
}

function addJobRoutes(server: OperatorServer, jobs: JobsView, deeds: NotedDeeds): void {
  server.route('GET', 'operator/jobs', async () => ({ body: { queues: await jobs.counts() } }));
  server.route('GET', 'operator/jobs/failed', async () => ({
    body: { failed: await jobs.failed() },
  }));
  const retry: OperatorRoute = async () => ({ body: { retried: await jobs.retryFailed() } });
  server.route('POST', 'operator/jobs/retry', deeds.around(retry, always));
}

const always = () => true;

function forwardTo(service: ServiceName, client: InternalClient): OperatorRoute {
  return async ({ operator, method, rest, query, body }) => {
    const search = query.size > 0 ? `?${query.toString()}` : '';
    const path = `/operator/${rest}${search}`;
    const response = await client.send(service, { method, path, body, operator });
    return { status: response.status, body: JSON.parse(response.bytes.toString() || 'null') };
  };
}
