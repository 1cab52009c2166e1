import { z } from 'zod';
import { Timestamp } from '@postmesh/contracts';
import { hasPropagated, isDnsValid, type SendingDomain } from '../database/entities.js';
import { dnsRecords, type RecordsContext } from '../dns/dns-records.rules.js';

const DnsRecordResource = z
  .object({
    label: z.string().meta({ description: 'The purpose of the record, in a word or two.' }),
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
      .meta({ description: "The address that gets delivery reports; null: the account's default." }),
    sending_type: z.enum(['transactional', 'marketing']),
    paused: z.boolean(),
    paused_at: Timestamp.nullable(),
    pause_reason: z.string().nullable(),
  })
  .meta({ id: 'Domain', description: 'A sending domain.' });
export type DomainResource = z.infer<typeof DomainResource>;

/** Result of a use case: a domain with the inputs of its records. */
export interface DomainResult {
  domain: SendingDomain;
  records: RecordsContext;
}

export function domainResource({ domain, records }: DomainResult): DomainResource {
  return {
    object: 'domain',
    id: domain.id,
    account_id: domain.accountId,
    created_at: domain.createdAt.toISOString(),
    updated_at: domain.updatedAt.toISOString(),
    domain: domain.domain,
    dns_records: dnsRecords(domain, records).map(({ kind: _kind, ...record }) => record),
    last_dns_check_at: domain.lastDnsCheckAt?.toISOString() ?? null,
    dns_valid: isDnsValid(domain),
    tracking_subdomain: domain.subdomains.tracking,
    return_path_subdomain: domain.subdomains.return_path,
    subscription_subdomain: domain.subdomains.subscription,
    media_subdomain: domain.subdomains.media,
    dkim_rotation_interval_days: domain.dkimRotationIntervalDays,
    dkim_selector: domain.dkimSelector,
    rotation_ready: hasPropagated(domain, 'dkim_standby'),
    dsn_recipient: domain.dsnRecipient,
    sending_type: domain.sendingType,
    paused: domain.pausedAt !== null,
    paused_at: domain.pausedAt?.toISOString() ?? null,
    pause_reason: domain.pauseReason,
  };
}
