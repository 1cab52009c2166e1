import { dnsRecords, type RecordsContext } from '../dns-records/dns-records.rules.js';
import { hasPropagated, isDnsValid, type SendingDomain } from './sending-domain.js';

/** The public form of a domain (spec 1-platform §11.1). */
export function domainResource(domain: SendingDomain, context: RecordsContext) {
  return {
    object: 'domain' as const,
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
