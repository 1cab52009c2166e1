/** The records of a domain, in the order in which they are listed (spec 1-platform §11.2). */
export const DNS_RECORD_KINDS = [
  'spf',
  'dkim',
  'dkim_standby',
  'dmarc',
  'return_path',
  'tracking',
  'subscription',
  'media',
  'mx',
] as const;
export type DnsRecordKind = (typeof DNS_RECORD_KINDS)[number];

/** The records whose host name the owner may choose, and lose the choice of when it is first seen. */
export const SUBDOMAIN_KINDS = ['tracking', 'return_path', 'subscription', 'media'] as const;
export type SubdomainKind = (typeof SUBDOMAIN_KINDS)[number];

/** The field of a domain that overrides the product's name. */
export const subdomainField = (kind: SubdomainKind): `${SubdomainKind}_subdomain` => `${kind}_subdomain`;

export const PRODUCT_SUBDOMAINS: Readonly<Record<SubdomainKind, string>> = {
  tracking: 'track',
  return_path: 'rp',
  subscription: 'subs',
  media: 'media',
};

export const PRODUCT_SELECTOR = 'managed';
