import { trimText } from '@postmesh/contracts';
import type { SubdomainLabels } from '../database/entities.js';
import { readOwnKey, type KeyPair } from '../dkim-keys/key-pairs.js';
import { DomainErrors } from './domain-errors.js';

// Rules of the fields that an owner may write, independent of the domain.

const LABEL = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;
const MAX_LABEL_LENGTH = 63;
// the standby slot adds a `2` (spec 1-platform §11.6 rule 3)
const MAX_SELECTOR_LENGTH = 62;

export const subdomainField = <K extends keyof SubdomainLabels>(kind: K) => `${kind}_subdomain` as const;

/** @returns null for a blank one: the default */
export function readSubdomain(kind: keyof SubdomainLabels, text: string): string | null {
  const label = trimText(text).toLowerCase();
  if (label === '') return null;
  if (!isLabel(label, MAX_LABEL_LENGTH)) throw DomainErrors.invalidLabel(subdomainField(kind));
  return label;
}

/** @returns null for a blank one: no override, which any account may send */
export function readSelector(text: string, partner: boolean): string | null {
  const selector = trimText(text).toLowerCase();
  if (selector === '') return null;
  if (isLabel(selector, MAX_SELECTOR_LENGTH)) return selector;
  throw partner ? DomainErrors.invalidSelector() : DomainErrors.partnersOnly('dkim_selector');
}

const isLabel = (text: string, maxLength: number): boolean => text.length <= maxLength && LABEL.test(text);

export function readKey(pem: string, partner: boolean): KeyPair {
  const key = readOwnKey(pem);
  if (key) return key;
  throw partner ? DomainErrors.invalidKey() : DomainErrors.partnersOnly('dkim_private_key');
}
