import { InternalClient, serviceTokenKeys, ServiceTokens } from '@postmesh/internal-http';
import { addOperatorRoutes, OperatorServer, type Examination } from '@postmesh/operator';
import type { HostContext, RunningService } from '@postmesh/service-host';

// More events behind than this is a backlog that a person should know of.
const WORRYING_LAG = 10_000;

/**
 * The operator interface of an installation whose services are processes of their own: every gateway has
 * one (architecture §5.4). Without a token it stays closed.
 * @returns closes it
 */
export async function openOperatorDoor(
  gateway: RunningService,
  context: HostContext,
): Promise<() => Promise<void>> {
  const { settings, logger } = context;
  if (settings.operatorToken === undefined) {
    logger.warn('POSTMESH_OPERATOR_TOKEN is not set: the operator interface stays closed');
    return async () => undefined;
  }
  const server = new OperatorServer({
    host: settings.operatorHost,
    port: settings.operatorPort,
    token: settings.operatorToken,
    logger,
    readiness: async () => ({ gateway: await gateway.ready() }),
    metrics: () => context.metrics.render(),
  });
  const tokens = new ServiceTokens(serviceTokenKeys(settings), 'gateway');
  const client = new InternalClient(context.directory, tokens);
  addOperatorRoutes(server, {
    client,
    bus: context.bus,
    jobs: context.jobs,
    examine: () => examine(gateway, context),
  });
  await server.listen();
  return () => server.close();
}

async function examine(gateway: RunningService, context: HostContext): Promise<Examination[]> {
  const ready = await gateway.ready();
  const lag = await context.bus.lag();
  return [
    { check: 'gateway is ready', ok: ready, detail: ready ? 'yes' : 'no' },
    ...lag.map(({ group, stream, behind }) => ({
      check: `${group} keeps up with ${stream}`,
      ok: behind < WORRYING_LAG,
      detail: `${behind} events behind`,
    })),
  ];
}
