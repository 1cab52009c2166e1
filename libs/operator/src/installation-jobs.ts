import { z } from 'zod';
import { ApiError, SERVICES, type ServiceName } from '@postmesh/contracts';
import type { InternalClient, InternalRequest } from '@postmesh/internal-http';

/** Jobs as an operator meets them, wherever they run. */
export interface JobsView {
  counts(): Promise<Record<string, unknown>>;
  failed(): Promise<FailedEntry[]>;
  /** @returns how many were put back */
  retryFailed(): Promise<number>;
}

const Counts = z.object({ queues: z.record(z.string(), z.unknown()) });
const FailedEntry = z.looseObject({ job: z.string(), id: z.string() });
type FailedEntry = z.infer<typeof FailedEntry>;
const Failed = z.object({ failed: z.array(FailedEntry) });
const Retried = z.object({ retried: z.number().int() });

// The gateway runs none.
const ASKED = SERVICES.filter((service) => service !== 'gateway');

/**
 * The jobs of every service, asked from the services themselves: a process knows only the kinds that it runs.
 * Services of one process know the same ones, so what comes twice counts once.
 */
export function installationJobs(client: InternalClient): JobsView {
  const everywhere = <S extends z.ZodType>(request: InternalRequest, schema: S) =>
    Promise.all(ASKED.map((service) => ask(client, service, request, schema)));
  return {
    counts: async () => {
      const answers = await everywhere({ method: 'GET', path: '/operator/jobs' }, Counts);
      return Object.assign({}, ...answers.map(({ queues }) => queues)) as Record<string, unknown>;
    },
    failed: async () => {
      const answers = await everywhere({ method: 'GET', path: '/operator/jobs/failed' }, Failed);
      const byId = new Map(
        answers.flatMap(({ failed }) => failed).map((one) => [`${one.job}/${one.id}`, one]),
      );
      return [...byId.values()];
    },
    retryFailed: async () => {
      // one after another: of services that share their jobs the first one puts them back
      let count = 0;
      for (const service of ASKED) {
        const request = { method: 'POST' as const, path: '/operator/jobs/retry' };
        count += (await ask(client, service, request, Retried)).retried;
      }
      return count;
    },
  };
}

async function ask<S extends z.ZodType>(
  client: InternalClient,
  service: ServiceName,
  request: InternalRequest,
  schema: S,
): Promise<z.infer<S>> {
  const response = await client.request(service, request, schema).catch(() => undefined);
  if (response === undefined) throw new ApiError(503, `the ${service} service cannot be asked for its jobs`);
  return response;
}
