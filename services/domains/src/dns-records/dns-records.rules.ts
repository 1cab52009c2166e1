import type { DkimSlot, SendingDomain } from '../sending-domain/sending-domain.js';
import { hasPropagated } from '../sending-domain/sending-domain.js';
import {
  dkimAlias,
  dkimKeyRecord,
  effectiveLabel,
  effectiveSelector,
  otherSlot,
  slotSelector,
  type AccountNames,
} from './effective-names.rules.js';
import { isApex } from './organisational-domain.js';
import type { DnsRecordKind, SubdomainKind } from './record-kinds.js';
import type { ServiceHosts } from './service-hosts.js';
import { recommendedSpf } from './spf-merge.rules.js';

/** One record that the owner is asked to publish (spec 1-platform §11.2). */
export interface DnsRecord {
  kind: DnsRecordKind;
  label: string;
  type: 'TXT' | 'CNAME' | 'MX';
  host: string;
  content: string;
  required: boolean;
  propagated: boolean;
}

/** What the records depend on besides the domain itself. */
export interface RecordsContext {
  hosts: ServiceHosts;
  account: AccountNames;
}

const DMARC_POLICY = 'v=DMARC1; p=quarantine; sp=none; adkim=r; aspf=r;';
const MX_PREFERENCE = 10;

const SUBDOMAIN_LABELS: readonly (readonly [SubdomainKind, string])[] = [
  ['return_path', 'Return-Path'],
  ['tracking', 'Tracking'],
  ['subscription', 'Subscription'],
  ['media', 'Media'],
];

/**
 * The records of a domain, in the order of the specification, with what is known of each. Where the domain is the
 * service's own zone its hosts are there already, and an alias of itself would lead nowhere.
 */
export function dnsRecords(domain: SendingDomain, context: RecordsContext): DnsRecord[] {
  const wanted = [
    spfRecord(domain, context),
    ...dkimRecords(domain, context),
    dmarcRecord(domain),
    ...SUBDOMAIN_LABELS.map(([kind, label]) => subdomainRecord(domain, context, { kind, label })),
    ...mxRecords(domain, context),
  ].filter(({ host, content }) => host !== content);
  return wanted.map((record) => ({ ...record, propagated: hasPropagated(domain, record.kind) }));
}

type Wanted = Omit<DnsRecord, 'propagated'>;

function spfRecord(domain: SendingDomain, { hosts }: RecordsContext): Wanted {
  const content = recommendedSpf(domain.published_spf, hosts.spf);
  return { kind: 'spf', label: 'SPF', type: 'TXT', host: domain.domain, content, required: true };
}

function dkimRecords(domain: SendingDomain, context: RecordsContext): Wanted[] {
  if (domain.dns_mode === 'managed') {
    const active = domain.active_slot;
    return [
      { ...dkimCname(domain, context, active), kind: 'dkim', label: 'DKIM', required: true },
      {
        ...dkimCname(domain, context, otherSlot(active)),
        kind: 'dkim_standby',
        label: 'DKIM standby',
        required: false,
      },
    ];
  }
  const selector = effectiveSelector(domain, context.account);
  const content = dkimKeyRecord(domain.public_keys[domain.active_slot] ?? '');
  const host = `${selector}._domainkey.${domain.domain}`;
  return [{ kind: 'dkim', label: 'DKIM', type: 'TXT', host, content, required: true }];
}

function dkimCname(domain: SendingDomain, context: RecordsContext, slot: DkimSlot) {
  const selector = slotSelector(effectiveSelector(domain, context.account), slot);
  return {
    type: 'CNAME' as const,
    host: `${selector}._domainkey.${domain.domain}`,
    content: dkimAlias(domain.domain_token, slot, context.hosts),
  };
}

function dmarcRecord(domain: SendingDomain): Wanted {
  const host = `_dmarc.${domain.domain}`;
  return { kind: 'dmarc', label: 'DMARC', type: 'TXT', host, content: DMARC_POLICY, required: true };
}

function subdomainRecord(
  domain: SendingDomain,
  { hosts, account }: RecordsContext,
  { kind, label }: { kind: SubdomainKind; label: string },
): Wanted {
  const host = `${effectiveLabel(domain, kind, account)}.${domain.domain}`;
  return { kind, label, type: 'CNAME', host, content: hosts[kind], required: false };
}

/** Left out at an apex, where an owner would replace the mail hosting by it (§11.2 rule 2). */
function mxRecords(domain: SendingDomain, { hosts }: RecordsContext): Wanted[] {
  if (isApex(domain.domain)) return [];
  const content = `${MX_PREFERENCE} ${hosts.mx}`;
  return [{ kind: 'mx', label: 'MX', type: 'MX', host: domain.domain, content, required: false }];
}
