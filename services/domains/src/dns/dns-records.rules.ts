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

/** Names in the operator's zone that are targets of the owners' records (spec 1-platform §11.2). */
interface ServiceHosts extends Record<SubdomainKind, string> {
  spf: string;
  mx: string;
  /** parent of the DKIM aliases */
  dkim_zone: string;
}

/** Names of an account in place of the product's. */
interface AccountNames {
  selector: string | null;
  subdomains: SubdomainLabels;
}

/** One record for the owner to publish (spec 1-platform §11.2). */
export interface DnsRecord {
  kind: DnsRecordKind;
  label: string;
  type: 'TXT' | 'CNAME' | 'MX';
  host: string;
  content: string;
  required: boolean;
  propagated: boolean;
}

/** Inputs of the records in addition to the domain itself. */
export interface RecordsContext {
  hosts: ServiceHosts;
  account: AccountNames;
}

/** The policy that an owner without one publishes. */
export const DMARC_POLICY = 'v=DMARC1; p=quarantine; sp=none; adkim=r; aspf=r;';
const MX_PREFERENCE = 10;

const LABELS: Readonly<Record<SubdomainKind, string>> = {
  return_path: 'Return-Path',
  tracking: 'Tracking',
  subscription: 'Subscription',
  media: 'Media',
};

/**
 * The records of a domain, in the order of the specification, with the state of each. Where the domain is the
 * service's own zone its hosts exist already, and an alias of itself would be a loop.
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

/** Left out at an apex, where it would replace the owner's mail hosting (§11.2 rule 2). */
function mxRecords(domain: SendingDomain, { hosts }: RecordsContext): Wanted[] {
  if (isApex(domain.domain)) return [];
  const content = `${MX_PREFERENCE} ${hosts.mx}`;
  return [{ kind: 'mx', label: 'MX', type: 'MX', host: domain.domain, content, required: false }];
}

const ALL = /^[+\-~?]?all$/i;
const REDIRECT = /^redirect=/i;

/**
 * The SPF record for the owner to publish: the plain one, or the existing one with our include before its `all`
 * (spec 1-platform §11.2 rule 3), because two SPF records would make both invalid.
 * @param published the only SPF record at the name; null when there is none, or more than one
 * @param host the domain to include
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

/** Terms after `all` are never evaluated; without `all`, a redirect comes last. */
function endOfMechanisms(terms: readonly string[]): number {
  const all = terms.findIndex((term) => ALL.test(term));
  if (all >= 0) return all;
  const redirect = terms.findIndex((term) => REDIRECT.test(term));
  return redirect >= 0 ? redirect : terms.length;
}

/** With `~include:` of ours, receivers would treat our messages as forged before they reach the right one. */
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

/** The selector for the owner to publish: it signs only once its record was seen. */
export const wantedSelector = (
  domain: Selectors & Pick<SendingDomain, 'nextSelector'>,
  account: AccountNames,
): string => domain.nextSelector ?? effectiveSelector(domain, account);

/** A slot never changes its host; a rotation changes which slot signs. */
export const slotSelector = (selector: string, slot: DkimSlot): string =>
  slot === 1 ? selector : `${selector}2`;

/** The name in our zone that holds the public key of a slot. */
export const dkimAlias = (token: string, slot: DkimSlot, hosts: Pick<ServiceHosts, 'dkim_zone'>): string =>
  `${token}.d${slot}.${hosts.dkim_zone}`;

/** The public key for the owner of a domain with manual DNS to publish: the one that signs next, if any. */
export const wantedOwnKey = ({ publicKeys, activeSlot }: SendingDomain): string =>
  publicKeys[otherSlot(activeSlot)] ?? publicKeys[activeSlot] ?? '';

/** The text of a DKIM key record (RFC 6376 §3.6.1). */
export const dkimKeyRecord = (publicKey: string): string => `v=DKIM1; k=rsa; p=${publicKey}`;

/** `com`, `co.uk`: a registry's suffix, never a sending domain. */
export const isPublicSuffix = (name: string): boolean => getPublicSuffix(name) === name;

/** The registrable domain, whose DMARC policy is inherited (RFC 7489 §3.2); else the name itself. */
export const organisationalDomain = (name: string): string =>
  getDomain(name, { allowPrivateDomains: true }) ?? name;

export const isApex = (name: string): boolean => organisationalDomain(name) === name;
