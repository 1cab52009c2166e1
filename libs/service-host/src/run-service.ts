import { hostname } from 'node:os';
import { withTimeout } from '@postmesh/concurrency';
import { loadSettings, openPort, redactedSettings, unknownSettings } from '@postmesh/settings';
import { createHostContext } from './host-context.js';
import type { HostContext, RunningService, ServiceDefinition } from './service-definition.js';
import { startService } from './start-service.js';

// Kubernetes gives 30 s by default; whatever is not done by then is found by leases and sweepers.
const STOP_MS = 9_000;
const ALL_MS = STOP_MS - 300;

/**
 * The main of a service that runs as a process of its own: settings, parts, service, internal HTTP; stops
 * cleanly on SIGTERM and SIGINT. Prints `postmesh <service> ready <url>` to stdout.
 * @param also starts what belongs to the process beside the service (public listeners); returns its stop
 */
export async function runService(
  definition: ServiceDefinition,
  also?: (service: RunningService, context: HostContext) => Promise<() => Promise<void>>,
): Promise<void> {
  const settings = loadSettings();
  const context = await createHostContext(settings, definition.name);
  const { logger } = context;
  logger.info(
    { event: 'settings.in_force', settings: redactedSettings(settings), host: hostname() },
    'settings in force',
  );
  for (const name of unknownSettings()) {
    logger.warn({ event: 'settings.unknown', setting: name }, 'there is no such setting');
  }
  const service = await startService(definition, context);
  const { serviceHost, servicePort } = settings;
  const port = await openPort('POSTMESH_SERVICE_PORT', servicePort, () =>
    service.listen(serviceHost, servicePort),
  );
  const stopAlso = await also?.(service, context);
  stopOnSignal(async () => {
    const stopAll = async () => {
      await stopAlso?.();
      await service.stop();
      await context.close();
    };
    await withTimeout(stopAll(), ALL_MS, 'the stop').catch((error: unknown) =>
      logger.error({ event: 'stop.failed', err: error }, 'not stopped in order'),
    );
  });
  process.stdout.write(`postmesh ${definition.name} ready http://${settings.serviceHost}:${port}\n`);
}

/** SIGTERM and SIGINT stop once; a stop that hangs ends anyway. */
export function stopOnSignal(stop: () => Promise<void>): void {
  let stopping = false;
  const onSignal = () => {
    if (stopping) return;
    stopping = true;
    setTimeout(() => process.exit(1), STOP_MS).unref();
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
