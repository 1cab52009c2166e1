import type { DnsRecordKind } from '../dns-records/record-kinds.js';

/** `pending`: never valid yet; `suspect`: still counts as valid, under watch (spec 1-platform §11.5). */
export const DNS_STATES = ['pending', 'valid', 'suspect', 'invalid'] as const;
export type DnsState = (typeof DNS_STATES)[number];

export type SendingType = 'transactional' | 'marketing';
export type DnsMode = 'managed' | 'manual';
export type DkimSlot = 1 | 2;

/** What is known of one of the domain's records. A kind that was never judged has no entry. */
export interface RecordVerdict {
  propagated: boolean;
  /** the label that was in force when the record was first seen: it stays (spec 1-platform §11.6) */
  locked_label: string | null;
}

/** A sending domain with what belongs to it; dates are times, the rest as in the table. */
export interface SendingDomain {
  id: string;
  account_id: string;
  domain: string;
  created_at: Date;
  updated_at: Date;
  dns_mode: DnsMode;
  state: DnsState;
  state_since: Date;
  /** background failures in a row since the domain was last seen valid */
  failures: number;
  /** a copy in another account has become valid: the next failure counts at once (spec 1-platform §11.5 rule 8) */
  contested: boolean;
  last_dns_check_at: Date | null;
  next_check_at: Date;
  tracking_subdomain: string | null;
  return_path_subdomain: string | null;
  subscription_subdomain: string | null;
  media_subdomain: string | null;
  domain_token: string;
  active_slot: DkimSlot;
  dkim_selector: string | null;
  locked_selector: string | null;
  dkim_rotation_interval_days: number | null;
  /** the one SPF record that the owner had published when we last saw it */
  published_spf: string | null;
  dsn_recipient: string | null;
  sending_type: SendingType;
  paused_at: Date | null;
  pause_reason: string | null;
  revision: number;
  records: Partial<Record<DnsRecordKind, RecordVerdict>>;
  /** base64 SubjectPublicKeyInfo per slot; a manual domain has slot 1 alone */
  public_keys: Partial<Record<DkimSlot, string>>;
}

export const isDnsValid = (domain: Pick<SendingDomain, 'state'>): boolean =>
  domain.state === 'valid' || domain.state === 'suspect';

export const hasPropagated = (domain: Pick<SendingDomain, 'records'>, kind: DnsRecordKind): boolean =>
  domain.records[kind]?.propagated ?? false;
