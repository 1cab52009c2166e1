import type { ServiceDefinition } from '@postmesh/service-host';
import { AccountSettingsRow, DkimKey, DnsRecordVerdict, SendingDomain } from './database/entities.js';
import { CreateDomains1764000000100 } from './database/migrations/create-domains.js';
import { SEALED_DKIM_KEYS } from './dkim-keys/dkim-keys.repository.js';
import { DomainsModule } from './domains.module.js';

export const DOMAINS_SERVICE: ServiceDefinition = {
  name: 'domains',
  module: DomainsModule,
  database: {
    entities: [SendingDomain, DnsRecordVerdict, DkimKey, AccountSettingsRow],
    migrations: [CreateDomains1764000000100],
    secrets: { sealed: [SEALED_DKIM_KEYS] },
  },
};
