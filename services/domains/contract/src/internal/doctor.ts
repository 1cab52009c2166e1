import { z } from 'zod';
import { Timestamp } from '@postmesh/contracts';

/** The checks of the doctor of a sending domain, in the order in which they are shown. */
export const DOCTOR_CHECKS = [
  'spf',
  'dkim',
  'dmarc',
  'alignment',
  'hosts',
  'ptr',
  'address_lists',
  'domain_lists',
  'tls',
  'one_click',
  'complaints',
  'mta_sts',
  'tls_rpt',
  'bimi',
] as const;
export const DoctorCheckId = z.enum(DOCTOR_CHECKS);
export type DoctorCheckId = z.infer<typeof DoctorCheckId>;

export const DoctorCheck = z
  .object({
    id: DoctorCheckId,
    state: z.enum(['ok', 'warning', 'fault', 'unknown']).meta({
      description: '`unknown`: there was no answer, or there is nothing to judge by.',
    }),
    text: z.string().meta({ description: 'The finding, in a sentence.' }),
    fix: z.string().nullable().meta({ description: 'The next step; null: none is needed.' }),
    details: z.array(z.string()).meta({ description: 'One line for each address, list, record or host.' }),
    checked_at: Timestamp,
  })
  .meta({ id: 'DoctorCheck', description: 'One check of a domain.' });
export type DoctorCheck = z.infer<typeof DoctorCheck>;

const ProviderFigure = z.object({
  figure: z.enum(['spam_rate', 'spf_rate', 'dkim_rate', 'dmarc_rate', 'tls_rate']),
  value: z.number().min(0).max(1).meta({ description: 'A share: 0.001 is 0.1 %.' }),
  day: z.iso.date().meta({ description: 'The day of the figure.' }),
});
export type ProviderFigure = z.infer<typeof ProviderFigure>;

const ProviderFigures = z.object({
  provider: z.enum(['gmail']),
  source: z.string().meta({ description: 'The name of the service that gives the figures.' }),
  read_at: Timestamp,
  trouble: z
    .enum(['credentials_refused', 'domain_missing', 'rate_limited', 'unreachable', 'unexpected'])
    .nullable()
    .meta({ description: 'The reason why there are none; null: they were read.' }),
  figures: z.array(ProviderFigure).meta({ description: 'The newest of each; empty for little mail.' }),
});
export type ProviderFigures = z.infer<typeof ProviderFigures>;

const AddressFigure = z.object({
  address: z.string().meta({ description: 'A sending address of this installation.' }),
  filter_result: z
    .enum(['green', 'yellow', 'red'])
    .meta({ description: 'Mail judged as spam: less than 10 %, up to 90 %, more.' }),
  complaint_rate: z
    .string()
    .meta({ description: 'As the provider gives it, a share or a bound: `< 0.1%`. Empty: it gives none.' }),
  trap_hits: z.int().min(0).meta({ description: 'Messages to addresses that no one uses.' }),
  messages: z.int().min(0).meta({ description: 'Recipients of messages in the period.' }),
  day: z.iso.date().meta({ description: 'The day on which the period ended.' }),
});
export type AddressFigure = z.infer<typeof AddressFigure>;

const AddressFigures = z.object({
  provider: z.enum(['outlook']),
  source: z.string().meta({ description: 'The name of the service that gives the figures.' }),
  read_at: Timestamp,
  trouble: ProviderFigures.shape.trouble,
  addresses: z
    .array(AddressFigure)
    .meta({ description: 'The newest of each address; those with little mail are left out.' }),
});
export type AddressFigures = z.infer<typeof AddressFigures>;

const FeedbackFigures = z.object({
  provider: z.enum(['yahoo']),
  source: z.string().meta({ description: 'The name of the service that sends the reports.' }),
  read_at: Timestamp,
  days_shown: z.int().meta({ description: 'The period of the figures.' }),
  delivered: z
    .int()
    .nullable()
    .meta({ description: 'Messages that hosts of the provider took; null: none.' }),
  complained: z.int().nullable().meta({
    description: 'Reports of its users; null: none came, and whether none were sent is not known.',
  }),
  share: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .meta({ description: 'Reports of delivered messages: 0.001 is 0.1 %. null: it is not known.' }),
  last_report_day: z.iso.date().nullable().meta({ description: 'Within 90 days; null: no report came.' }),
  days: z
    .array(z.object({ day: z.iso.date(), reports: z.int().min(1) }))
    .meta({ description: 'The days on which reports came, oldest first.' }),
});
export type FeedbackFigures = z.infer<typeof FeedbackFigures>;

export const DomainDoctor = z
  .object({
    object: z.literal('domain_doctor'),
    domain: z.string(),
    checks: z.array(DoctorCheck),
    requirements: z.array(
      z.object({
        provider: z.enum(['gmail', 'outlook']),
        source: z.url().meta({ description: 'Where the provider publishes its requirements.' }),
        items: z.array(
          z.object({
            text: z.string(),
            applies_to: z.enum(['all', 'bulk', 'advised']).meta({
              description: '`bulk`: senders of 5,000 messages a day and more; `advised`: not required.',
            }),
            checks: z.array(DoctorCheckId).meta({ description: 'One of these checks has to be right.' }),
            met: z.boolean().nullable().meta({ description: 'Null: it is not known.' }),
          }),
        ),
      }),
    ),
    views: z.array(ProviderFigures).meta({
      description:
        'Figures of mailbox providers, by the credentials of the operator; none for a domain that may not send.',
    }),
    // a release before has none
    address_views: z.array(AddressFigures).default([]).meta({
      description:
        'Figures of mailbox providers about the sending addresses; none for a domain that may not send.',
    }),
    // a release before has none
    feedback_views: z.array(FeedbackFigures).default([]).meta({
      description:
        'Complaints by the feedback loops of mailbox providers, as we counted their reports; none for a domain that may not send.',
    }),
  })
  .meta({ id: 'DomainDoctor', description: 'The deliverability of a domain, check by check.' });
export type DomainDoctor = z.infer<typeof DomainDoctor>;

/** The figures that the messages service has of a domain. */
export const DoctorFigures = z.object({
  /** the time of the figures */
  at: Timestamp,
  /** of this many days */
  days: z.int(),
  delivered: z.int(),
  complained: z.int(),
  /** messages of campaigns */
  bulk: z.int(),
  /** the latest deliveries, by the encryption of their session */
  sessions: z.object({ encrypted: z.int(), plain: z.int() }),
  /** unsubscribe links begin with https */
  secure_links: z.boolean(),
});
export type DoctorFigures = z.infer<typeof DoctorFigures>;

/**
 * The body of `POST /internal/accounts/{account_id}/domains/{domain}/doctor` of the domains service: facts of services that
 * it may not ask.
 */
export const DoctorFacts = z.object({
  figures: DoctorFigures.optional(),
  /** missing: a release before asks */
  feedback: z.array(FeedbackFigures).default([]),
  /** the sources of operators, by the delivery worker; missing: it could not be asked, or a release before asks */
  egress: z.object({ addresses: z.array(z.string()), only_relays: z.boolean() }).optional(),
});
export type DoctorFacts = z.infer<typeof DoctorFacts>;
