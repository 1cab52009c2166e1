import { normaliseDomain } from '@postmesh/contracts';
import type { MailHosts } from '@postmesh/delivery-worker-contract';
import { ROLE_ADDRESSES } from './role-addresses.table.js';

export type ContactVerdict = 'valid' | 'invalid' | 'risky' | 'unknown';

export interface DomainKnowledge {
  /** by DNS */
  readonly hosts: MailHosts;
  /** disposable, or a known misspelling */
  readonly isListed: boolean;
}

// RFC 5321 §4.1.2 and RFC 6531 §3.3: a dot-string or a quoted one, in any script.
const DOT_STRING = /^[\p{L}\p{N}\p{M}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{N}\p{M}!#$%&'*+/=?^_`{|}~-]+)*$/u;
const QUOTED_STRING = /^"(?:[^"\\\p{Cc}]|\\[^\p{Cc}])*"$/u;
const MAX_LOCAL_OCTETS = 64;

/** @returns the parts of a valid address: the domain normalised */
export function partsOf(email: string): { local: string; domain: string } | undefined {
  const at = email.lastIndexOf('@');
  const local = email.slice(0, at);
  const domain = normaliseDomain(email.slice(at + 1));
  if (at < 1 || domain === undefined || Buffer.byteLength(local) > MAX_LOCAL_OCTETS) return undefined;
  return DOT_STRING.test(local) || QUOTED_STRING.test(local) ? { local, domain } : undefined;
}

/** The result of a contact's check (spec 3-marketing §6 rule 3). @param email normalised */
export function contactVerdict(
  email: string,
  knowledgeOf: (domain: string) => DomainKnowledge,
): ContactVerdict {
  const parts = partsOf(email);
  if (!parts) return 'invalid';
  const { hosts, isListed } = knowledgeOf(parts.domain);
  if (hosts === 'no_such_domain' || hosts === 'null_mx') return 'invalid';
  const [role] = parts.local.split('+');
  if (isListed || ROLE_ADDRESSES.has(role ?? '')) return 'risky';
  return hosts === 'unknown' ? 'unknown' : 'valid';
}

export interface CheckedContacts {
  readonly checked: number;
  readonly invalid: number;
}

// Spec 3-marketing §6 rule 4: a share of fewer contacts is not significant.
const MIN_CHECKED = 100;
const MAX_INVALID = 0.05;

export const mayBounceTooMuch = ({ checked, invalid }: CheckedContacts): boolean =>
  checked >= MIN_CHECKED && invalid > MAX_INVALID * checked;
