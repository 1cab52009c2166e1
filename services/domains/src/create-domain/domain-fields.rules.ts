import { DomainErrors } from '../sending-domain/domain-errors.js';

const LABEL = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;
const LONGEST_LABEL = 63;
// the standby slot adds a `2` (spec 1-platform §11.6 rule 3)
const LONGEST_SELECTOR = 62;

/**
 * A subdomain override as it is kept: one DNS label; empty = the default.
 * @throws ApiError 400 that names the field
 */
export function readSubdomain(field: string, value: string | null | undefined): string | null {
  const label = (value ?? '').trim().toLowerCase();
  if (label === '') return null;
  if (label.length > LONGEST_LABEL || !LABEL.test(label)) throw DomainErrors.invalidLabel(field);
  return label;
}

/**
 * A DKIM selector override as it is kept; blank = none, which anybody may say.
 * @throws ApiError 403 for others than partner accounts, 400 when it is no selector
 */
export function readSelector(value: string | null | undefined, partner: boolean): string | null {
  const selector = (value ?? '').trim().toLowerCase();
  if (selector === '') return null;
  if (!partner) throw DomainErrors.partnersOnly('dkim_selector');
  if (selector.length > LONGEST_SELECTOR || !LABEL.test(selector)) throw DomainErrors.invalidSelector();
  return selector;
}
