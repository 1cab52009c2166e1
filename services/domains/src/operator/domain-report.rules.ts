import {
  isDnsValid,
  LOCKABLE_FIELDS,
  otherSlot,
  type DomainPause,
  type LockableField,
  type RecordProblem,
  type SendingDomain,
  SUBDOMAIN_KINDS,
} from '../database/entities.js';
import type { AccountSettings } from '../domain-store/account-settings.js';
import { isRotating } from '../dkim-rotation/dkim-rotation.rules.js';
import {
  dnsRecords,
  effectiveSelector,
  slotSelector,
  type DnsRecord,
  type RecordsContext,
} from '../dns/dns-records.rules.js';
import { domainResource, type DomainResource } from '../sending-domains/domain.resource.js';
import { subdomainField } from '../sending-domains/domain-fields.rules.js';

/** A domain in the view of the operator: the owner's view, with reasons. */
export interface DomainReport extends Omit<DomainResource, 'object' | 'dns_records'> {
  dns_mode: SendingDomain['dnsMode'];
  state: SendingDomain['state'];
  state_since: string;
  next_dns_check_at: string;
  dns_records: ReportedRecord[];
  dkim: ReportedDkim;
  locks: { field: LockableField; value: string; unlocked: boolean }[];
  /** newest first; the first one is in force where the domain is paused */
  pauses: ReportedPause[];
}

type ReportedRecord = Omit<DnsRecord, 'kind'> & {
  /** whether it was ever checked */
  judged: boolean;
  /** null: right, or not checked yet */
  explanation: RecordProblem | null;
};

interface ReportedDkim {
  selector: string;
  /** a selector, or a key of the owner's own, that signs once its record is seen */
  waiting: 'selector' | 'key' | null;
  /** managed DNS only */
  rotation: {
    /** the domain's, its account's or the installation's */
    interval_days: number;
    in_progress: boolean;
    started_at: string | null;
    verified_at: string | null;
    switched_at: string | null;
    next_at: string;
    reason: string | null;
  } | null;
}

interface ReportedPause {
  paused_at: string;
  reason: string;
  paused_by: string;
  note: string | null;
  delivered: number | null;
  bounced: number | null;
  lifted_at: string | null;
  lifted_by: string | null;
}

const text = (at: Date | null): string | null => at?.toISOString() ?? null;

export function domainReport(
  domain: SendingDomain,
  { records, dkimRotationDays }: AccountSettings,
  pauses: readonly DomainPause[],
): DomainReport {
  const { object: _object, dns_records: _records, ...resource } = domainResource({ domain, records });
  return {
    ...resource,
    dns_valid: isDnsValid(domain),
    dns_mode: domain.dnsMode,
    state: domain.state,
    state_since: domain.stateSince.toISOString(),
    next_dns_check_at: domain.nextCheckAt.toISOString(),
    dns_records: dnsRecords(domain, records).map(({ kind, ...record }) => ({
      ...record,
      judged: domain.records[kind] !== undefined,
      explanation: domain.records[kind]?.problem ?? null,
    })),
    dkim: reportedDkim(domain, records, domain.dkimRotationIntervalDays ?? dkimRotationDays),
    locks: LOCKABLE_FIELDS.flatMap((field) => {
      const value = lockedValue(domain, field);
      return value === null ? [] : [{ field, value, unlocked: domain.unlocked.includes(field) }];
    }),
    pauses: pauses.map(reportedPause),
  };
}

function reportedDkim(
  domain: SendingDomain,
  { account }: RecordsContext,
  intervalDays: number,
): ReportedDkim {
  const selector = effectiveSelector(domain, account);
  const managed = domain.dnsMode === 'managed';
  const newKey = !managed && domain.publicKeys[otherSlot(domain.activeSlot)] !== undefined;
  return {
    selector: managed ? slotSelector(selector, domain.activeSlot) : selector,
    waiting: domain.nextSelector !== null ? 'selector' : newKey ? 'key' : null,
    rotation: managed
      ? {
          interval_days: intervalDays,
          in_progress: isRotating(domain),
          started_at: text(domain.rotationStartedAt),
          verified_at: text(domain.rotationVerifiedAt),
          switched_at: text(domain.rotationSwitchedAt),
          next_at: domain.rotationNextAt.toISOString(),
          reason: domain.rotationReason,
        }
      : null,
  };
}

/** The locked value; null = not locked. */
function lockedValue({ lockedSelector, records }: SendingDomain, field: LockableField): string | null {
  if (field === 'dkim_selector') return lockedSelector;
  const kind = SUBDOMAIN_KINDS.find((one) => subdomainField(one) === field);
  return (kind && records[kind]?.lockedLabel) ?? null;
}

export const isLocked = (domain: SendingDomain, field: LockableField): boolean =>
  lockedValue(domain, field) !== null;

const reportedPause = (pause: DomainPause): ReportedPause => ({
  paused_at: pause.pausedAt.toISOString(),
  reason: pause.reason,
  paused_by: pause.pausedBy,
  note: pause.note,
  delivered: pause.delivered,
  bounced: pause.bounced,
  lifted_at: text(pause.liftedAt),
  lifted_by: pause.liftedBy,
});
