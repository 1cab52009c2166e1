import { InternalClient, serviceTokenKeys, ServiceTokens } from '@postmesh/http';
import { addOperatorRoutes, OperatorPages, OperatorServer, operatorWays } from '@postmesh/gateway';
import type { HostContext } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import type { Start } from './services.js';

/** Serves only health and metrics until the parts of the process have started. @returns its port */
export async function openOperatorListener(settings: Settings, steps: Start): Promise<number> {
  const { status, logger, stops } = steps;
  const readiness = () => status.readiness();
  const server = new OperatorServer({
    host: settings.operatorHost,
    port: settings.operatorPort,
    ...operatorWays(settings, logger),
    logger,
    readiness,
    isAlive: () => status.isAlive(),
    metrics: () => status.renderMetrics(),
    pages: new OperatorPages(settings),
  });
  addOperatorRoutes(server, () => {
    const { context } = steps;
    if (!context) return undefined;
    const { bus, settings: inForce } = context;
    return { client: operatorClient(context), bus, logger, settings: inForce, readiness };
  });
  const port = await server.listen();
  stops.push('operator interface', () => server.close());
  return port;
}

const operatorClient = ({ directory, settings }: HostContext) =>
  new InternalClient(directory, new ServiceTokens(serviceTokenKeys(settings), 'gateway'));
