import type { ServiceDefinition } from '@postmesh/service-host';
import { CampaignTemplate } from './campaign-templates/campaign-template.js';
import { AskForAttributes1764100002111 } from './database/migrations/ask-for-attributes.js';
import { ChooseFrequency1764100002110 } from './database/migrations/choose-frequency.js';
import { CountCrashes1764100001300 } from './database/migrations/count-crashes.js';
import { AddCampaignChecks1764100001170 } from './database/migrations/add-campaign-checks.js';
import { CountListMembers1764100001140 } from './database/migrations/count-list-members.js';
import { CreateAccountStates1764000000100 } from './database/migrations/create-account-states.js';
import { CreateCampaignOperations1764100001160 } from './database/migrations/create-campaign-operations.js';
import { CreateContactImports1764100001131 } from './database/migrations/create-contact-imports.js';
import { CreateDeletedAccounts1764100001130 } from './database/migrations/create-deleted-accounts.js';
import { CreateMarketing1764100001120 } from './database/migrations/create-marketing.js';
import { CreateSignUps1764100001930 } from './database/migrations/create-sign-ups.js';
import { CreateSegments1764100002040 } from './database/migrations/create-segments.js';
import { CreateTrials1764100002041 } from './database/migrations/create-trials.js';
import { FeedCampaigns1764100001180 } from './database/migrations/feed-campaigns.js';
import { FilterRecipients1764100001200 } from './database/migrations/filter-recipients.js';
import { FindWhatGoes1764100001410 } from './database/migrations/find-what-goes.js';
import { IndexSegments1764700000020 } from './database/migrations/index-segments.js';
import { RememberTests1764100001210 } from './database/migrations/remember-tests.js';
import { SentCampaigns1764100001810 } from './database/migrations/sent-campaigns.js';
import { MarketingModule } from './marketing.module.js';

export const MARKETING_SERVICE: ServiceDefinition = {
  name: 'marketing',
  module: MarketingModule,
  database: {
    entities: [CampaignTemplate],
    migrations: [
      CreateAccountStates1764000000100,
      CreateMarketing1764100001120,
      CreateDeletedAccounts1764100001130,
      CreateContactImports1764100001131,
      CountListMembers1764100001140,
      CreateCampaignOperations1764100001160,
      AddCampaignChecks1764100001170,
      FeedCampaigns1764100001180,
      FilterRecipients1764100001200,
      RememberTests1764100001210,
      FindWhatGoes1764100001410,
      CountCrashes1764100001300,
      SentCampaigns1764100001810,
      CreateSignUps1764100001930,
      CreateSegments1764100002040,
      CreateTrials1764100002041,
      ChooseFrequency1764100002110,
      AskForAttributes1764100002111,
      IndexSegments1764700000020,
    ],
  },
};
