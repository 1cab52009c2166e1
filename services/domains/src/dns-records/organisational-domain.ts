import { getDomain, getPublicSuffix } from 'tldts';

/** `com`, `co.uk`: a name under which others register theirs, never a sending domain. */
export const isPublicSuffix = (name: string): boolean => getPublicSuffix(name) === name;

/** The registrable domain: where DMARC policies are inherited from (RFC 7489 §3.2). A name that is none has itself. */
export const organisationalDomain = (name: string): string =>
  getDomain(name, { allowPrivateDomains: true }) ?? name;

export const isApex = (name: string): boolean => organisationalDomain(name) === name;
