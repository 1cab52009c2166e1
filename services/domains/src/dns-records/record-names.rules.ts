import { getDomain, getPublicSuffix } from 'tldts';
import type { DkimSlot, PartnerHosts, SendingDomain, SubdomainLabels } from '../database/entities.js';

/** The records of a domain, in the order in which they are listed (spec 1-platform §11.2). */
export type DnsRecordKind = 'spf' | 'dkim' | 'dkim_standby' | 'dmarc' | SubdomainKind | 'mx';

/** The records whose host name the owner may choose until it is first seen. */
export const SUBDOMAIN_KINDS = ['return_path', 'tracking', 'subscription', 'media'] as const;
export type SubdomainKind = (typeof SUBDOMAIN_KINDS)[number];

/** The names under the operator's zone that the owners' records point at (spec 1-platform §11.2). */
export interface ServiceHosts extends Record<SubdomainKind, string> {
  spf: string;
  mx: string;
  /** the DKIM aliases stand below this name */
  dkim_zone: string;
}

/** What an account has instead of the product's names. */
export interface AccountNames {
  selector: string | null;
  subdomains: SubdomainLabels;
}

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

/** A slot keeps its host for ever; a rotation changes which slot signs. */
export const slotSelector = (selector: string, slot: DkimSlot): string =>
  slot === 1 ? selector : `${selector}2`;

/** The name in our zone that holds the public key of a slot. */
export const dkimAlias = (token: string, slot: DkimSlot, hosts: Pick<ServiceHosts, 'dkim_zone'>): string =>
  `${token}.d${slot}.${hosts.dkim_zone}`;

/** The text of a DKIM key record (RFC 6376 §3.6.1). */
export const dkimKeyRecord = (publicKey: string): string => `v=DKIM1; k=rsa; p=${publicKey}`;

/** `com`, `co.uk`: a name under which others register theirs, never a sending domain. */
export const isPublicSuffix = (name: string): boolean => getPublicSuffix(name) === name;

/** The registrable domain: where DMARC policies are inherited from (RFC 7489 §3.2). A name that is none has itself. */
export const organisationalDomain = (name: string): string =>
  getDomain(name, { allowPrivateDomains: true }) ?? name;

export const isApex = (name: string): boolean => organisationalDomain(name) === name;
