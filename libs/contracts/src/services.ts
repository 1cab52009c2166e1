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

/** The Postgres schema that a service owns. */
export const schemaOf = (service: ServiceName): string => service.replaceAll('-', '_');
