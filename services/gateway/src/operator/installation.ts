import { z } from 'zod';
import { ApiError, INNER_SERVICES, ServiceName } from '@postmesh/contracts';
import type { InternalClient, InternalRequest } from '@postmesh/http';
import type { OperatorRequest } from './operator-server.js';

/** The jobs of all services. */
interface JobsView {
  counts(): Promise<Record<string, unknown>>;
  failed(): Promise<FailedEntry[]>;
  /** @returns the number of retried jobs */
  retryFailed(): Promise<number>;
}

const Counts = z.object({ queues: z.record(z.string(), z.unknown()) });
const FailedEntry = z.looseObject({ job: z.string(), id: z.string() });
type FailedEntry = z.infer<typeof FailedEntry>;
const Failed = z.object({ failed: z.array(FailedEntry) });
const Retried = z.object({ retried: z.number().int() });

/** The jobs of all services, queried from each service. */
export function installationJobs(client: InternalClient): JobsView {
  const everywhere = <S extends z.ZodType>(request: InternalRequest, schema: S) =>
    Promise.all(
      INNER_SERVICES.map((service) => askService(client, { service, what: 'jobs', request, schema })),
    );
  return {
    counts: async () => {
      const responses = await everywhere({ method: 'GET', path: '/operator/jobs' }, Counts);
      return Object.assign({}, ...responses.map(({ queues }) => queues)) as Record<string, unknown>;
    },
    failed: async () => {
      const responses = await everywhere({ method: 'GET', path: '/operator/jobs/failed' }, Failed);
      return responses.flatMap(({ failed }) => failed);
    },
    retryFailed: async () => {
      const responses = await everywhere({ method: 'POST', path: '/operator/jobs/retry' }, Retried);
      return responses.reduce((sum, { retried }) => sum + retried, 0);
    },
  };
}

// Each service keeps the dead letters of its consumers in its own schema, so the services are queried.

const MAX_DEAD_LETTERS = 1_000;
const WHAT = 'dead letters';
const DeadLetter = z.looseObject({ consumer: z.string(), died_at: z.string() });
const DeadLetters = z.object({ dead_letters: z.array(DeadLetter) });
const Replayed = z.object({ replayed: z.number().int(), failed: z.number().int() });
const ReplayBody = z.object({
  consumer: z.string().min(1),
  ids: z.array(z.string()).max(10_000).optional(),
});

/** The dead letters of one consumer or of all, oldest first. @throws ApiError 400 or 503 */
export async function readDeadLetters(client: InternalClient, { query }: OperatorRequest): Promise<object> {
  const consumer = query.get('consumer');
  const limit = Number(query.get('limit') ?? 100);
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_DEAD_LETTERS) {
    throw new ApiError(400, `limit must be between 1 and ${MAX_DEAD_LETTERS}`);
  }
  const search = new URLSearchParams({ limit: String(limit), ...(consumer ? { consumer } : {}) });
  const request = { method: 'GET' as const, path: `/operator/dead-letters?${search.toString()}` };
  const services = consumer ? [serviceOf(consumer)] : INNER_SERVICES;
  const found = await Promise.all(
    services.map((service) => askService(client, { service, what: WHAT, request, schema: DeadLetters })),
  );
  const oldestFirst = found
    .flatMap(({ dead_letters }) => dead_letters)
    .sort((one, other) => (one.died_at < other.died_at ? -1 : 1));
  return { dead_letters: oldestFirst.slice(0, limit) };
}

/** @throws ApiError 400 or 503 */
export async function replayDeadLetters(
  client: InternalClient,
  { body, operator }: OperatorRequest,
): Promise<object> {
  const wanted = ReplayBody.safeParse(body);
  if (!wanted.success) throw new ApiError(400, 'consumer is required');
  const path = '/operator/dead-letters/replay';
  const request = { method: 'POST' as const, path, body: wanted.data, operator };
  const service = serviceOf(wanted.data.consumer);
  return askService(client, { service, what: WHAT, request, schema: Replayed });
}

/** @throws ApiError 400 when the name does not begin with a service */
function serviceOf(consumer: string): ServiceName {
  const service = ServiceName.safeParse(consumer.split('.')[0]);
  if (!service.success || service.data === 'gateway') {
    throw new ApiError(400, 'consumer must be the name of a consumer, such as messages.delivery-outcomes');
  }
  return service.data;
}

interface Asked<S> {
  service: ServiceName;
  /** what is queried, for the error */
  what: string;
  request: InternalRequest;
  schema: S;
}

/** @throws ApiError 503 when the service is unavailable, which differs from an empty answer */
export async function askService<S extends z.ZodType>(
  client: InternalClient,
  { service, what, request, schema }: Asked<S>,
): Promise<z.infer<S>> {
  const response = await client.request(service, request, schema).catch(() => undefined);
  if (response === undefined) {
    throw new ApiError(503, `the ${service} service cannot be asked for its ${what}`);
  }
  return response;
}
