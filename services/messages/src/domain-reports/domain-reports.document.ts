import type { ServiceDocument } from '@postmesh/contracts';
import { AlignmentFalls, DomainReports, DomainReportsQuery } from './domain-reports.schema.js';

const REPORTS: DomainReports = {
  object: 'domain_reports',
  domain: 'shop.example.com',
  days: 14,
  last_report_at: '2026-03-02T06:10:00.000Z',
  alignment: { message_count: 1_200, failed_count: 144, fell_at: null, usual_share: null },
  findings: [
    {
      provider: 'outlook',
      provider_name: 'Outlook',
      code: 'not_in_spf',
      source: '203.0.113.9',
      message_count: 1_200,
      failed_count: 144,
      quarantined_count: 144,
      rejected_count: 0,
      own_count: 1_056,
      delivered_count: 1_060,
      sentence:
        '12 % of mail at Outlook fails alignment: it comes from 203.0.113.9, which is not one of ours and not in your SPF.',
      fix: 'If 203.0.113.9 sends for you, add it to the SPF record of shop.example.com and let it sign with DKIM; if not, a policy of p=quarantine or p=reject keeps it out.',
    },
  ],
  by_day: [{ day: '2026-03-01', message_count: 1_200, failed_count: 144 }],
  sources: [
    {
      source: '203.0.113.9',
      is_own: false,
      in_spf: false,
      provider_count: 1,
      message_count: 144,
      failed_count: 144,
      dkim_aligned_count: 0,
      spf_aligned_count: 0,
      dkim_domain: null,
      spf_domain: 'crm.example.com',
    },
  ],
  tls: [
    {
      provider: 'google',
      provider_name: 'Google',
      policy_type: 'sts',
      result_type: 'certificate-expired',
      mx_host: 'mx1.shop.example.com',
      session_count: 3,
    },
  ],
  failures: [],
  reports: [
    {
      kind: 'dmarc',
      organisation: 'Outlook.com',
      provider_name: 'Outlook',
      report_id: '3f8a2c',
      begins_at: '2026-03-01T00:00:00.000Z',
      ends_at: '2026-03-01T23:59:59.000Z',
      received_at: '2026-03-02T06:10:00.000Z',
      message_count: 1_200,
      skipped_count: 0,
    },
  ],
};

const FALLS: AlignmentFalls = {
  object: 'list',
  data: [
    {
      domain_id: '01980f3e-0000-7c11-a2d4-0c5f9e6b8a00',
      domain: 'shop.example.com',
      fell_at: '2026-03-02T06:10:00.000Z',
      share: 0.88,
      usual_share: 0.99,
    },
  ],
};

/** Operations of the console (decision 150). */
export const DOMAIN_REPORTS_DOCUMENT: ServiceDocument = {
  'domain-reports.get': {
    summary: 'Get what receivers report about a domain',
    description:
      'By DMARC aggregate reports, failure reports and reports about SMTP TLS that came to the address of the domain: one sentence and one fix per mailbox provider, the sources of its mail, and the reports themselves. SPF is looked up for sources that fail.',
    query: DomainReportsQuery,
    response: { status: 200, description: 'The reports.', schema: DomainReports, example: REPORTS },
    apiErrors: [
      { status: 400, when: 'A parameter is invalid.' },
      { status: 404, when: '`domain not found`: the account does not have it' },
    ],
  },
  'domain-reports.list-falls': {
    summary: 'List domains whose alignment has fallen',
    description:
      'By reports: the aligned share of the last two reported days is below that of the two weeks before.',
    response: {
      status: 200,
      description: 'The domains, the newest fall first.',
      schema: AlignmentFalls,
      example: FALLS,
    },
  },
};
