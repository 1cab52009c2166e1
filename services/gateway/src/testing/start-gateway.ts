import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServiceDirectory } from '@postmesh/http';
import {
  bodyRooms,
  startService,
  type HostContext,
  type RunningService,
  type ServiceDefinition,
} from '@postmesh/service-host';
import { startTestService } from '@postmesh/service-testing';
import type { Settings } from '@postmesh/settings';
import { GatewayListeners } from '../gateway-listeners.js';
import { GATEWAY_SERVICE } from '../gateway.module.js';
import type { OpenSmtpListener } from '../smtp/smtp-listeners.js';
import { AccountsDouble } from './accounts-double.js';
import { answerNormally, CAMPAIGN_ECHO_SERVICE, ECHO_SERVICE } from './echo-service.js';
import { RoutesDouble } from './routes-double.js';

export const MODES = ['in process', 'over HTTP'] as const;
export type Mode = (typeof MODES)[number];

export interface TestGateway {
  readonly accounts: AccountsDouble;
  readonly routes: RoutesDouble;
  readonly url: string;
  readonly port: number;
  readonly smtp: OpenSmtpListener[];
  readonly context: HostContext;
  readonly service: RunningService;
  /** starts another gateway with the same services */
  startAnother(): Promise<{ url: string; port: number }>;
  stop(): Promise<void>;
}

/**
 * Starts a gateway in front of a real service, which it calls in the given way.
 * @param stores the services have databases, and idempotency keys with them
 */
export async function startGateway(
  databaseUrl: string,
  mode: Mode,
  settings: Partial<Settings> = {},
  stores = false,
): Promise<TestGateway> {
  const withDatabase = (service: ServiceDefinition): ServiceDefinition =>
    stores ? { ...service, database: { entities: [], migrations: [] } } : service;
  answerNormally();
  const echo = await startTestService(withDatabase(ECHO_SERVICE), {
    databaseUrl,
    settings: limitsOf(settings),
  });
  const marketing = await startService(withDatabase(CAMPAIGN_ECHO_SERVICE), echo.context);
  const accounts = new AccountsDouble(echo.context.settings.secretKeys);
  const dataDir = await mkdtemp(join(tmpdir(), 'postmesh-gateway-'));
  const secretKeys = [...echo.context.settings.secretKeys, OLDER_KEY];
  const inForce = { ...echo.context.settings, ...ON_FREE_PORTS, dataDir, secretKeys, ...settings };
  const running: RunningService[] = [];
  const directory = mode === 'in process' ? echo.context.directory : await remote(echo.service, marketing);
  directory.addLocal('accounts', accounts);
  const routes = new RoutesDouble();
  directory.addLocal('webhooks', routes);
  // each process has its own; services of one share it
  const rooms = mode === 'in process' ? echo.context.bodyRooms : bodyRooms(inForce);
  const context = { ...echo.context, settings: inForce, directory, bodyRooms: rooms };
  const open = async () => {
    const service = await startService(GATEWAY_SERVICE, context);
    running.push(service);
    const { httpPort: port, smtp } = await service.get(GatewayListeners).open();
    return { service, port, smtp, url: `http://127.0.0.1:${port}` };
  };
  return {
    accounts,
    routes,
    context,
    ...(await open()),
    startAnother: open,
    stop: async () => {
      await Promise.all(running.map((service) => service.stop()));
      if (mode === 'over HTTP') await directory.close();
      await marketing.stop();
      await echo.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Settings of the gateway that its service shares. */
const limitsOf = ({ uploadStallSeconds, bodyBytes }: Partial<Settings>): Partial<Settings> => ({
  ...(uploadStallSeconds === undefined ? {} : { uploadStallSeconds }),
  ...(bodyBytes === undefined ? {} : { bodyBytes }),
});

/** a key that is still accepted */
export const OLDER_KEY = 'an-older-key-of-the-installation';

const ON_FREE_PORTS: Partial<Settings> = {
  httpHost: '127.0.0.1',
  httpPort: 0,
  smtpHost: '127.0.0.1',
  submissionPorts: [0],
  mxPort: 0,
  rateGeneralPerSecond: 10_000,
  rateGeneralBurst: 10_000,
};

async function remote(messages: RunningService, marketing: RunningService): Promise<ServiceDirectory> {
  const urlOf = async (service: RunningService) => `http://127.0.0.1:${await service.listen('127.0.0.1', 0)}`;
  return new ServiceDirectory({ messages: await urlOf(messages), marketing: await urlOf(marketing) });
}
