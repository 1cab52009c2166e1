import type { ServiceDefinition } from '@postmesh/service-host';
import { AttemptVerdicts1764100000931 } from './database/migrations/attempt-verdicts.js';
import { CampaignMessages1764100001190 } from './database/migrations/campaign-messages.js';
import { CheckOpenMessages1764100001240 } from './database/migrations/check-open-messages.js';
import { CreateContentSweep1764100000870 } from './database/migrations/create-content-sweep.js';
import { CreateMessages1764000000100 } from './database/migrations/create-messages.js';
import { CreateDsnRequests1764100001020 } from './database/migrations/create-dsn-requests.js';
import { CreateRecipientTroubles1764100000950 } from './database/migrations/create-recipient-troubles.js';
import { CreateSuppressions1764100000500 } from './database/migrations/create-suppressions.js';
import { CreateStatistics1764100000700 } from './database/migrations/create-statistics.js';
import { CreateTemplates1764100000800 } from './database/migrations/create-templates.js';
import { ForgetSystemMails1764100001340 } from './database/migrations/forget-system-mails.js';
import { SuppressionsByAddress1764100000790 } from './database/migrations/suppressions-by-address.js';
import { CountComplaints1764100001780 } from './database/migrations/count-complaints.js';
import { CreateTlsReports1764600000041 } from './database/migrations/create-tls-reports.js';
import { DomainReports1764500000020 } from './database/migrations/domain-reports.js';
import { FeedbackLoops1764100001620 } from './database/migrations/feedback-loops.js';
import { MessagesBehindSuppressions1764300000020 } from './database/migrations/messages-behind-suppressions.js';
import { InboundMessages1764100001040 } from './database/migrations/inbound-messages.js';
import { OwnSubjects1764100000810 } from './database/migrations/own-subjects.js';
import { CreateTrackedFetches1764100000840 } from './database/migrations/create-tracked-fetches.js';
import { SearchCampaigns1764100001800 } from './database/migrations/search-campaigns.js';
import { SearchMessages1764100000820 } from './database/migrations/search-messages.js';
import { StatisticsGroups1764100001811 } from './database/migrations/statistics-groups.js';
import { TemplateBlocks1764100001810 } from './database/migrations/template-blocks.js';
import { UncertainAttempts1764100000940 } from './database/migrations/uncertain-attempts.js';
import { MessagesModule } from './messages.module.js';
import { StoredCopy, StoredVersion, Template } from './templates/template.js';

export const MESSAGES_SERVICE: ServiceDefinition = {
  name: 'messages',
  module: MessagesModule,
  database: {
    entities: [Template, StoredCopy, StoredVersion],
    migrations: [
      CreateMessages1764000000100,
      CreateSuppressions1764100000500,
      CreateStatistics1764100000700,
      SuppressionsByAddress1764100000790,
      CreateTemplates1764100000800,
      OwnSubjects1764100000810,
      CreateContentSweep1764100000870,
      CreateTrackedFetches1764100000840,
      SearchMessages1764100000820,
      AttemptVerdicts1764100000931,
      UncertainAttempts1764100000940,
      CreateRecipientTroubles1764100000950,
      CreateDsnRequests1764100001020,
      InboundMessages1764100001040,
      CampaignMessages1764100001190,
      CheckOpenMessages1764100001240,
      ForgetSystemMails1764100001340,
      FeedbackLoops1764100001620,
      CountComplaints1764100001780,
      SearchCampaigns1764100001800,
      TemplateBlocks1764100001810,
      StatisticsGroups1764100001811,
      MessagesBehindSuppressions1764300000020,
      DomainReports1764500000020,
      CreateTlsReports1764600000041,
    ],
  },
};
