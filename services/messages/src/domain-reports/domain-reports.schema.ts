import { z } from 'zod';
import { FINDINGS } from './findings.rules.js';

const DEFAULT_DAYS = 14;
const MAX_DAYS = 90;

export const DomainReportsQuery = z.object({
  days: z.coerce
    .number()
    .int()
    .min(1)
    .max(MAX_DAYS)
    .default(DEFAULT_DAYS)
    .meta({ description: 'Days before now, UTC; by the day that a report is about.' }),
});
export type DomainReportsQuery = z.infer<typeof DomainReportsQuery>;

const count = z.int().min(0);
const share = z.number().min(0).max(1);
const time = z.iso.datetime();
const provider = z
  .string()
  .meta({ description: 'Such as `google`; else the domain of the author of reports.' });
const provider_name = z.string().meta({ description: 'For people: `Google`.' });

const Finding = z.object({
  provider,
  provider_name,
  code: z.enum(FINDINGS),
  source: z.string().nullable().meta({ description: 'The address of most messages that fail.' }),
  message_count: count,
  failed_count: count.meta({ description: 'Messages that neither SPF nor DKIM aligns with the domain.' }),
  quarantined_count: count,
  rejected_count: count,
  own_count: count.meta({ description: 'Messages from addresses of this installation.' }),
  delivered_count: count.meta({
    description: 'Messages that this installation delivered there in that time.',
  }),
  sentence: z.string(),
  fix: z.string().nullable().meta({ description: 'null: nothing is to be done.' }),
});

const Source = z.object({
  source: z.string().meta({ description: 'An address, or `other`: those with the fewest messages.' }),
  is_own: z.boolean(),
  in_spf: z.boolean().nullable().meta({ description: 'null: not looked up.' }),
  provider_count: count,
  message_count: count,
  failed_count: count,
  dkim_aligned_count: count,
  spf_aligned_count: count,
  dkim_domain: z.string().nullable().meta({ description: 'The signature of a message that failed.' }),
  spf_domain: z.string().nullable().meta({ description: 'The return path of a message that failed.' }),
});

const TlsResult = z.object({
  provider,
  provider_name,
  policy_type: z.string().meta({ description: '`sts`, `tlsa` or `no-policy-found`.' }),
  result_type: z.string().nullable().meta({
    description: 'A result of RFC 8460 §4.3, such as `certificate-expired`; null: sessions that succeeded.',
  }),
  mx_host: z.string(),
  session_count: count,
});

const Failure = z.object({
  received_at: time,
  arrived_at: time.nullable(),
  provider_name,
  source: z.string().nullable(),
  failure: z.string(),
  alignment: z.string().nullable(),
  delivery_result: z.string().nullable(),
  dkim_domain: z.string().nullable(),
  incident_count: count,
  message_id: z.uuid().nullable().meta({ description: 'Where it is a message of this installation.' }),
});

const Received = z.object({
  kind: z.enum(['dmarc', 'tls']),
  organisation: z.string().meta({ description: 'As the writer calls itself.' }),
  provider_name,
  report_id: z.string(),
  begins_at: time,
  ends_at: time,
  received_at: time,
  message_count: count,
  skipped_count: count.meta({ description: 'Records that were not readable, or too many.' }),
});

const Day = z.object({ day: z.iso.date(), message_count: count, failed_count: count });

export const DomainReports = z
  .object({
    object: z.literal('domain_reports'),
    domain: z.string(),
    days: z.int(),
    last_report_at: time.nullable(),
    alignment: z.object({
      message_count: count,
      failed_count: count,
      fell_at: time.nullable().meta({ description: 'Since when the aligned share is below the usual one.' }),
      usual_share: share.nullable().meta({
        description: 'The share of the two weeks before the fall; 0.95 where they had too few messages.',
      }),
    }),
    findings: z
      .array(Finding)
      .meta({ description: 'One per provider: known mailbox providers first, then most failures.' }),
    by_day: z.array(Day),
    sources: z.array(Source).meta({ description: 'The 100 with most failures, then with most messages.' }),
    tls: z.array(TlsResult),
    failures: z.array(Failure).meta({ description: 'The newest 50.' }),
    reports: z.array(Received).meta({ description: 'The newest 50.' }),
  })
  .meta({ id: 'DomainReports', description: 'What receivers report about the mail of a domain.' });
export type DomainReports = z.infer<typeof DomainReports>;

export const AlignmentFalls = z
  .object({
    object: z.literal('list'),
    data: z.array(
      z.object({ domain_id: z.uuid(), domain: z.string(), fell_at: time, share, usual_share: share }),
    ),
  })
  .meta({ id: 'AlignmentFalls', description: 'Domains whose aligned share has fallen.' });
export type AlignmentFalls = z.infer<typeof AlignmentFalls>;
