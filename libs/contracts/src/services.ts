import { z } from 'zod';

/** The services of architecture §2 by name. */
export const SERVICES = [
  'gateway',
  'accounts',
  'domains',
  'messages',
  'marketing',
  'webhooks',
  'delivery-worker',
  'webhook-dispatcher',
] as const;

export const ServiceName = z.enum(SERVICES);
export type ServiceName = z.infer<typeof ServiceName>;

/** All services but the gateway: each has a database and an internal HTTP interface. */
export type InnerService = Exclude<ServiceName, 'gateway'>;
export const INNER_SERVICES: readonly InnerService[] = SERVICES.filter((service) => service !== 'gateway');

/** The Postgres schema that a service owns. */
export const schemaOf = (service: ServiceName): string => service.replaceAll('-', '_');
