import { isIP } from 'node:net';
import type { AddressPolicy } from './address-policy.rules.js';

export const MAX_URL_LENGTH = 2_048;

// A space or control character would be dropped or encoded silently: the URL would not be what was meant.
const BLANK_OR_CONTROL = /[\s\u0000-\u001f\u007f]/;

/**
 * Reads the URL that a customer names for calls.
 * @returns undefined unless it is an absolute http or https URL of at most 2,048 characters
 */
export function readTargetUrl(text: string): URL | undefined {
  if (text.length > MAX_URL_LENGTH || BLANK_OR_CONTROL.test(text) || !/^https?:\/\//i.test(text))
    return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url && url.hostname !== '' ? url : undefined;
}

/** `[::1]` is `::1`; every other host stays as it is. */
export function bareHost(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}

/** Names that mean this very machine, whatever DNS says (RFC 6761 §6.3). */
export function isLocalhost(hostname: string): boolean {
  return /(^|\.)localhost\.?$/i.test(hostname);
}

export const LOOPBACK_ADDRESSES: readonly string[] = ['127.0.0.1', '::1'];

/**
 * What can be said of a target without DNS: a literal address that is refused, or localhost where loopback is
 * not allowed. Names are judged again at every connection, by the addresses they have then.
 */
export function isRefusedAtSight(url: URL, policy: AddressPolicy): boolean {
  const host = bareHost(url.hostname);
  if (isLocalhost(host)) return !LOOPBACK_ADDRESSES.some((address) => policy.permits(address));
  return isIP(host) !== 0 && !policy.permits(host);
}
