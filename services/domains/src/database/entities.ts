import { Column, Entity, PrimaryColumn, VirtualColumn, type ColumnOptions } from 'typeorm';
import type { AccountId, DomainId } from '@postmesh/contracts';
import type { DnsHostName } from '@postmesh/settings';

/** The records of a domain, in the order in which they are listed (spec 1-platform §11.2). */
export type DnsRecordKind = 'spf' | 'dkim' | 'dkim_standby' | 'dmarc' | SubdomainKind | 'mx';

/** The records whose host name the owner may choose until it is first seen. */
export const SUBDOMAIN_KINDS = ['return_path', 'tracking', 'subscription', 'media'] as const;
export type SubdomainKind = (typeof SUBDOMAIN_KINDS)[number];

/** `pending`: never valid yet; `suspect`: still counts as valid, is checked again (spec 1-platform §11.5). */
export type DnsState = 'pending' | 'valid' | 'suspect' | 'invalid';
type SendingType = 'transactional' | 'marketing';
export type DnsMode = 'managed' | 'manual';
export type DkimSlot = 1 | 2;
/** The public `pause_reason`, an open set (spec 1-platform §11.1). `owner`: a member of the account, in the console. */
export type PauseReason = 'bounce_rate' | 'operator' | 'owner';
export const otherSlot = (slot: DkimSlot): DkimSlot => (slot === 1 ? 2 : 1);

/** Names that are locked once their record is seen (spec 1-platform §11.6). */
export const LOCKABLE_FIELDS = [
  'tracking_subdomain',
  'return_path_subdomain',
  'subscription_subdomain',
  'media_subdomain',
  'dkim_selector',
] as const;
export type LockableField = (typeof LOCKABLE_FIELDS)[number];

/** State of one of the domain's records. A kind that was never judged has no entry. */
export interface RecordVerdict {
  propagated: boolean;
  /** the label that was in force when the record was first seen: it stays (spec 1-platform §11.6) */
  lockedLabel: string | null;
  /** null = right. A record can have propagated and still have one, which is advice then. */
  problem: RecordProblem | null;
}

/** The problem of a record, in words for the domain's owner. */
export interface RecordProblem {
  /** stable, for programs */
  code: string;
  found: string;
  wanted: string;
  /** what to do about it */
  advice: string;
}

const time = (name: string): ColumnOptions => ({ name, type: 'timestamptz', precision: 3 });
const text = (name: string): ColumnOptions => ({ name, type: 'text', nullable: true });

/** Labels that replace the default ones, of a domain or an account; null = the default. */
export class SubdomainLabels {
  @Column(text('tracking_subdomain')) tracking!: string | null;
  @Column(text('return_path_subdomain')) return_path!: string | null;
  @Column(text('subscription_subdomain')) subscription!: string | null;
  @Column(text('media_subdomain')) media!: string | null;
}

const VERDICTS = `select coalesce(jsonb_object_agg(kind,
  jsonb_build_object('propagated', propagated, 'lockedLabel', locked_label,
  'problem', problem)), '{}') from dns_records`;
const PUBLIC_KEYS = `select coalesce(jsonb_object_agg(slot, public_key), '{}') from dkim_keys`;

