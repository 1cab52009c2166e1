import type { ServiceName } from '@postmesh/contracts';
import type { Settings } from '@postmesh/settings';

const OWN_URL = {
  accounts: 'accountsDatabaseUrl',
  domains: 'domainsDatabaseUrl',
  messages: 'messagesDatabaseUrl',
  marketing: 'marketingDatabaseUrl',
  webhooks: 'webhooksDatabaseUrl',
  'delivery-worker': 'deliveryWorkerDatabaseUrl',
  'webhook-dispatcher': 'webhookDispatcherDatabaseUrl',
} as const satisfies Partial<Record<ServiceName, keyof Settings>>;

/** @throws Error when neither the service nor the installation has a database */
export function databaseUrlOf(settings: Settings, service: ServiceName): string {
  const own = service === 'gateway' ? undefined : settings[OWN_URL[service]];
  const url = own ?? settings.databaseUrl;
  if (url === undefined) throw new Error(`the ${service} service needs DATABASE_URL`);
  return url;
}
