import { INNER_SERVICES, type InnerService } from '@postmesh/contracts';
import { url, type Setting } from './setting.js';

/** `webhook-dispatcher` is `webhookDispatcher`. */
type CamelCase<S extends string> = S extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : S;
type Suffix = 'Url' | 'DatabaseUrl';

/** The name of a setting that every service behind the gateway has. */
export function serviceSetting<S extends InnerService, X extends Suffix>(service: S, suffix: X) {
  const camelCase = service.replace(/-(.)/g, (_, initial: string) => initial.toUpperCase());
  return `${camelCase}${suffix}` as `${CamelCase<S>}${X}`;
}

type PerService<X extends Suffix> = {
  [S in InnerService as `${CamelCase<S>}${X}`]: Setting<string | undefined>;
};

function perService<X extends Suffix>(
  suffix: X,
  make: (service: InnerService) => Setting<string | undefined>,
): PerService<X> {
  const entries = INNER_SERVICES.map((service) => [serviceSetting(service, suffix), make(service)]);
  return Object.fromEntries(entries) as PerService<X>;
}

const environmentName = (service: InnerService) => service.toUpperCase().replaceAll('-', '_');

/** `accountsUrl`, … */
export const SERVICE_URLS = perService('Url', (service) =>
  url({
    env: `POSTMESH_${environmentName(service)}_URL`,
    description: `Where the ${service} service answers when it runs as a process of its own.`,
    default: undefined as string | undefined,
    protocols: ['http:', 'https:'],
  }),
);

/** `accountsDatabaseUrl`, … */
export const DATABASE_URLS = perService('DatabaseUrl', (service) =>
  url({
    env: `${environmentName(service)}_DATABASE_URL`,
    description: `A database of its own for the ${service} service.`,
    default: undefined as string | undefined,
    defaultText: '`DATABASE_URL`',
    protocols: ['postgres:', 'postgresql:'],
    secret: true,
  }),
);