/** A sending domain with its DNS verdicts and public keys, which are read in the same statement. */
@Entity('domains')
export class SendingDomain {
  @PrimaryColumn('uuid') id!: DomainId;
  @Column('uuid', { name: 'account_id' }) accountId!: AccountId;
  @Column('text') domain!: string;
  @Column(time('created_at')) createdAt!: Date;
  @Column(time('updated_at')) updatedAt!: Date;
  @Column('text', { name: 'dns_mode' }) dnsMode!: DnsMode;
  @Column('text') state!: DnsState;
  @Column(time('state_since')) stateSince!: Date;
  /** consecutive failures of background checks since the domain was last valid */
  @Column('smallint') failures!: number;
  /** a copy in another account has become valid: the next failure counts at once (spec 1-platform §11.5 rule 8) */
  @Column('boolean') contested!: boolean;
  @Column({ ...time('last_dns_check_at'), nullable: true }) lastDnsCheckAt!: Date | null;
  @Column(time('next_check_at')) nextCheckAt!: Date;
  @Column(() => SubdomainLabels, { prefix: false }) subdomains!: SubdomainLabels;
  @Column('text', { name: 'domain_token' }) domainToken!: string;
  @Column('smallint', { name: 'active_slot' }) activeSlot!: DkimSlot;
  @Column(text('dkim_selector')) dkimSelector!: string | null;
  @Column(text('locked_selector')) lockedSelector!: string | null;
  /** requested in place of the locked one, which an operator has unlocked; it signs once its record is seen */
  @Column(text('next_selector')) nextSelector!: string | null;
  /** locked fields that an operator lets the owner change once more */
  @Column('text', { array: true }) unlocked!: readonly LockableField[];
  @Column('smallint', { name: 'dkim_rotation_interval_days', nullable: true })
  dkimRotationIntervalDays!: number | null;
  /** set from the publication of the standby key to the switch */
  @Column({ ...time('rotation_started_at'), nullable: true }) rotationStartedAt!: Date | null;
  /** every resolver saw the standby key: it may sign a day later */
  @Column({ ...time('rotation_verified_at'), nullable: true }) rotationVerifiedAt!: Date | null;
  /** the slots were swapped: set for as long as the old public key stays published */
  @Column({ ...time('rotation_switched_at'), nullable: true }) rotationSwitchedAt!: Date | null;
  /** time of the next step of the rotation; managed DNS only */
  @Column(time('rotation_next_at')) rotationNextAt!: Date;
  /** reason why the rotation waits */
  @Column(text('rotation_reason')) rotationReason!: string | null;
  /** the owner's only SPF record at the last conclusive look-up */
  @Column(text('published_spf')) publishedSpf!: string | null;
  @Column(text('dsn_recipient')) dsnRecipient!: string | null;
  @Column('text', { name: 'sending_type' }) sendingType!: SendingType;
  @Column({ ...time('paused_at'), nullable: true }) pausedAt!: Date | null;
  @Column(text('pause_reason')) pauseReason!: string | null;
  @Column('bigint', { transformer: { from: Number, to: (revision: number) => revision } }) revision!: number;
  @VirtualColumn('jsonb', { query: (domain) => `${VERDICTS} where domain_id = ${domain}.id` })
  records!: Partial<Record<DnsRecordKind, RecordVerdict>>;
  /**
   * base64 SubjectPublicKeyInfo per slot. With manual DNS the other slot is empty, or holds the key that signs once
   * its record is seen.
   */
  @VirtualColumn('jsonb', { query: (domain) => `${PUBLIC_KEYS} where domain_id = ${domain}.id` })
  publicKeys!: Partial<Record<DkimSlot, string>>;
}

/** Result of the last check of one record of a domain; `propagated` is from the last conclusive one. */
@Entity('dns_records')
export class DnsRecordVerdict implements RecordVerdict {
  @PrimaryColumn('uuid', { name: 'domain_id' }) domainId!: DomainId;
  @PrimaryColumn('text') kind!: DnsRecordKind;
  @Column('boolean') propagated!: boolean;
  @Column(text('locked_label')) lockedLabel!: string | null;
  @Column('jsonb', { nullable: true }) problem!: RecordProblem | null;
  @Column(time('judged_at')) judgedAt!: Date;
}

@Entity('dkim_keys')
export class DkimKey {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid', { name: 'domain_id' }) domainId!: DomainId;
  @Column('smallint') slot!: DkimSlot;
  @Column('smallint') bits!: number;
  /** SubjectPublicKeyInfo, base64: the `p=` of the record */
  @Column('text', { name: 'public_key' }) publicKey!: string;
  /** PKCS#8 PEM, sealed about `dkim-key/<id>` */
  @Column('text', { name: 'private_key' }) sealedPrivateKey!: string;
  /** supplied by a partner account */
  @Column('boolean') own!: boolean;
  @Column(time('created_at')) createdAt!: Date;
  /** null: never signed yet */
  @Column({ ...time('activated_at'), nullable: true }) activatedAt!: Date | null;
  /** last publication of the public key in the managed zone; null: it is due, or the zone is not ours to write */
  @Column({ ...time('published_at'), nullable: true }) publishedAt!: Date | null;
}

