import { DMARC_POLICY } from '../dns/dns-records.rules.js';
import { readDmarc } from '../dns/dmarc.rules.js';
import type { Lookup } from '../dns/dns-resolver.port.js';

export const REPORT_RECORD_STATES = ['present', 'missing', 'changed', 'left', 'unknown'] as const;

/**
 * A record that brings reports: `present` as it is, `missing` and to be created, `changed` by our address in one of its owner's,
 * `left` to its owner because it is broken or there are several, or `unknown` without an answer of DNS.
 */
export interface ReportRecord {
  readonly kind: 'dmarc' | 'tls';
  readonly type: 'TXT';
  readonly host: string;
  readonly content: string;
  readonly state: (typeof REPORT_RECORD_STATES)[number];
  readonly found: readonly string[];
}

/** Receivers need not send to more than two (RFC 7489 §6.2, RFC 8460 §3); later addresses may get nothing. */
const TLS_VERSION = /^v\s*=\s*TLSRPTv1\s*(?:;|$)/i;

/**
 * The policy with our address in `rua` (aggregate reports) and `ruf` (failure reports). A domain without a policy of its own gets
 * the one that is in force for it, so that the new record changes reports alone.
 * @param inherited the records of the organisational domain; undefined at such a domain itself
 */
export function dmarcRecord(
  domain: string,
  address: string,
  own: Lookup<string>,
  inherited?: Lookup<string>,
): ReportRecord {
  const about = { kind: 'dmarc' as const, type: 'TXT' as const, host: `_dmarc.${domain}` };
  const fresh = withAddress(DMARC_POLICY, address);
  const reading = readDmarc(own);
  switch (reading.kind) {
    case 'unknown':
      return { ...about, content: fresh, state: 'unknown', found: [] };
    case 'several':
      return { ...about, content: fresh, state: 'left', found: reading.texts };
    case 'malformed':
      return { ...about, content: fresh, state: 'left', found: [reading.text] };
    case 'policy': {
      const content = withAddress(reading.text, address);
      const state = content === reading.text ? 'present' : 'changed';
      return { ...about, content, state, found: [reading.text] };
    }
    case 'absent': {
      const above = inherited && readDmarc(inherited);
      if (above?.kind === 'unknown') return { ...about, content: fresh, state: 'unknown', found: [] };
      const policy = above?.kind === 'policy' ? `v=DMARC1; p=${above.subdomains}` : DMARC_POLICY;
      return { ...about, content: withAddress(policy, address), state: 'missing', found: [] };
    }
  }
}

/** The record of RFC 8460 §3. An existing one keeps its addresses. */
export function tlsRecord(domain: string, address: string, own: Lookup<string>): ReportRecord {
  const about = { kind: 'tls' as const, type: 'TXT' as const, host: `_smtp._tls.${domain}` };
  const fresh = `v=TLSRPTv1; rua=mailto:${address}`;
  if (own.kind === 'unknown') return { ...about, content: fresh, state: 'unknown', found: [] };
  const [only, ...more] = (own.kind === 'found' ? own.values : []).filter((text) =>
    TLS_VERSION.test(text.trim()),
  );
  if (only === undefined) return { ...about, content: fresh, state: 'missing', found: [] };
  if (more.length > 0) return { ...about, content: fresh, state: 'left', found: [only, ...more] };
  const content = withUri(only, 'rua', address);
  return { ...about, content, state: content === only ? 'present' : 'changed', found: [only] };
}

const withAddress = (policy: string, address: string): string =>
  withUri(withUri(policy, 'rua', address), 'ruf', address);

/** @returns the same text when the address is there; else with it behind the others, or in a new tag at the end */
function withUri(text: string, tag: 'rua' | 'ruf', address: string): string {
  const parts = text.trim().replace(/;\s*$/, '').split(';');
  const at = parts.findIndex((part) => new RegExp(`^\\s*${tag}\\s*=`, 'i').test(part));
  const uri = `mailto:${address}`;
  if (at < 0) return [...parts, ` ${tag}=${uri}`].join(';');
  const present = parts[at] ?? '';
  const uris = present.slice(present.indexOf('=') + 1).split(',');
  // RFC 7489 §6.2: a size may follow, `mailto:a@example.com!10m`
  if (
    uris.some(
      (each) =>
        each
          .trim()
          .replace(/![^!]*$/, '')
          .toLowerCase() === uri,
    )
  )
    return text;
  const isEmpty = uris.every((each) => each.trim() === '');
  parts[at] = isEmpty ? ` ${tag}=${uri}` : `${present.trimEnd()},${uri}`;
  return parts.join(';');
}
