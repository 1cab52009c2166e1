import type { ServiceDefinition } from '@postmesh/service-host';
import { AccountsModule } from './accounts.module.js';
import { ACCOUNTS_ENTITIES } from './database/entities/index.js';
import { ACCOUNTS_MIGRATIONS } from './database/migrations/index.js';

export const ACCOUNTS_SERVICE: ServiceDefinition = {
  name: 'accounts',
  module: AccountsModule,
  database: { entities: ACCOUNTS_ENTITIES, migrations: ACCOUNTS_MIGRATIONS },
};
