import { join, resolve } from 'node:path';
import { ACCOUNTS_SERVICE } from '@postmesh/accounts';
import type { InnerService } from '@postmesh/contracts';
import { PostgresWatch, startEmbeddedPostgres } from '@postmesh/database';
import { DELIVERY_WORKER_SERVICE } from '@postmesh/delivery-worker';
import { DOMAINS_SERVICE } from '@postmesh/domains';
import { GATEWAY_SERVICE } from '@postmesh/gateway';
import { InternalClient, serviceTokenKeys, ServiceTokens } from '@postmesh/internal-http';
import { MARKETING_SERVICE } from '@postmesh/marketing';
import { MESSAGES_SERVICE, OtherSenders } from '@postmesh/messages';
import { createLogger, type Logger } from '@postmesh/observability';
import { addOperatorRoutes, Operators, OperatorServer } from '@postmesh/operator';
import { ownBaseUrl } from '@postmesh/public-links';
import { DomainDirectory } from '@postmesh/sending-domains';
import {
  createHostContext,
  startService,
  type HostContext,
  type RunningService,
  type ServiceDefinition,
} from '@postmesh/service-host';
import {
  loadSettings,
  LOCAL_MODE,
  redactedSettings,
  requireDeliverable,
  serviceSetting,
  unknownSettings,
  type Settings,
} from '@postmesh/settings';
import { WEBHOOK_DISPATCHER_SERVICE } from '@postmesh/webhook-dispatcher';
import { WEBHOOKS_SERVICE } from '@postmesh/webhooks';
import { AcceptProcesses } from './accept-processes.js';
import { acceptProcessCount } from './accept-processes.rules.js';
import { ensureCredentials } from './credentials.js';
import { claimDataDir } from './data-dir.js';
import { openInternalListener, type InternalListener } from './internal-listener.js';
import { choosePorts, openListeners, type ChosenPorts, type Ports } from './listeners.js';
import { ensureLocalSecrets } from './local-secrets.js';
import { usableProcessors } from './processors.js';
import { settingsInForce } from './settings-in-force.js';
import { createStatus, type Status } from './status.js';
import { StopStack } from './stop-stack.js';
import { LoadingThread, type ThreadRole } from './thread.js';

/**
 * The services behind the gateway, each after those that it asks. The delivery worker has a thread of its own
 * (POSTMESH_WORKER_THREADS); the gateway opens its listeners last and closes them first.
 */
export const INNER_SERVICES: readonly ServiceDefinition[] = [
  ACCOUNTS_SERVICE,
  DOMAINS_SERVICE,
  MESSAGES_SERVICE,
  MARKETING_SERVICE,
  WEBHOOKS_SERVICE,
  WEBHOOK_DISPATCHER_SERVICE,
];

export interface AllInOne {
  baseUrl: string;
  /** for the person who started it: what it does with mail, and where to look */
  hints: readonly string[];
  stop(): Promise<void>;
}

/**
 * Starts everything in one command (architecture §4): PostgreSQL, local-internet, every service, the listeners.
 * @param onCrash a part that cannot be restarted in place ended by itself
 * @throws Error with a text for people when the start is impossible; what was started is stopped again
 */
export async function startAllInOne(onCrash: (role: ThreadRole) => void): Promise<AllInOne> {
  let logger: Logger | undefined;
  const stops = new StopStack(() => logger);
  try {
    const given = withAbsoluteDataDir(loadSettings());
    // with local-internet no mail leaves this machine
    if (!given.localInternet) requireDeliverable(given);
    logger = createLogger(given, 'all-in-one');
    logger.info({ event: 'settings.given', settings: redactedSettings(given) }, 'settings given');
    for (const name of unknownSettings()) {
      logger.warn({ event: 'settings.unknown', setting: name }, 'there is no such setting');
    }
    const started = await start(given, { logger, stops, status: createStatus(), onCrash });
    return { ...started, stop: () => stops.run() };
  } catch (error) {
    await stops.run();
    throw error;
  }
}

/** What every step of the start needs. */
interface Start {
  logger: Logger;
  stops: StopStack;
  status: Status;
  onCrash: (role: ThreadRole) => void;
}

