import type { ServiceDocument } from '@postmesh/contracts';
import { AlignmentFalls, DomainReports, DomainReportsQuery } from './domain-reports.schema.js';

/** Operations of the console (decision 150). */
export const DOMAIN_REPORTS_DOCUMENT: ServiceDocument = {
  'domain-reports.get': {
    summary: 'Get what receivers report about a domain',
    description:
      'By DMARC aggregate reports, failure reports and reports about SMTP TLS that came to the address of the domain: one sentence and one fix per mailbox provider, the sources of its mail, and the reports themselves. SPF is looked up for sources that fail.',
    query: DomainReportsQuery,
    response: { status: 200, description: 'The reports.', schema: DomainReports },
    apiErrors: [
      { status: 400, when: 'A parameter is invalid.' },
      { status: 404, when: '`domain not found`: the account does not have it' },
    ],
  },
  'domain-reports.list-falls': {
    summary: 'List domains whose alignment has fallen',
    description:
      'By reports: the aligned share of the last two reported days is below that of the two weeks before.',
    response: { status: 200, description: 'The domains, the newest fall first.', schema: AlignmentFalls },
  },
};
