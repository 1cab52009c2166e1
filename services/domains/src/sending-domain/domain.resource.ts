import { z } from 'zod';
import { Timestamp } from '@postmesh/contracts';
import { dnsRecords, type RecordsContext } from '../dns-records/dns-records.rules.js';
import { hasPropagated, isDnsValid, type SendingDomain } from './sending-domain.js';

const DnsRecordResource = z
  .object({
    label: z.string().meta({ description: 'What the record is for, in a word or two.' }),
    type: z.enum(['TXT', 'CNAME', 'MX']),
    host: z.string().meta({ description: 'Full name, without a dot at the end.' }),
    content: z.string(),
    required: z.boolean().meta({ description: 'Sending needs it.' }),
    propagated: z
      .boolean()
      .meta({ description: 'It was seen as it shall be when the domain was last checked.' }),
  })
  .meta({ id: 'DnsRecord', description: 'A DNS record to publish.' });

const subdomain = z
  .string()
  .nullable()
  .meta({ description: "The domain's own label; null: the default is in use." });

/** The public form of a domain (spec 1-platform §11.1). */
export const DomainResource = z
  .object({
    object: z.literal('domain'),
    id: z.uuid(),
    account_id: z.uuid(),
    created_at: Timestamp,
    updated_at: Timestamp,
    domain: z.string(),
    dns_records: z.array(DnsRecordResource),
    last_dns_check_at: Timestamp.nullable(),
    dns_valid: z
      .boolean()
      .meta({ description: 'All required records were right when last looked at conclusively.' }),
    tracking_subdomain: subdomain,
    return_path_subdomain: subdomain,
    subscription_subdomain: subdomain,
    media_subdomain: subdomain,
    dkim_rotation_interval_days: z
      .number()
      .int()
      .nullable()
      .meta({ description: "null: the account's default. Managed DNS only." }),
    dkim_selector: z.string().nullable().meta({
      description: "The domain's own selector as it was asked for; not always the one that signs.",
    }),
    rotation_ready: z.boolean().meta({ description: 'The standby DKIM record was seen in DNS.' }),
    dsn_recipient: z
      .string()
      .nullable()
      .meta({ description: "Who gets delivery reports; null: the account's default." }),
    sending_type: z.enum(['transactional', 'marketing']),
    paused: z.boolean(),
    paused_at: Timestamp.nullable(),
    pause_reason: z.string().nullable(),
  })
  .meta({ id: 'Domain', description: 'A sending domain.' });
export type DomainResource = z.infer<typeof DomainResource>;

export function domainResource(domain: SendingDomain, context: RecordsContext): DomainResource {
  return {
    object: 'domain',
    id: domain.id,
    account_id: domain.account_id,
    created_at: domain.created_at.toISOString(),
    updated_at: domain.updated_at.toISOString(),
    domain: domain.domain,
    dns_records: dnsRecords(domain, context).map(({ kind: _kind, ...record }) => record),
    last_dns_check_at: domain.last_dns_check_at?.toISOString() ?? null,
    dns_valid: isDnsValid(domain),
    tracking_subdomain: domain.tracking_subdomain,
    return_path_subdomain: domain.return_path_subdomain,
    subscription_subdomain: domain.subscription_subdomain,
    media_subdomain: domain.media_subdomain,
    dkim_rotation_interval_days: domain.dkim_rotation_interval_days,
    dkim_selector: domain.dkim_selector,
    rotation_ready: hasPropagated(domain, 'dkim_standby'),
    dsn_recipient: domain.dsn_recipient,
    sending_type: domain.sending_type,
    paused: domain.paused_at !== null,
    paused_at: domain.paused_at?.toISOString() ?? null,
    pause_reason: domain.pause_reason,
  };
}

/** The fields of a domain that nobody writes (spec 1-platform §1.4 rule 5). */
export const READ_ONLY_FIELDS = [
  'object',
  'id',
  'account_id',
  'created_at',
  'updated_at',
  'dns_records',
  'last_dns_check_at',
  'dns_valid',
  'rotation_ready',
  'paused',
  'paused_at',
  'pause_reason',
] as const;
