import { addressProblem, valueIn, type Rejected, type Table } from '../imports/file-table.rules';

/** Where a column goes: a field of the suppression, or nowhere. */
export type Target = 'email' | 'domain' | 'reason' | 'created_at' | 'expires_at' | 'skip';

/** Also the names that lists exported elsewhere have. */
export const KNOWN: readonly (readonly [RegExp, Target])[] = [
  [/^(recipient[ _-]?)?(e-?mail([ _-]?address)?|address|recipient)$/i, 'email'],
  [/^((sending|sender|from)[ _-]?)?domain$/i, 'domain'],
  [/^((suppression|bounce)[ _-]?)?(reason|description|error|type)$/i, 'reason'],
  [/^(created|added|suppressed|date|time|timestamp)([ _-]?(at|on|date))?$/i, 'created_at'],
  [/^(expires|expiry|until)([ _-]?(at|on|date))?$/i, 'expires_at'],
];

interface Entry {
  email: string;
  domain?: string;
  reason?: string;
  created_at?: string;
  expires_at?: string;
}

export interface SuppressionRow {
  readonly line: number;
  readonly entry: Entry;
}

/** For rows without a value of their own. */
export interface Defaults {
  /** empty: all domains of the account */
  readonly domain: string;
  readonly reason: string;
}

export interface Reasons {
  readonly noAddress: string;
  readonly badAddress: string;
  readonly repeatedSuppression: string;
  readonly badTime: string;
}

/** The rows to send, and those that the browser knows to be wrong. */
export function mapRows(
  { rows, lines, rejected: unread }: Table,
  targets: readonly Target[],
  defaults: Defaults,
  reasons: Reasons,
): { good: SuppressionRow[]; rejected: Rejected[] } {
  const good: SuppressionRow[] = [];
  const rejected = [...unread];
  const seen = new Set<string>();
  rows.forEach((values, index) => {
    const valueOf = (target: Target) => valueIn(values, targets, target);
    const [email, line] = [valueOf('email'), lines[index] ?? 0];
    const domain = valueOf('domain') || defaults.domain;
    const reason = valueOf('reason') || defaults.reason.trim();
    const [createdAt, expiresAt] = [timeOf(valueOf('created_at')), timeOf(valueOf('expires_at'))];
    const key = `${email} ${domain}`.toLowerCase();
    const problem =
      addressProblem(email, reasons) ??
      (createdAt === null || expiresAt === null
        ? reasons.badTime
        : seen.has(key)
          ? reasons.repeatedSuppression
          : undefined);
    if (problem !== undefined) return void rejected.push({ line, email, reason: problem });
    seen.add(key);
    const fields = { domain, reason, created_at: createdAt, expires_at: expiresAt };
    const given = Object.entries(fields).filter(([, value]) => value);
    good.push({ line, entry: { email, ...Object.fromEntries(given) } });
  });
  return { good, rejected };
}

const ISO = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?( ?(Z|UTC|[+-]\d\d:?\d\d))?)?$/;
const HAS_ZONE = /(Z|UTC|[+-]\d\d:?\d\d)$/;
const RFC_5322 = /^[A-Z][a-z]{2}, \d{1,2} [A-Z][a-z]{2} \d{4} /;

/**
 * A time as RFC 3339: from a date, a date with a time (without a zone in UTC), the form of mail headers, or seconds or
 * milliseconds since 1970. Others are read differently from country to country.
 * @returns undefined for none, null for one that is not understood
 */
export function timeOf(text: string): string | undefined | null {
  if (text === '') return undefined;
  if (/^\d{10}(\.\d+)?$/.test(text)) return new Date(Number(text) * 1_000).toISOString();
  if (/^\d{13}$/.test(text)) return new Date(Number(text)).toISOString();
  const iso = ISO.test(text) && (text.length === 10 || HAS_ZONE.test(text) ? text : `${text}Z`);
  const at = iso ? Date.parse(iso) : RFC_5322.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : new Date(at).toISOString();
}
