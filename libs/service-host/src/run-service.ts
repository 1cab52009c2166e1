import { hostname } from 'node:os';
import { pause, withTimeout } from '@postmesh/concurrency';
import {
  loadSettings,
  openPort,
  redactedSettings,
  requireDeliverable,
  unknownSettings,
} from '@postmesh/settings';
import { stopTimes, type StopTimes } from './drain.js';
import { createHostContext } from './host-context.js';
import type { HostContext, RunningService, ServiceDefinition } from './service-definition.js';
import { startService } from './start-service.js';

// Unfinished work is found by leases and sweepers.
const STOP_MS = 9_000;
// A part of the stop, for the log line about the parts that did not end.
const LAST_WORDS_MS = 300;

/**
 * The main of a service that runs as a process of its own: settings, parts, service, internal HTTP; drains and stops
 * on SIGTERM and SIGINT. Prints `postmesh <service> ready <url>` to stdout.
 * @param also starts further parts of the process (public listeners); returns their stop
 */
export async function runService(
  definition: ServiceDefinition,
  also?: (service: RunningService, context: HostContext) => Promise<() => Promise<void>>,
): Promise<void> {
  const settings = loadSettings();
  requireDeliverable(settings);
  const times = stopTimes(settings);
  const context = await createHostContext(settings, definition.name);
  const { logger } = context;
  logger.info(
    { event: 'settings.in_force', settings: redactedSettings(settings), host: hostname() },
    'settings in force',
  );
  for (const name of unknownSettings()) {
    logger.warn({ event: 'settings.unknown', setting: name }, 'unknown setting, ignored');
  }
  const service = await startService(definition, context);
  // before health says that it is ready
  const stopAlso = await also?.(service, context);
  const { serviceHost, servicePort } = settings;
  const port = await openPort('POSTMESH_SERVICE_PORT', servicePort, () =>
    service.listen(serviceHost, servicePort),
  );
  const stopService = async () => {
    await stopAlso?.();
    await service.stop();
  };
  stopOnSignal(() => drainAndStop(context, times, stopService), times.drainMs + times.stopMs);
  process.stdout.write(`postmesh ${definition.name} ready http://${settings.serviceHost}:${port}\n`);
}

/**
 * Not ready → requests are accepted during the drain → listeners, consumers and claims end, running remote calls are
 * finished, leases and jobs are handed back → the parts of the process are closed.
 */
async function drainAndStop(
  context: HostContext & { close(): Promise<void> },
  { drainMs, stopMs }: StopTimes,
  stopService: () => Promise<void>,
): Promise<void> {
  const { drain, logger } = context;
  drain.begin();
  logger.info({ event: 'process.draining', drain_ms: drainMs, stop_ms: stopMs }, 'shutting down');
  await pause(drainMs);
  const stopAll = async () => {
    await stopService();
    await context.close();
  };
  await withTimeout(stopAll(), stopMs - LAST_WORDS_MS, 'the stop').catch((error: unknown) =>
    logger.error({ event: 'stop.failed', err: error }, 'not stopped in order'),
  );
}

/** SIGTERM and SIGINT stop once; a stop that hangs is cut off. @param limitMs default 9 s */
export function stopOnSignal(stop: () => Promise<void>, limitMs = STOP_MS): void {
  let stopping = false;
  const onSignal = () => {
    if (stopping) return;
    stopping = true;
    setTimeout(() => process.exit(1), limitMs).unref();
    stop().then(
      () => process.exit(process.exitCode ?? 0),
      (error: unknown) => {
        process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
        process.exit(1);
      },
    );
  };
  process.once('SIGTERM', onSignal);
  process.once('SIGINT', onSignal);
}
