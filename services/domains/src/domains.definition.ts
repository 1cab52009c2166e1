import type { ServiceDefinition } from '@postmesh/service-host';
import { AccountSettingsEntity } from './database/entities/account-settings.entity.js';
import { DkimKeyEntity } from './database/entities/dkim-key.entity.js';
import { DnsRecordEntity } from './database/entities/dns-record.entity.js';
import { DomainEntity } from './database/entities/domain.entity.js';
import { CreateAccountSettings1764000000110 } from './database/migrations/create-account-settings.js';
import { CreateDeletedAccounts1764000000120 } from './database/migrations/create-deleted-accounts.js';
import { CreateDomains1764000000100 } from './database/migrations/create-domains.js';
import { DomainsModule } from './domains.module.js';

export const DOMAINS_SERVICE: ServiceDefinition = {
  name: 'domains',
  module: DomainsModule,
  database: {
    entities: [DomainEntity, DnsRecordEntity, DkimKeyEntity, AccountSettingsEntity],
    migrations: [
      CreateDomains1764000000100,
      CreateAccountSettings1764000000110,
      CreateDeletedAccounts1764000000120,
    ],
  },
};
