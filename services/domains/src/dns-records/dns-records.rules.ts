import { hasPropagated, type DkimSlot, type SendingDomain } from '../database/entities.js';
import {
  dkimAlias,
  dkimKeyRecord,
  effectiveLabel,
  effectiveSelector,
  isApex,
  slotSelector,
  SUBDOMAIN_KINDS,
  type AccountNames,
  type DnsRecordKind,
  type ServiceHosts,
  type SubdomainKind,
} from './record-names.rules.js';

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

const LABELS: Readonly<Record<SubdomainKind, string>> = {
  return_path: 'Return-Path',
  tracking: 'Tracking',
  subscription: 'Subscription',
  media: 'Media',
};

/**
 * The records of a domain, in the order of the specification, with what is known of each. Where the domain is the
 * service's own zone its hosts are there already, and an alias of itself would lead nowhere.
 */
export function dnsRecords(domain: SendingDomain, context: RecordsContext): DnsRecord[] {
  const wanted = [
    spfRecord(domain, context),
    ...dkimRecords(domain, context),
    dmarcRecord(domain),
    ...SUBDOMAIN_KINDS.map((kind) => subdomainRecord(domain, context, kind)),
    ...mxRecords(domain, context),
  ].filter(({ host, content }) => host !== content);
  return wanted.map((record) => ({ ...record, propagated: hasPropagated(domain, record.kind) }));
}

type Wanted = Omit<DnsRecord, 'propagated'>;

function spfRecord(domain: SendingDomain, { hosts }: RecordsContext): Wanted {
  const content = recommendedSpf(domain.publishedSpf, hosts.spf);
  return { kind: 'spf', label: 'SPF', type: 'TXT', host: domain.domain, content, required: true };
}

function dkimRecords(domain: SendingDomain, context: RecordsContext): Wanted[] {
  const { activeSlot } = domain;
  const selector = effectiveSelector(domain, context.account);
  if (domain.dnsMode === 'manual') {
    const content = dkimKeyRecord(domain.publicKeys[activeSlot] ?? '');
    const host = `${selector}._domainkey.${domain.domain}`;
    return [{ kind: 'dkim', label: 'DKIM', type: 'TXT', host, content, required: true }];
  }
  const alias = (slot: DkimSlot) => ({
    type: 'CNAME' as const,
    host: `${slotSelector(selector, slot)}._domainkey.${domain.domain}`,
    content: dkimAlias(domain.domainToken, slot, context.hosts),
  });
  return [
    { ...alias(activeSlot), kind: 'dkim', label: 'DKIM', required: true },
    { ...alias(activeSlot === 1 ? 2 : 1), kind: 'dkim_standby', label: 'DKIM standby', required: false },
  ];
}

function dmarcRecord(domain: SendingDomain): Wanted {
  const host = `_dmarc.${domain.domain}`;
  return { kind: 'dmarc', label: 'DMARC', type: 'TXT', host, content: DMARC_POLICY, required: true };
}

function subdomainRecord(
  domain: SendingDomain,
  { hosts, account }: RecordsContext,
  kind: SubdomainKind,
): Wanted {
  const host = `${effectiveLabel(domain, kind, account)}.${domain.domain}`;
  return { kind, label: LABELS[kind], type: 'CNAME', host, content: hosts[kind], required: false };
}

/** Left out at an apex, where an owner would replace the mail hosting by it (§11.2 rule 2). */
function mxRecords(domain: SendingDomain, { hosts }: RecordsContext): Wanted[] {
  if (isApex(domain.domain)) return [];
  const content = `${MX_PREFERENCE} ${hosts.mx}`;
  return [{ kind: 'mx', label: 'MX', type: 'MX', host: domain.domain, content, required: false }];
}

const ALL = /^[+\-~?]?all$/i;
const REDIRECT = /^redirect=/i;

/**
 * The SPF record that the owner should publish: the plain one, or the one that is there already with our include
 * before its `all` (spec 1-platform §11.2 rule 3), because two SPF records would make both worthless.
 * @param published the only SPF record at the name; null when there is none, or more than one
 * @param host what to include
 */
export function recommendedSpf(published: string | null, host: string): string {
  const include = `include:${host}`;
  if (published === null) return `v=spf1 ${include} ~all`;
  const terms = published
    .trim()
    .split(/\s+/)
    .filter((term) => !namesUsWrongly(term, host));
  const end = endOfMechanisms(terms);
  const known = terms.findIndex((term) => /^\+?include:/i.test(term) && sameHost(term, host));
  if (known > 0 && known < end) return terms.join(' ');
  return [...terms.slice(0, end), include, ...terms.slice(end)].join(' ');
}

/** What stands after `all` is never read; where there is none, a redirect is the last word. */
function endOfMechanisms(terms: readonly string[]): number {
  const all = terms.findIndex((term) => ALL.test(term));
  if (all >= 0) return all;
  const redirect = terms.findIndex((term) => REDIRECT.test(term));
  return redirect >= 0 ? redirect : terms.length;
}

/** `~include:` of us would have receivers take our messages for forged before they reach the right one. */
const namesUsWrongly = (term: string, host: string): boolean =>
  /^[~?-]include:/i.test(term) && sameHost(term, host);

const sameHost = (term: string, host: string): boolean =>
  term
    .slice(term.indexOf(':') + 1)
    .replace(/\.$/, '')
    .toLowerCase() === host.toLowerCase();
