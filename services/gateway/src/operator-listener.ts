import { SERVICES, type ServiceName } from '@postmesh/contracts';
import { InternalClient, serviceTokenKeys, ServiceTokens } from '@postmesh/http';
import type { HostContext, RunningService } from '@postmesh/service-host';
import { OperatorPages } from './console/console-pages.js';
import { addOperatorRoutes } from './operator/operator-routes.js';
import { OperatorServer, operatorWays } from './operator/operator-server.js';

/**
 * The operator interface of an installation whose services are processes of their own: every gateway has
 * one (architecture §5.4). Without a way in it stays closed.
 * @returns closes it
 */
export async function openOperatorListener(
  gateway: RunningService,
  context: HostContext,
): Promise<() => Promise<void>> {
  const { settings, logger } = context;
  const ways = operatorWays(settings, logger);
  if (ways.operators.areNone && !ways.oidc) {
    logger.warn(
      { event: 'operator_listener.closed', setting: 'POSTMESH_OPERATOR_TOKEN' },
      'no operator token and no provider: the operator interface stays closed',
    );
    return async () => undefined;
  }
  const server = new OperatorServer({
    host: settings.operatorHost,
    port: settings.operatorPort,
    ...ways,
    logger,
    readiness: async () => ({ gateway: await gateway.ready() }),
    metrics: () => context.metrics.render(),
    pages: new OperatorPages(settings),
  });
  const tokens = new ServiceTokens(serviceTokenKeys(settings), 'gateway');
  const client = new InternalClient(context.directory, tokens);
  const readiness = () => readinessOf(gateway, client);
  const ports = { client, bus: context.bus, logger, settings, readiness };
  addOperatorRoutes(server, () => ports);
  await server.listen();
  return () => server.close();
}

/** Whether every service can be reached and is ready; one of several replicas responds. */
async function readinessOf(
  gateway: RunningService,
  client: InternalClient,
): Promise<Record<string, boolean>> {
  const asked = SERVICES.map(async (service) => {
    const ready = service === 'gateway' ? await gateway.ready() : await isReady(client, service);
    return [service, ready] as const;
  });
  return Object.fromEntries(await Promise.all(asked));
}

function isReady(client: InternalClient, service: ServiceName): Promise<boolean> {
  return client.send(service, { method: 'GET', path: '/health/ready' }).then(
    ({ status }) => status === 200,
    () => false,
  );
}
