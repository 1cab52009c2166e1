import { z } from 'zod';
import { ApiError, SERVICES, ServiceName, Stream } from '@postmesh/contracts';
import type { EventBus } from '@postmesh/event-bus';
import type { InternalClient } from '@postmesh/internal-http';
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

const MOST_DEAD_LETTERS = 1_000;
const DeadLetterQuery = z.object({ stream: Stream, group: z.string().min(1) });
const ReplayBody = DeadLetterQuery.extend({ ids: z.array(z.string()).max(10_000).optional() });

/** Everything that an operator can ask of an installation (architecture §5.4). */
export function addOperatorRoutes(server: OperatorServer, ports: OperatorPorts): void {
  server.route('GET', 'operator', async () => ({ body: { services: SERVICES, see: ROUTES } }));
  server.route('GET', 'operator/doctor', async () => {
    const checks = await ports.examine();
    return { body: { ok: checks.every((check) => check.ok), checks } };
  });
  server.route('GET', 'operator/lag', async () => ({ body: { groups: await ports.bus.lag() } }));
  const deeds = new NotedDeeds(ports.client, ports.logger);
  addDeadLetterRoutes(server, ports.bus, deeds);
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
  'GET operator/dead-letters?stream=&group=&limit=',
  'POST operator/dead-letters/replay {stream, group, ids?}',
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

function addDeadLetterRoutes(server: OperatorServer, bus: EventBus, deeds: NotedDeeds): void {
  server.route('GET', 'operator/dead-letters', async ({ query }) => {
    const wanted = DeadLetterQuery.safeParse(Object.fromEntries(query));
    const limit = Number(query.get('limit') ?? 100);
    if (!wanted.success) throw new ApiError(400, 'stream and group are required');
    if (!Number.isInteger(limit) || limit < 1 || limit > MOST_DEAD_LETTERS) {
      throw new ApiError(400, `limit must be between 1 and ${MOST_DEAD_LETTERS}`);
    }
    return { body: { dead_letters: await bus.readDead({ ...wanted.data, limit }) } };
  });
  const replay: OperatorRoute = async ({ body }) => {
    const wanted = ReplayBody.safeParse(body);
    if (!wanted.success) throw new ApiError(400, 'stream and group are required');
    return { body: { replayed: await bus.replayDead(wanted.data) } };
  };
  server.route('POST', 'operator/dead-letters/replay', deeds.around(replay, always));
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
