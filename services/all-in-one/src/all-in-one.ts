import { join, resolve } from 'node:path';
import { startEmbeddedPostgres } from '@postmesh/database';
import { GatewayServer } from '@postmesh/gateway';
import { InternalClient, serviceTokenKeys, ServiceTokens } from '@postmesh/internal-http';
import { createLogger, type Logger } from '@postmesh/observability';
import { Operators, OperatorServer } from '@postmesh/operator';
import { createHostContext, startService, type RunningService } from '@postmesh/service-host';
import { loadSettings, redactedSettings, unknownSettings, type Settings } from '@postmesh/settings';
import { claimDataDir } from './first-start/data-dir.js';
import { ensureCredentials } from './first-start/ensure-credentials.js';
import { ensureLocalSecrets } from './first-start/local-secrets.js';
import { addOperatorInterface, createStatus, type Status } from './stages/operator-interface.js';
import { DELIVERY_SERVICE, FRONT_SERVICE, INNER_SERVICES } from './stages/all-services.js';
import { settingsInForce } from './stages/settings-in-force.js';
import { StopStack } from './stages/stop-stack.js';
import { openInternalDoor } from './threads/internal-door.js';
import { Thread, type ThreadRole } from './threads/thread.js';

type Stopped = ReturnType<StopStack['together']>;
type Context = Awaited<ReturnType<typeof createHostContext>>;

export interface AllInOne {
  baseUrl: string;
  stop(): Promise<void>;
}

/**
 * Starts everything in one command (architecture §4): PostgreSQL, local-internet, every service, the doors.
 * @param onCrash a part that cannot be restarted in place ended by itself
 * @throws Error with a text for people when the start is impossible; what was started is stopped again
 */
export async function startAllInOne(onCrash: (role: ThreadRole) => void): Promise<AllInOne> {
  let logger: Logger | undefined;
  const stops = new StopStack(() => logger);
  try {
    const given = withAbsoluteDataDir(loadSettings());
    logger = createLogger(given, 'all-in-one');
    logger.info({ settings: redactedSettings(given) }, 'settings given');
    for (const name of unknownSettings()) logger.warn({ setting: name }, 'there is no such setting');
    const baseUrl = await start(given, logger, stops, onCrash);
    return { baseUrl, stop: () => stops.run() };
  } catch (error) {
    await stops.run();
    throw error;
  }
}

async function start(given: Settings, logger: Logger, stops: StopStack, onCrash: (role: ThreadRole) => void) {
  const claim = await claimDataDir(given.dataDir);
  stops.push('data directory', () => claim.release());
  stops.first(() => claim.stopping());
  const secrets = await ensureLocalSecrets(given);
  const databaseUrl = given.databaseUrl ?? (await startPostgres(given, logger, stops));
  const status = createStatus();
  const operator = await openOperatorInterface(given, secrets.operator_token, status, logger, stops);
  const parts = { databaseUrl, secrets, operatorPort: operator.port };
  const withDatabase = settingsInForce(given, { ...parts, internet: undefined });
  const internet = given.localInternet
    ? await startInternet(withDatabase, logger, stops, status, onCrash)
    : undefined;
  const settings = settingsInForce(given, { ...parts, internet });
  const context = await createHostContext(settings, 'all-in-one', { logger, metrics: status.metrics });
  stops.push('bus, jobs, content', () => context.close());
  addOperatorInterface(operator.server, { context, status, client: operatorClient(context) });
  const stopped = stops.together('services');
  const inner = await startInnerServices(context, stopped, status);
  await startDelivery({ context, stops, stopped, status, onCrash });
  return openDoors({ context, stops, status, inner, mailboxUrl: internet?.mailboxUrl ?? null });
}

/** Relative paths would mean another place to a thread or to PostgreSQL. */
const withAbsoluteDataDir = (settings: Settings): Settings => ({
  ...settings,
  dataDir: resolve(settings.dataDir),
});

async function startPostgres(settings: Settings, logger: Logger, stops: StopStack): Promise<string> {
  const postgres = await startEmbeddedPostgres({ dataDir: join(settings.dataDir, 'postgres'), logger });
  stops.push('PostgreSQL', () => postgres.stop());
  return postgres.url;
}

async function openOperatorInterface(
  settings: Settings,
  operatorToken: string,
  status: Status,
  logger: Logger,
  stops: StopStack,
): Promise<{ server: OperatorServer; port: number }> {
  const server = new OperatorServer({
    host: settings.operatorHost,
    port: settings.operatorPort,
    operators: Operators.fromSettings({ ...settings, operatorToken }),
    logger,
    readiness: () => status.readiness(),
    metrics: () => status.renderMetrics(),
  });
  const port = await server.listen();
  stops.push('operator interface', () => server.close());
  return { server, port };
}

async function startInternet(
  settings: Settings,
  logger: Logger,
  stops: StopStack,
  status: Status,
  onCrash: (role: ThreadRole) => void,
) {
  const thread = await Thread.start({ role: 'local-internet', settings }, logger, onCrash);
  stops.push('local-internet', () => thread.stop());
  status.addThread(thread);
  const { dns, sink_port: sinkPort, mailbox_url: mailboxUrl } = thread.facts;
  return { dns: String(dns), sinkPort: Number(sinkPort), mailboxUrl: String(mailboxUrl) };
}

const operatorClient = ({ directory, settings }: Context) =>
  new InternalClient(directory, new ServiceTokens(serviceTokenKeys(settings), 'gateway'));

async function startInnerServices(
  context: Context,
  stopped: Stopped,
  status: Status,
): Promise<RunningService[]> {
  const running: RunningService[] = [];
  for (const definition of INNER_SERVICES) {
    const service = await startService(definition, context);
    stopped(() => service.stop());
    status.addService(service);
    running.push(service);
  }
  return running;
}

interface DeliveryParts {
  context: Context;
  stops: StopStack;
  stopped: Stopped;
  status: Status;
  onCrash: (role: ThreadRole) => void;
}

async function startDelivery({ context, stops, stopped, status, onCrash }: DeliveryParts): Promise<void> {
  if (!context.settings.workerThreads) {
    const service = await startService(DELIVERY_SERVICE, context);
    stopped(() => service.stop());
    status.addService(service);
    return;
  }
  const door = await openInternalDoor(context.directory);
  stops.push('internal door', () => door.close());
  const settings = {
    ...context.settings,
    accountsUrl: door.urlOf('accounts'),
    domainsUrl: door.urlOf('domains'),
    messagesUrl: door.urlOf('messages'),
  };
  const thread = await Thread.start({ role: 'delivery-worker', settings }, context.logger, onCrash);
  stopped(() => thread.stop());
  context.directory.setUrl('delivery-worker', `http://127.0.0.1:${thread.facts['port']}`);
  status.addThread(thread);
}

interface Doors {
  context: Context;
  stops: StopStack;
  status: Status;
  inner: readonly RunningService[];
  mailboxUrl: string | null;
}

async function openDoors({ context, stops, status, inner, mailboxUrl }: Doors): Promise<string> {
  const { settings } = context;
  const gateway = await startService(FRONT_SERVICE, context);
  stops.push(gateway.name, () => gateway.stop());
  status.addService(gateway);
  const { httpPort } = await gateway.get(GatewayServer).open();
  const baseUrl = settings.baseUrl ?? `http://localhost:${httpPort}`;
  await ensureCredentials({ settings, inner, baseUrl, mailboxUrl });
  status.allStarted();
  return baseUrl;
}
