import { INNER_SERVICES, SERVICES, type InnerService, type ServiceName } from '@postmesh/contracts';
import { serviceSetting, type Settings } from '@postmesh/settings';

/** The services of this process in its installation (POSTMESH_ROLES). */
export interface Roles {
  readonly services: ReadonlySet<ServiceName>;
  /** the installation has further processes on the same data directory */
  readonly isShared: boolean;
  /** the main process has the parts that an installation has once: PostgreSQL, secrets, local-internet, credentials */
  readonly isMain: boolean;
}

export function rolesOf({ roles }: Pick<Settings, 'roles'>): Roles {
  const services: ReadonlySet<ServiceName> = new Set(roles.length === 0 ? SERVICES : roles);
  return { services, isShared: roles.length > 0, isMain: services.has('accounts') };
}

/** For logs and metrics. */
export const nameOf = ({ services, isMain }: Roles): string =>
  isMain ? 'all-in-one' : [...services].join(',');

/** The delivery worker gets an event loop of its own when the process has other services. */
export const deliversInThread = ({ services }: Roles): boolean =>
  services.has('delivery-worker') && services.size > 1;

type Ports = Pick<Settings, 'httpPort' | 'submissionPorts' | 'mxPort'>;

/** @throws Error that names the setting of a port that every process has to know, and that is left to the system */
export function requireFixedPorts({ httpPort, submissionPorts, mxPort }: Ports): void {
  const ports = {
    POSTMESH_HTTP_PORT: httpPort,
    POSTMESH_MX_PORT: mxPort,
    POSTMESH_SUBMISSION_PORTS: Math.min(...submissionPorts),
  };
  const open = Object.entries(ports).find(([, port]) => port === 0);
  if (open)
    throw new Error(`${open[0]}: with POSTMESH_ROLES every process has to know the port, so 0 is refused`);
}

/**
 * The addresses of services of other processes: the setting of the service, else POSTMESH_SERVICE_PORT, which the
 * processes without `accounts` share.
 */
export function urlsElsewhere(settings: Settings, { services }: Roles): Partial<Settings> {
  const elsewhere = INNER_SERVICES.filter((service) => !services.has(service));
  const shared = `http://127.0.0.1:${settings.servicePort}`;
  return urlsOf(elsewhere, (service) => settings[serviceSetting(service, 'Url')] ?? `${shared}/${service}`);
}

/** @returns URLs as settings */
export const urlsOf = (
  services: readonly InnerService[],
  urlOf: (service: InnerService) => string,
): Partial<Settings> =>
  Object.fromEntries(services.map((service) => [serviceSetting(service, 'Url'), urlOf(service)]));
