import { join, resolve } from 'node:path';
import { pause } from '@postmesh/concurrency';
import { PostgresWatch, startEmbeddedPostgres } from '@postmesh/database';
import { createLogger, type Logger } from '@postmesh/observability';
import { ownBaseUrl } from '@postmesh/public-links';
import {
  loadSettings,
  LOCAL_MODE,
  redactedSettings,
  requireDeliverable,
  unknownSettings,
  type Settings,
} from '@postmesh/settings';
import { ensureCredentials } from './credentials.js';
import { claimDataDir } from './data-dir.js';
import {
  awaitInstallation,
  publishInstallation,
  watchInstallation,
  withdrawInstallation,
} from './installation-file.js';
import { choosePorts } from './listeners.js';
import { openLocalInternet, type LocalInternet } from './local-internet.js';
import { ensureLocalSecrets } from './local-secrets.js';
import { openOperatorListener } from './operator-listener.js';
import { nameOf, requireFixedPorts, rolesOf, urlsElsewhere } from './roles.rules.js';
import { loadDelivery, startContext, startGateway, startInner, type Start } from './services.js';
import { outgoingHttpOf, settingsInForce, stopSettings } from './settings-in-force.js';
import { createStatus } from './status.js';
import { StopStack } from './stop-stack.js';

export interface AllInOne {
  /** the line that scripts wait for */
  readyLine: string;
  /** for the person who started it: the handling of mail, and where to look */
  hints: readonly string[];
  stop(): Promise<void>;
  /** after this time the process ends, even with running work */
  stopMs: number;
}

type Started = Pick<AllInOne, 'readyLine' | 'hints'>;

// After the drain.
const STOP_MS = 9_000;

/**
 * Starts everything in one command (architecture §4): PostgreSQL, local-internet, every service, the listeners. With
 * POSTMESH_ROLES it starts only the services that the setting names, for an installation of several processes (decision
 * 110).
 * @param end called when the supervisor has to restart this process
 * @throws Error with a readable text when the start is impossible; the started parts are stopped again
 */
export async function startAllInOne(end: (why: string) => void): Promise<AllInOne> {
  let logger: Logger | undefined;
  const stops = new StopStack(() => logger);
  try {
    const given = withAbsoluteDataDir(loadSettings());
    // mail to local-internet does not leave this machine
    if (!given.localInternet) requireDeliverable(given);
    const roles = rolesOf(given);
    logger = createLogger(given, nameOf(roles));
    logger.info({ event: 'settings.given', settings: redactedSettings(given) }, 'settings given');
    for (const name of unknownSettings()) {
      logger.warn({ event: 'settings.unknown', setting: name }, 'unknown setting, ignored');
    }
    const steps: Start = { roles, logger, stops, status: createStatus(), end };
    const started = await (roles.isMain ? startMain(given, steps) : joinMain(given, steps));
    steps.status.allStarted();
    return { ...started, stop: () => stops.run(), stopMs: given.drainSeconds * 1_000 + STOP_MS };
  } catch (error) {
    await stops.run();
    throw error;
  }
}

/** PostgreSQL resolves relative paths from another directory. */
const withAbsoluteDataDir = (settings: Settings): Settings => ({
  ...settings,
  dataDir: resolve(settings.dataDir),
});