/** One pause of a domain. They are never deleted: bounces from before a lift do not count again. */
@Entity('domain_pauses')
export class DomainPause {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid', { name: 'account_id' }) accountId!: AccountId;
  @Column('uuid', { name: 'domain_id' }) domainId!: DomainId;
  @Column('text') domain!: string;
  @Column(time('paused_at')) pausedAt!: Date;
  /** the public `pause_reason` */
  @Column('text') reason!: PauseReason;
  /** `automatic`, the name of an operator, or `member <user id>` */
  @Column('text', { name: 'paused_by' }) pausedBy!: string;
  /** a note of the operator */
  @Column(text('note')) note!: string | null;
  /** the figures behind an automatic pause */
  @Column('int', { nullable: true }) delivered!: number | null;
  @Column('int', { nullable: true }) bounced!: number | null;
  /** null: it lasts */
  @Column({ ...time('lifted_at'), nullable: true }) liftedAt!: Date | null;
  @Column(text('lifted_by')) liftedBy!: string | null;
}

/** The token of a DNS host for a zone of an account. */
@Entity('dns_host_tokens')
export class DnsHostToken {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid', { name: 'account_id' }) accountId!: AccountId;
  @Column('text') zone!: string;
  @Column('text') host!: DnsHostName;
  /** sealed about `dns-host-token/<id>` */
  @Column('text', { name: 'token' }) sealedToken!: string;
  @Column(text('access_key_id')) accessKeyId!: string | null;
  /** DKIM records are written without a request as well */
  @Column('boolean', { name: 'allow_rotation' }) allowRotation!: boolean;
  /** `member <user id>` or `operator <name>` */
  @Column('text', { name: 'added_by' }) addedBy!: string;
  @Column(time('created_at')) createdAt!: Date;
  @Column(time('rotation_next_at')) rotationNextAt!: Date;
  @Column(text('rotation_problem')) rotationProblem!: string | null;
  /** a write runs, or its process is dead */
  @Column({ ...time('writing_until'), nullable: true }) writingUntil!: Date | null;
}

/** The operator's credentials for the figures of a mailbox provider. */
@Entity('provider_credentials')
export class ProviderCredential {
  @PrimaryColumn('text') provider!: string;
  @Column('text', { name: 'client_id' }) clientId!: string;
  /** sealed about `provider-credential/<provider>` */
  @Column('text', { name: 'secret' }) sealedSecret!: string;
  /** `operator <name>` */
  @Column('text', { name: 'given_by' }) givenBy!: string;
  @Column(time('given_at')) givenAt!: Date;
}

/** A partner's own hosts in place of those of the service zone (spec 1-platform §11.2 rule 4). */
export class PartnerHosts {
  @Column(text('spf_host')) spf!: string | null;
  @Column(text('return_path_host')) return_path!: string | null;
  @Column(text('tracking_host')) tracking!: string | null;
  @Column(text('mx_host')) mx!: string | null;
}

/** The operator's settings for one account's domains; no row, or null, means the installation's default. */
@Entity('account_settings')
export class AccountSettingsRow {
  @PrimaryColumn('uuid', { name: 'account_id' }) accountId!: AccountId;
  @Column(text('dns_mode')) dnsMode!: DnsMode | null;
  @Column('int', { name: 'domain_limit', nullable: true }) domainLimit!: number | null;
  @Column('boolean', { name: 'return_path_satisfies_spf' }) returnPathSatisfiesSpf!: boolean;
  @Column(text('dkim_selector')) dkimSelector!: string | null;
  @Column('smallint', { name: 'dkim_rotation_days', nullable: true }) dkimRotationDays!: number | null;
  @Column(text('dsn_recipient')) dsnRecipient!: string | null;
  @Column(() => SubdomainLabels, { prefix: false }) subdomains!: SubdomainLabels;
  @Column(() => PartnerHosts, { prefix: false }) hosts!: PartnerHosts;
  @Column(time('updated_at')) updatedAt!: Date;
}

export const isDnsValid = ({ state }: Pick<SendingDomain, 'state'>): boolean =>
  state === 'valid' || state === 'suspect';

export const hasPropagated = ({ records }: Pick<SendingDomain, 'records'>, kind: DnsRecordKind): boolean =>
  records[kind]?.propagated ?? false;