async function start(given: Settings, steps: Start): Promise<Pick<AllInOne, 'baseUrl' | 'hints'>> {
  const { logger, stops, status } = steps;
  const claim = await claimDataDir(given.dataDir);
  stops.pushLast('data directory', () => claim.release());
  const started: { context?: HostContext } = {};
  stops.first(() => {
    started.context?.drain.begin();
    return claim.stopping();
  });
  const accepting = await loadAccepting(given, logger);
  const threads = loadThreads(given, logger);
  const secrets = await ensureLocalSecrets(given);
  const databaseUrl = given.databaseUrl ?? (await startPostgres(given, steps));
  const withToken = { ...given, operatorToken: secrets.operator_token };
  const operatorPort = await openOperatorListener(withToken, () => started.context, steps);
  const chosen = await choosePorts(given);
  stops.push('chosen ports', () => chosen.release());
  const parts = { databaseUrl, secrets, operatorPort, ports: chosen.ports };
  const withDatabase = settingsInForce(given, { ...parts, internet: undefined });
  const internet = threads.internet && (await startInternet(threads.internet, withDatabase, steps));
  const settings = settingsInForce(given, { ...parts, internet });
  const context = await createHostContext(settings, 'all-in-one', { logger, metrics: status.metrics });
  stops.push('bus, jobs, content', () => context.close());
  started.context = context;
  const stopTogether = stops.together('services');
  const inner = await startInnerServices(context, stopTogether, steps);
  const internal = await openInternalListener(context.directory);
  stops.push('internal listener', () => internal.close());
  const deliveryUrl = await startDelivery(threads.delivery, { context, internal, stopTogether }, steps);
  const urls = { ...urlsOf(internal), deliveryWorkerUrl: deliveryUrl };
  const ports = await (accepting
    ? startAccepting(accepting, { inner, settings: { ...settings, ...urls }, chosen }, steps)
    : openGateway(context, chosen, steps));
  return openForAll(context, { inner, internet, ports }, steps);
}

/** They load their code while others start, as the threads do. */
async function loadAccepting(settings: Settings, logger: Logger): Promise<AcceptProcesses | undefined> {
  const count = acceptProcessCount(settings, await usableProcessors());
  return count === 0 ? undefined : new AcceptProcesses(count, logger);
}

/** Beside PostgreSQL and the services, which leave a second core idle. */
const loadThreads = ({ localInternet, workerThreads }: Settings, logger: Logger) => ({
  internet: localInternet ? new LoadingThread('local-internet', logger) : undefined,
  delivery: workerThreads ? new LoadingThread('delivery-worker', logger) : undefined,
});

/** Relative paths would mean another place to a thread or to PostgreSQL. */
const withAbsoluteDataDir = (settings: Settings): Settings => ({
  ...settings,
  dataDir: resolve(settings.dataDir),
});

/** Watched from now on: it is started again when it ends without us (decision 67). */
async function startPostgres(settings: Settings, { logger, stops, status }: Start): Promise<string> {
  const postgres = await startEmbeddedPostgres({ dataDir: join(settings.dataDir, 'postgres'), logger });
  const watch = new PostgresWatch(postgres, { logger });
  stops.pushLast('PostgreSQL', (leftMs) => watch.stop(leftMs));
  status.addPostgres(watch);
  return postgres.url;
}

/**
 * @param contextNow undefined until the parts of the installation are there: until then only health and metrics
 * respond
 */
async function openOperatorListener(
  settings: Settings,
  contextNow: () => HostContext | undefined,
  { status, logger, stops }: Start,
): Promise<number> {
  const readiness = () => status.readiness();
  const server = new OperatorServer({
    host: settings.operatorHost,
    port: settings.operatorPort,
    operators: Operators.fromSettings(settings),
    logger,
    readiness,
    isAlive: () => status.isAlive(),
    metrics: () => status.renderMetrics(),
  });
  addOperatorRoutes(server, () => {
    const context = contextNow();
    return context && { client: operatorClient(context), bus: context.bus, logger, readiness };
  });
  const port = await server.listen();
  stops.push('operator interface', () => server.close());
  return port;
}

const operatorClient = ({ directory, settings }: HostContext) =>
  new InternalClient(directory, new ServiceTokens(serviceTokenKeys(settings), 'gateway'));

async function startInternet(loading: LoadingThread, settings: Settings, { stops, status, onCrash }: Start) {
  const thread = await loading.start(settings, onCrash);
  stops.push('local-internet', () => thread.stop());
  status.addThread(thread);
  const { facts } = thread;
  return {
    dns: String(facts['dns']),
    sinkPort: Number(facts['sink_port']),
    policyPort: Number(facts['policy_port']),
    authorityFile: String(facts['authority_file']),
    mailboxUrl: String(facts['mailbox_url']),
    useMxPort: (port: number) => thread.useMxPort(port),
  };
}

