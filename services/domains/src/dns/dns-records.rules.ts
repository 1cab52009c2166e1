import { getDomain, getPublicSuffix } from 'tldts';
import {
  hasPropagated,
  otherSlot,
  SUBDOMAIN_KINDS,
  type DkimSlot,
  type DnsRecordKind,
  type PartnerHosts,
  type SendingDomain,
  type SubdomainKind,
  type SubdomainLabels,
} from '../database/entities.js';

/** The names under the operator's zone that the owners' records point at (spec 1-platform §11.2). */
interface ServiceHosts extends Record<SubdomainKind, string> {
  spf: string;
  mx: string;
  /** the DKIM aliases stand below this name */
  dkim_zone: string;
}

/** What an account has instead of the product's names. */
interface AccountNames {
  selector: string | null;
  subdomains: SubdomainLabels;
}

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
  const selector = wantedSelector(domain, context.account);
  if (domain.dnsMode === 'manual') {
    const content = dkimKeyRecord(wantedOwnKey(domain));
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
    { ...alias(otherSlot(activeSlot)), kind: 'dkim_standby', label: 'DKIM standby', required: false },
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
  const present = terms.findIndex((term) => /^\+?include:/i.test(term) && sameHost(term, host));
  if (present > 0 && present < end) return terms.join(' ');
  return [...terms.slice(0, end), include, ...terms.slice(end)].join(' ');
}

/** What stands after `all` is never read; where there is none, a redirect comes last. */
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

type Labels = Pick<SendingDomain, 'records' | 'subdomains'>;
type Selectors = Pick<SendingDomain, 'lockedSelector' | 'dkimSelector'>;

const PRODUCT_SELECTOR = 'managed';
const PRODUCT_LABELS: Readonly<Record<SubdomainKind, string>> = {
  return_path: 'rp',
  tracking: 'track',
  subscription: 'subs',
  media: 'media',
};

/** @param zone `POSTMESH_SERVICE_ZONE` */
export function serviceHosts(zone: string, partner: Partial<PartnerHosts> = {}): ServiceHosts {
  return {
    spf: partner.spf ?? `spf.${zone}`,
    return_path: partner.return_path ?? `rp.${zone}`,
    tracking: partner.tracking ?? `track.${zone}`,
    subscription: `subs.${zone}`,
    media: `media.${zone}`,
    mx: partner.mx ?? `mx.${zone}`,
    dkim_zone: `dkim.${zone}`,
  };
}

/** Locked label → the domain's own → the account's → the product's. */
export function effectiveLabel(domain: Labels, kind: SubdomainKind, account: AccountNames): string {
  const chosen = domain.records[kind]?.lockedLabel ?? domain.subdomains[kind];
  return chosen ?? account.subdomains[kind] ?? PRODUCT_LABELS[kind];
}

/** The four hosts must differ, or one record would have to point at two places. */
export function labelsDiffer(domain: Labels, account: AccountNames): boolean {
  const labels = SUBDOMAIN_KINDS.map((kind) => effectiveLabel(domain, kind, account));
  return new Set(labels).size === labels.length;
}

/** Locked selector → the domain's own → the account's → the product's (spec 1-platform §11.6). */
export function effectiveSelector(domain: Selectors, account: AccountNames): string {
  return domain.lockedSelector ?? domain.dkimSelector ?? account.selector ?? PRODUCT_SELECTOR;
}

/** What the owner is asked to publish: it signs only once its record was seen. */
export const wantedSelector = (
  domain: Selectors & Pick<SendingDomain, 'nextSelector'>,
  account: AccountNames,
): string => domain.nextSelector ?? effectiveSelector(domain, account);

/** A slot keeps its host for ever; a rotation changes which slot signs. */
export const slotSelector = (selector: string, slot: DkimSlot): string =>
  slot === 1 ? selector : `${selector}2`;

/** The name in our zone that holds the public key of a slot. */
export const dkimAlias = (token: string, slot: DkimSlot, hosts: Pick<ServiceHosts, 'dkim_zone'>): string =>
  `${token}.d${slot}.${hosts.dkim_zone}`;

/** The public key that the owner of a domain with manual DNS shall publish: the one that is to sign next, if any. */
export const wantedOwnKey = ({ publicKeys, activeSlot }: SendingDomain): string =>
  publicKeys[otherSlot(activeSlot)] ?? publicKeys[activeSlot] ?? '';

/** The text of a DKIM key record (RFC 6376 §3.6.1). */
export const dkimKeyRecord = (publicKey: string): string => `v=DKIM1; k=rsa; p=${publicKey}`;

/** `com`, `co.uk`: a name under which others register theirs, never a sending domain. */
export const isPublicSuffix = (name: string): boolean => getPublicSuffix(name) === name;

/** The registrable domain: where DMARC policies are inherited from (RFC 7489 §3.2). A name that is none has itself. */
export const organisationalDomain = (name: string): string =>
  getDomain(name, { allowPrivateDomains: true }) ?? name;

export const isApex = (name: string): boolean => organisationalDomain(name) === name;
