import type { DkimSlot, SendingDomain } from '../sending-domain/sending-domain.js';
import {
  PRODUCT_SELECTOR,
  PRODUCT_SUBDOMAINS,
  subdomainField,
  SUBDOMAIN_KINDS,
  type SubdomainKind,
} from './record-kinds.js';
import type { ServiceHosts } from './service-hosts.js';

type Labels = Pick<SendingDomain, 'records' | `${SubdomainKind}_subdomain`>;
type Selectors = Pick<SendingDomain, 'locked_selector' | 'dkim_selector'>;

/** What an account has instead of the product's names. */
export interface AccountNames {
  selector: string | null;
  subdomains: Readonly<Record<SubdomainKind, string | null>>;
}

/** Locked name → the domain's own → the account's → the product's. */
export function effectiveLabel(domain: Labels, kind: SubdomainKind, account: AccountNames): string {
  const chosen = domain.records[kind]?.locked_label ?? domain[subdomainField(kind)];
  return chosen ?? account.subdomains[kind] ?? PRODUCT_SUBDOMAINS[kind];
}

/** The four hosts must differ, or one record would have to point at two places. */
export function labelsDiffer(domain: Labels, account: AccountNames): boolean {
  const labels = SUBDOMAIN_KINDS.map((kind) => effectiveLabel(domain, kind, account));
  return new Set(labels).size === labels.length;
}

/** Locked selector → the domain's own → the account's → the product's (spec 1-platform §11.6). */
export function effectiveSelector(domain: Selectors, account: AccountNames): string {
  return domain.locked_selector ?? domain.dkim_selector ?? account.selector ?? PRODUCT_SELECTOR;
}

/** A slot keeps its host for ever; a rotation changes which slot signs. */
export const slotSelector = (selector: string, slot: DkimSlot): string =>
  slot === 1 ? selector : `${selector}2`;

export const otherSlot = (slot: DkimSlot): DkimSlot => (slot === 1 ? 2 : 1);

/** The name in our zone that holds the public key of a slot. */
export const dkimAlias = (token: string, slot: DkimSlot, hosts: Pick<ServiceHosts, 'dkim_zone'>): string =>
  `${token}.d${slot}.${hosts.dkim_zone}`;

/** The text of a DKIM key record (RFC 6376 §3.6.1). */
export const dkimKeyRecord = (publicKey: string): string => `v=DKIM1; k=rsa; p=${publicKey}`;