type Internet = Awaited<ReturnType<typeof startInternet>>;
type StopTogether = ReturnType<StopStack['together']>;

async function startInnerServices(
  context: HostContext,
  stopTogether: StopTogether,
  { status }: Start,
): Promise<RunningService[]> {
  const running: RunningService[] = [];
  for (const definition of INNER_SERVICES) {
    const service = await startService(definition, context);
    stopTogether(() => service.stop());
    status.addService(service);
    running.push(service);
  }
  return running;
}

/** Where another thread or process finds the services of this one. */
const urlsOf = (internal: InternalListener): Partial<Settings> =>
  Object.fromEntries(
    INNER_SERVICES.map(({ name }) => [serviceSetting(name as InnerService, 'Url'), internal.urlOf(name)]),
  );

/** @param loading the thread, where it has one of its own @returns its URL */
async function startDelivery(
  loading: LoadingThread | undefined,
  {
    context,
    internal,
    stopTogether,
  }: { context: HostContext; internal: InternalListener; stopTogether: StopTogether },
  { status, onCrash }: Start,
): Promise<string> {
  if (loading === undefined) {
    const service = await startService(DELIVERY_WORKER_SERVICE, context);
    stopTogether(() => service.stop());
    status.addService(service);
    return internal.urlOf('delivery-worker');
  }
  const thread = await loading.start({ ...context.settings, ...urlsOf(internal) }, onCrash);
  stopTogether(() => thread.stop());
  const url = `http://127.0.0.1:${thread.facts['port']}`;
  context.directory.setUrl('delivery-worker', url);
  status.addThread(thread);
  return url;
}

/** It comes last: from its listeners on, the installation is there for everybody. */
async function openGateway(
  context: HostContext,
  chosen: ChosenPorts,
  { stops, status }: Start,
): Promise<Ports> {
  const gateway = await startService(GATEWAY_SERVICE, context);
  stops.push(gateway.name, () => gateway.stop());
  status.addService(gateway);
  await chosen.release();
  return openListeners(gateway);
}

/** Instead of it, and as late: they have the listeners. This process takes no request of a client. */
async function startAccepting(
  accepting: AcceptProcesses,
  { inner, settings, chosen }: { inner: readonly RunningService[]; settings: Settings; chosen: ChosenPorts },
  { stops, status }: Start,
): Promise<Ports> {
  // events come to this process alone
  const messages = inner.find(({ name }) => name === 'messages');
  messages?.get(DomainDirectory).followedBy(accepting.forgetDomain);
  // campaigns ask the messages service of this process whether others send
  accepting.followedBy(() => messages?.get(OtherSenders).send());
  stops.push('accept processes', (leftMs) => accepting.stop(leftMs));
  status.addAcceptProcesses(accepting);
  await chosen.release();
  return accepting.start(settings, status.metrics);
}

/** The last step: whoever is to know where the listeners are is told. */
async function openForAll(
  { settings }: HostContext,
  {
    inner,
    internet,
    ports,
  }: { inner: readonly RunningService[]; internet: Internet | undefined; ports: Ports },
  { logger, status }: Start,
): Promise<Pick<AllInOne, 'baseUrl' | 'hints'>> {
  const { httpPort, submissionPort, mxPort } = ports;
  internet?.useMxPort(mxPort);
  const baseUrl = ownBaseUrl({ ...settings, httpPort });
  const { mailboxUrl = null } = internet ?? {};
  await ensureCredentials({
    settings,
    baseUrl,
    smtp: { port: submissionPort, mxPort },
    inner,
    mailboxUrl,
    logger,
  });
  status.allStarted();
  return { baseUrl, hints: hintsOf(mailboxUrl, { baseUrl, dataDir: settings.dataDir }) };
}

const hintsOf = (
  mailboxUrl: string | null,
  { baseUrl, dataDir }: { baseUrl: string; dataDir: string },
): string[] => [
  ...(mailboxUrl === null
    ? []
    : [
        `${LOCAL_MODE}.`,
        `Send to any address such as ann@mail.test and read it at ${mailboxUrl}; any domain passes its DNS check.`,
      ]),
  `API reference: ${baseUrl}/docs. Account and key: ${join(dataDir, 'credentials.json')}.`,
];
