/** The writer of a report, its id, and its time. */
interface ReportHead {
  /** the organisation as it calls itself */
  readonly organisation: string;
  readonly reportId: string;
  readonly beginsAt: Date;
  readonly endsAt: Date;
}

/** Messages of one source with the same result (RFC 7489 Appendix C, RFC 9990). */
export interface AggregateRecord {
  /** IPv4 or IPv6 address, canonical */
  readonly source: string;
  readonly count: number;
  readonly disposition: 'none' | 'quarantine' | 'reject';
  /** aligned and passed */
  readonly dkim: boolean;
  readonly spf: boolean;
  /** the receiver did otherwise than the policy asks, `forwarded` */
  readonly override: string | null;
  /** domain of the author, lower case */
  readonly headerFrom: string;
  /** of the signature that is aligned and passed, else of an aligned one, else of one that passed; null: not signed */
  readonly dkimDomain: string | null;
  /** what the signature came to, aligned or not */
  readonly dkimResult: string | null;
  /** the domain that SPF was checked for */
  readonly spfDomain: string | null;
  readonly spfResult: string | null;
}

export interface AggregateReport extends ReportHead {
  readonly kind: 'dmarc';
  readonly policy: { readonly domain: string; readonly p: string };
  readonly records: readonly AggregateRecord[];
  /** it has more records than are read, or records that are not readable */
  readonly skipped: number;
}

/** Failed sessions of one kind (RFC 8460 §4.4). */
export interface TlsFailure {
  readonly resultType: string;
  readonly mxHost: string;
  readonly sessions: number;
}

interface TlsPolicyResult {
  readonly policyType: string;
  /** empty: not said, as some writers do without a policy */
  readonly policyDomain: string;
  readonly succeeded: number;
  readonly failed: number;
  readonly failures: readonly TlsFailure[];
}

export interface TlsReport extends ReportHead {
  readonly kind: 'tls';
  readonly policies: readonly TlsPolicyResult[];
}

/** One message that failed (RFC 6591, RFC 9991). Nothing of its content is kept. */
export interface FailureReport {
  readonly kind: 'failure';
  readonly reportedDomain: string | null;
  readonly source: string | null;
  /** what failed: `dmarc`, `spf`, `signature` */
  readonly failure: string;
  /** `dkim`, `spf`, `dkim, spf` or `none` */
  readonly alignment: string | null;
  readonly deliveryResult: string | null;
  readonly dkimDomain: string | null;
  readonly arrivedAt: Date | null;
  /** with angle brackets */
  readonly messageIdHeader: string | null;
  readonly incidents: number;
}

export type DomainReport = AggregateReport | TlsReport | FailureReport;
