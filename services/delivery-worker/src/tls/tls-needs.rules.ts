import { namesHost } from '@postmesh/http';
import type { DaneFinding } from './dane-lookup.js';
import type { HostNeed } from './host-need.rules.js';
import type { StsPolicy } from './sts-policies.js';

/** The proof that a host needs, or why it may not be used for this destination. */
export type HostRuling =
  | ({ readonly kind: 'used' } & HostNeed)
  | { readonly kind: 'passed-over'; readonly because: 'dns' | 'policy'; readonly reason: string };

/** `unnamed`: the validated MX records do not name the host; those for routes are older, or come from elsewhere. */
export type HostDane = DaneFinding | { readonly kind: 'unnamed' };

export interface HostFindings {
  readonly host: string;
  readonly destination: string;
  readonly dane: HostDane;
  readonly sts: Pick<StsPolicy, 'mode' | 'mx'> | undefined;
  /** the operator requires STARTTLS with this provider */
  readonly required: boolean;
}

/**
 * DANE before MTA-STS (RFC 8461 §2), and a failed lookup bypasses neither of them. Without both, mail is encrypted
 * where it can be (spec 2-messages §14 rule 2).
 */
export function ruleHost({ host, destination, dane, sts, required }: HostFindings): HostRuling {
  if (dane.kind === 'unnamed') {
    const reason = `the validated MX records of ${destination} do not name ${host}`;
    return { kind: 'passed-over', because: 'dns', reason };
  }
  if (dane.kind === 'failed') {
    const reason = `no answer about the TLSA records of ${host}: ${dane.reason}`;
    return { kind: 'passed-over', because: 'dns', reason };
  }
  if (dane.kind === 'records') {
    return { kind: 'used', need: 'dane', policy: 'dane', dane: { ...dane.dane, destination } };
  }
  if (sts?.mode === 'enforce') {
    if (namesHost(sts.mx, host)) return { kind: 'used', need: 'pkix', policy: 'sts' };
    const reason = `the MTA-STS policy of ${destination} does not name its mail host ${host}`;
    return { kind: 'passed-over', because: 'policy', reason };
  }
  if (dane.kind === 'unusable') return { kind: 'used', need: 'starttls', policy: 'dane' };
  return required ? { kind: 'used', need: 'starttls' } : { kind: 'used' };
}