/** The process with the parts that an installation has once. Without POSTMESH_ROLES it is the only process. */
async function startMain(given: Settings, steps: Start): Promise<Started> {
  const { roles, stops } = steps;
  if (roles.isShared) requireFixedPorts(given);
  const claim = await claimDataDir(given.dataDir);
  stops.pushLast('data directory', () => claim.release());
  stops.first(async () => {
    const drained = drain(given, steps);
    await claim.stopping();
    await drained;
  });
  const delivery = loadDelivery(steps);
  await withdrawInstallation(given.dataDir);
  const secrets = await ensureLocalSecrets(given);
  const databaseUrl = given.databaseUrl ?? (await startPostgres(given, steps));
  const forOperators = { operatorToken: secrets.operator_token, outgoingHttpAllow: outgoingHttpOf(given) };
  const operatorPort = await openOperatorListener({ ...given, ...forOperators }, steps);
  const chosen = await choosePorts(given);
  stops.push('chosen ports', () => chosen.release());
  const parts = { databaseUrl, secrets, operatorPort, ports: chosen.ports };
  const internet = await startInternet(settingsInForce(given, { ...parts, internet: undefined }), steps);
  const local = settingsInForce(given, { ...parts, internet });
  const settings = { ...local, ...urlsElsewhere(local, roles) };
  const context = await startContext(settings, steps);
  const inner = await startInner(context, { port: 0, reusePort: false, delivery }, steps);
  await chosen.release();
  const ports = await startGateway(context, steps);
  internet?.useMxPort(ports.mxPort);
  const baseUrl = ownBaseUrl({ ...settings, httpPort: ports.httpPort });
  const mailboxUrl = internet?.mailboxUrl ?? null;
  const consoleLink = await ensureCredentials({
    settings,
    baseUrl,
    smtp: { port: ports.submissionPort, mxPort: ports.mxPort },
    inner: inner.services,
    mailboxUrl,
    logger: steps.logger,
  });
  if (roles.isShared) await publishInstallation({ ...settings, ...inner.urls });
  return {
    readyLine: `postmesh ready ${baseUrl}`,
    hints: hintsOf(mailboxUrl, { baseUrl, dataDir: settings.dataDir, consoleLink }),
  };
}

/** Any other process of the installation. */
async function joinMain(given: Settings, steps: Start): Promise<Started> {
  const { roles, logger, stops, end } = steps;
  stops.first(() => drain(given, steps));
  const delivery = loadDelivery(steps);
  const shared = await awaitInstallation(given.dataDir, logger);
  const settings = { ...given, ...shared, ...stopSettings(given) };
  const operatorPort = await openOperatorListener(settings, steps);
  const context = await startContext(settings, steps);
  const { servicePort: port, reusePort } = settings;
  await startInner(context, { port, reusePort, delivery }, steps);
  await startGateway(context, steps);
  const endWatch = watchInstallation(given.dataDir, shared, () => {
    logger.warn(
      { event: 'installation.changed', data_dir: given.dataDir },
      'the main process published other settings, stopping for a restart',
    );
    end('the main process published other settings');
  });
  stops.push('watch of the installation', endWatch);
  return {
    readyLine: `postmesh ${nameOf(roles)} ready http://localhost:${operatorPort}`,
    hints: [],
  };
}

/** Reports not ready, and continues to accept until the drain is over. */
async function drain({ drainSeconds }: Settings, { context }: Start): Promise<void> {
  if (!context) return;
  context.drain.begin();
  await pause(drainSeconds * 1_000);
}

/** The watch restarts PostgreSQL when it ends unexpectedly (decision 67). */
async function startPostgres(settings: Settings, { logger, stops, status }: Start): Promise<string> {
  const postgres = await startEmbeddedPostgres({ dataDir: join(settings.dataDir, 'postgres'), logger });
  const watch = new PostgresWatch(postgres, { logger });
  stops.pushLast('PostgreSQL', (leftMs) => watch.stop(leftMs));
  status.addPostgres(watch);
  return postgres.url;
}

async function startInternet(
  settings: Settings,
  { logger, stops }: Start,
): Promise<LocalInternet | undefined> {
  if (!settings.localInternet) return undefined;
  const internet = await openLocalInternet(settings, logger);
  stops.push('local-internet', () => internet.stop());
  return internet;
}

const hintsOf = (
  mailboxUrl: string | null,
  { baseUrl, dataDir, consoleLink }: { baseUrl: string; dataDir: string; consoleLink: string | undefined },
): string[] => [
  ...(mailboxUrl === null
    ? []
    : [
        `${LOCAL_MODE}.`,
        `Send to any address such as ann@mail.test and read it at ${mailboxUrl}; any domain passes its DNS check.`,
      ]),
  ...(consoleLink === undefined
    ? []
    : [
        `Console: ${consoleLink} (signs you in once, within 15 minutes; npx postmesh console-link makes another).`,
      ]),
  `API reference: ${baseUrl}/docs. Account and key: ${join(dataDir, 'credentials.json')}.`,
];
