import type { ServiceDocument } from '@postmesh/contracts';
import { DOMAIN_REPORTS_DOCUMENT } from './domain-reports/domain-reports.document.js';
import { DOCTOR_DOCUMENT } from './doctor/doctor.document.js';
import { GetMessageQuery } from './list-messages/message-filters.rules.js';
import { MessageAttempts } from './read-message/message-attempts.schema.js';
import { FoundMessagePage } from './search-all/found-message.schema.js';
import { SearchMessagesQuery } from './search-all/search-filters.rules.js';
import { SendingState } from './sending-state/sending-state.schema.js';
import { STATISTICS_GROUPS_DOCUMENT } from './statistics/statistics-groups.document.js';
import { StatisticsOverview } from './statistics/statistics.resource.js';
import { SuppressionBatch, SuppressionBatchBody } from './suppression-imports/suppression-batch.schema.js';
import {
  SuppressionTranslation,
  SuppressionTranslationBody,
} from './suppression-imports/suppression-translation.schema.js';
import { ListedSuppressionPage, ListSuppressionsQuery } from './suppressions/suppression.schema.js';
import { TEMPLATE_BLOCKS_DOCUMENT } from './templates/template-blocks.document.js';
import { TEMPLATE_TRANSLATIONS_DOCUMENT } from './templates/template-translations.document.js';

/** Operations of the console in this service (decision 116). */
export const MEMBERS_DOCUMENT: ServiceDocument = {
  ...DOCTOR_DOCUMENT,
  'message-attempts.list': {
    summary: 'List the attempts of a message',
    description:
      'Each with its server, its encryption and its reply; and what the message waits for, and until when.',
    query: GetMessageQuery,
    response: { status: 200, description: 'The attempts.', schema: MessageAttempts },
    apiErrors: [{ status: 404, when: '`message not found`' }],
  },
  'sending-state.get': {
    summary: 'See what holds up the mail of the account',
    description:
      'Providers that take nothing or little from this installation at the moment, while mail of the account waits for them, and the credit of the month.',
    response: { status: 200, description: 'The causes.', schema: SendingState },
  },
  'listed-suppressions.list': {
    summary: 'List suppressions with their origin',
    query: ListSuppressionsQuery,
    paginated: true,
    response: { status: 200, description: 'One page of suppressions.', schema: ListedSuppressionPage },
    apiErrors: [
      { status: 400, when: 'A filter is invalid.' },
      { status: 404, when: '`domain not found`: the account does not have it' },
    ],
  },
  'suppression-batches.create': {
    summary: 'Import a part of a list of suppressions',
    description: `Adds what is missing and extends what would end earlier; nothing is lifted, shortened or unprotected, so that a repeated
request changes nothing. Entries for all domains of an account with many are worked on in several requests: the next one
begins with the entry number \`done\`.`,
    body: SuppressionBatchBody,
    response: { status: 200, description: 'The effect.', schema: SuppressionBatch },
  },
  'suppression-batches.preview': {
    summary: 'See what an import of suppressions would change',
    body: SuppressionBatchBody,
    response: { status: 200, description: 'The effect that it would have.', schema: SuppressionBatch },
  },
  'suppression-batches.translate': {
    summary: 'Read suppressions that another service exported',
    description: 'By the tables of `npx postmesh import`. Nothing is stored.',
    body: SuppressionTranslationBody,
    response: {
      status: 200,
      description: 'Entries of an import.',
      schema: SuppressionTranslation,
      example: {
        object: 'suppression_translation',
        forms: ['bounces'],
        entries: [{ position: 0, email: 'ann@example.com', reason: 'Bounced at SendGrid: 550 unknown user' }],
        errors: [{ position: 1, reason: 'email is not an email address' }],
      },
    },
    apiErrors: [{ status: 400, when: 'The columns are those of no file of the service.' }],
  },
  'message-search.list': {
    summary: 'Search messages of all kinds',
    description:
      'Sends, messages of campaigns and inbound mail, newest first; all filters must match. A request looks at a bounded number of messages where no index helps: for a part of an address, and in campaigns. Its page then ends early, and the next one continues.',
    query: SearchMessagesQuery,
    paginated: true,
    response: { status: 200, description: 'One page of messages.', schema: FoundMessagePage },
    apiErrors: [{ status: 400, when: 'A filter is invalid.' }],
  },
  ...TEMPLATE_BLOCKS_DOCUMENT,
  ...TEMPLATE_TRANSLATIONS_DOCUMENT,
  'statistics-overview.get': {
    summary: 'Get the figures of the last 24 hours, 7 days and 30 days',
    description:
      'Counts all messages of the account, those of campaigns included; a minute old at most. Each period begins with a whole hour.',
    response: { status: 200, description: 'The figures.', schema: StatisticsOverview },
  },
  ...STATISTICS_GROUPS_DOCUMENT,
  ...DOMAIN_REPORTS_DOCUMENT,
};
