import { withTimeout } from '@postmesh/concurrency';
import type { FastifyInstance } from 'fastify';
import type { DataSource } from 'typeorm';
import type { ServiceName } from '@postmesh/contracts';
import type { HostContext } from './service-definition.js';

// The other services continue without content.
const NEED_CONTENT: ReadonlySet<ServiceName> = new Set(['messages', 'delivery-worker']);

/**
 * Health and metrics of a service that runs as a process of its own (architecture §5 item 2). While it drains, it is
 * not ready, and every response ends its connection, so that the client's next one reaches another process.
 */
export function addHealthRoutes(
  fastify: FastifyInstance,
  service: ServiceName,
  context: HostContext,
  dataSource: DataSource | undefined,
): void {
  fastify.addHook('onRequest', (_request, reply, done) => {
    if (context.drain.hasBegun) void reply.header('connection', 'close');
    done();
  });
  fastify.get('/health/live', (_request, reply) => reply.send({ status: 'live' }));
  fastify.get('/health/ready', async (_request, reply) => {
    const checks = {
      serving: !context.drain.hasBegun,
      bus: context.bus.ready(),
      jobs: context.jobs?.ready() ?? true,
      database: await pingDatabase(dataSource),
      ...(NEED_CONTENT.has(service) ? { content: await context.blobs.ready() } : {}),
    };
    const ready = Object.values(checks).every(Boolean);
    return reply.status(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not ready', checks });
  });
  fastify.get('/metrics', async (_request, reply) =>
    reply.header('content-type', context.metrics.registry.contentType).send(await context.metrics.render()),
  );
}

// A probe has a short timeout, and a service that waits this long for a connection is not ready.
const PING_MS = 2_000;

/** A service without a database has nothing to check. */
export async function pingDatabase(dataSource: DataSource | undefined): Promise<boolean> {
  if (!dataSource) return true;
  return withTimeout(dataSource.query('select 1'), PING_MS, 'ping').then(
    () => true,
    () => false,
  );
}
