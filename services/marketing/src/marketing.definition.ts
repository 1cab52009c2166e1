import type { ServiceDefinition } from '@postmesh/service-host';
import { CreateAccountStates1764000000100 } from './database/migrations/create-account-states.js';
import { MarketingModule } from './marketing.module.js';

export const MARKETING_SERVICE: ServiceDefinition = {
  name: 'marketing',
  module: MarketingModule,
  database: { entities: [], migrations: [CreateAccountStates1764000000100] },
};
