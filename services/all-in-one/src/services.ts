import { ACCOUNTS_SERVICE } from '@postmesh/accounts';
import { INNER_SERVICES as INNER_NAMES, type InnerService } from '@postmesh/contracts';
import { DELIVERY_WORKER_SERVICE } from '@postmesh/delivery-worker';
import { DOMAINS_SERVICE } from '@postmesh/domains';
import { GATEWAY_SERVICE } from '@postmesh/gateway';
import { MARKETING_SERVICE } from '@postmesh/marketing';
import { MESSAGES_SERVICE } from '@postmesh/messages';
import type { Logger } from '@postmesh/observability';
import {
  createHostContext,
  startService,
  type HostContext,
  type RunningService,
  type ServiceDefinition,
} from '@postmesh/service-host';
import { openPort, type Settings } from '@postmesh/settings';
import { WEBHOOK_DISPATCHER_SERVICE } from '@postmesh/webhook-dispatcher';
import { WEBHOOKS_SERVICE } from '@postmesh/webhooks';
import { DeliveryThread } from './delivery-thread.js';
import { openInternalListener, type InternalListener } from './internal-listener.js';
import { openListeners, type Ports } from './listeners.js';
import { deliversInThread, nameOf, urlsOf, type Roles } from './roles.rules.js';
import type { Status } from './status.js';
import type { StopStack } from './stop-stack.js';

/** In the order of a start: each service after the services that it calls. */
const DEFINITIONS: Readonly<Record<InnerService, ServiceDefinition>> = {
  accounts: ACCOUNTS_SERVICE,
  domains: DOMAINS_SERVICE,
  messages: MESSAGES_SERVICE,
  marketing: MARKETING_SERVICE,
  webhooks: WEBHOOKS_SERVICE,
  'webhook-dispatcher': WEBHOOK_DISPATCHER_SERVICE,
  'delivery-worker': DELIVERY_WORKER_SERVICE,
};

/** The services behind the gateway, which opens its listeners last and closes them first. */
export const INNER_SERVICES: readonly ServiceDefinition[] = Object.values(DEFINITIONS);

/** The parts that every step of a start needs. */
export interface Start {
  readonly roles: Roles;
  readonly logger: Logger;
  readonly stops: StopStack;
  readonly status: Status;
  /** stops this process; its supervisor has to restart it */
  readonly end: (why: string) => void;
  /** set by `startContext` */
  context?: HostContext;
}

export async function startContext(settings: Settings, steps: Start): Promise<HostContext> {
  const { roles, logger, stops, status } = steps;
  const context = await createHostContext(settings, nameOf(roles), { logger, metrics: status.metrics });
  stops.push('bus, jobs, content', () => context.close());
  steps.context = context;
  return context;
}

/** Starts to load the code of the delivery worker. */
export const loadDelivery = ({ roles, logger }: Start): DeliveryThread | undefined =>
  deliversInThread(roles) ? new DeliveryThread(logger) : undefined;

/** Services of this process for calls inside of it, and their URLs for other processes, as settings. */
export interface Inner {
  readonly services: readonly RunningService[];
  readonly urls: Partial<Settings>;
}

/**
 * Starts the services behind the gateway. They stop together, because each may take seconds.
 * @param at the internal listener
 * @throws Error that names the setting of a port that is not available
 */
export async function startInner(
  context: HostContext,
  at: { port: number; reusePort: boolean; delivery: DeliveryThread | undefined },
  { roles, stops, status, end }: Start,
): Promise<Inner> {
  const { delivery, ...listener } = at;
  const stopTogether = stops.together('services');
  const services: RunningService[] = [];
  const isHere = ({ name }: ServiceDefinition) =>
    roles.services.has(name) && !(delivery && name === 'delivery-worker');
  for (const definition of INNER_SERVICES.filter(isHere)) {
    const service = await startService(definition, context);
    stopTogether(() => service.stop());
    status.addService(service);
    services.push(service);
  }
  const open = () => openInternalListener(context.directory, listener);
  const internal: InternalListener = await openPort('POSTMESH_SERVICE_PORT', at.port, open);
  stops.push('internal listener', (leftMs) => internal.close(leftMs));
  const urls = urlsOf(
    INNER_NAMES.filter((service) => roles.services.has(service)),
    (service) => internal.urlOf(service),
  );
  if (!delivery) return { services, urls };
  const crashed = () => end('delivery-worker ended unexpectedly');
  const port = await delivery.start({ ...context.settings, ...urls }, crashed);
  stopTogether(() => delivery.stop());
  status.addDelivery(delivery);
  const url = `http://127.0.0.1:${port}`;
  context.directory.setUrl('delivery-worker', url);
  return { services, urls: { ...urls, deliveryWorkerUrl: url } };
}

/** Starts the gateway where it is one of the roles. Its listeners complete the start for clients. @returns its ports */
export async function startGateway(context: HostContext, { roles, stops, status }: Start): Promise<Ports> {
  const { httpPort, submissionPorts, mxPort } = context.settings;
  if (!roles.services.has('gateway')) return { httpPort, submissionPort: submissionPorts[0] ?? 0, mxPort };
  const gateway = await startService(GATEWAY_SERVICE, context);
  stops.push(gateway.name, () => gateway.stop());
  status.addService(gateway);
  return openListeners(gateway);
}
