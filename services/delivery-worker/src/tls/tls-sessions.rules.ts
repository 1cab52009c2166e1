import { namesHost, type PolicyFault, type StsPolicyText } from '@postmesh/http';
import type { TlsPolicyType } from '@postmesh/delivery-worker-contract';
import type { TlsSession } from '../smtp-client/tls-session.js';
import type { DaneRecords, TlsTrouble } from './host-need.rules.js';

/** The result of a session, by the names of RFC 8460 §4.3; `success` has no other detail. */
type TlsResult = 'success' | TlsTrouble | PolicyFault | 'dnssec-invalid';

/** One session, or what made one impossible. */
export interface TlsCount {
  readonly policyDomain: string;
  readonly policyType: TlsPolicyType;
  /** the policy that was applied, line by line */
  readonly policyText: readonly string[];
  readonly result: TlsResult;
  /** of failures: the MX host */
  readonly mxHost: string;
}

const MAX_LINES = 20;
const MAX_LINE = 200;

export function countOf({ destination, host, verdict, trouble }: TlsSession): TlsCount {
  const { policy, dane, sts, name } = host;
  const count = (
    policyType: TlsPolicyType,
    policyText: readonly string[],
    fault: TlsTrouble | undefined,
  ) => ({
    policyDomain: destination,
    policyType,
    policyText,
    result: fault ?? ('success' as const),
    mxHost: fault === undefined ? '' : name,
  });
  // what a policy requires is proved before the first message
  const unmet = verdict === undefined ? (trouble ?? 'validation-failure') : undefined;
  // a certificate that no TLSA record names: its trouble with CAs is another matter
  if (policy === 'dane')
    return count('tlsa', dane ? tlsaText(dane) : [], unmet && dane ? 'validation-failure' : unmet);
  if (sts?.mode === 'enforce') return count('sts', stsText(sts), unmet);
  if (sts?.mode === 'testing') {
    const unnamed = namesHost(sts.mx, name) ? undefined : 'validation-failure';
    const unproved = verdict === 'pkix' ? undefined : (trouble ?? 'validation-failure');
    return count('sts', stsText(sts), unmet ?? unproved ?? unnamed);
  }
  const inClear = verdict === 'clear' ? (trouble ?? 'starttls-not-supported') : undefined;
  return count('no-policy-found', [], unmet ?? inClear);
}

/** In the form of its file (RFC 8461 §3.2). */
export const stsText = ({ mode, mx }: Pick<StsPolicyText, 'mode' | 'mx'>): string[] =>
  bounded(['version: STSv1', `mode: ${mode}`, ...mx.map((pattern) => `mx: ${pattern}`)]);

const tlsaText = ({ records }: DaneRecords): string[] =>
  bounded(
    records.map(
      ({ usage, selector, matching, data }) => `${usage} ${selector} ${matching} ${data.toString('hex')}`,
    ),
  );

const bounded = (lines: readonly string[]): string[] =>
  lines.slice(0, MAX_LINES).map((line) => line.slice(0, MAX_LINE));
