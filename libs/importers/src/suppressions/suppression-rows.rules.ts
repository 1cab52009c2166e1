import type { Row } from '../read/rows.js';
import { addressOf } from '../read/addresses.js';
import { timeOf } from '../read/times.js';
import type { ByColumn, Cause, SuppressionForm } from '../sources/source.js';

/** A line of the import of suppressions (spec 1-platform §14), as NDJSON. */
export interface SuppressionEntry {
  readonly email: string;
  readonly domain?: string;
  readonly reason: string;
  readonly created_at?: string;
}

export type ReadSuppression =
  | {
      readonly kind: 'suppression';
      readonly cause: Cause;
      readonly entry: SuppressionEntry;
      readonly hasDate: boolean;
    }
  | { readonly kind: 'none' }
  | { readonly kind: 'refused'; readonly reason: string };

const MAX_REASON = 255;

/** The reasons that make an imported row a protected one (spec 1-platform §14.3 rule 3). */
const PROTECTED: Partial<Record<Cause, string>> = {
  complaint: 'FBL Complaint Report',
  unsubscribe: 'Unsubscribed',
};
/** The recipient's own decision. */
export const isProtecting = (cause: Cause): boolean => PROTECTED[cause] !== undefined;

const REASONS: Record<Cause, string> = {
  bounce: 'Bounced at',
  manual: 'Suppressed at',
  complaint: '',
  unsubscribe: '',
};

export interface SuppressionsAbout {
  readonly form: SuppressionForm;
  /** of the service */
  readonly title: string;
  /** undefined: each domain of the account */
  readonly domain: string | undefined;
  readonly now: Date;
}

/**
 * A suppression is permanent here, as it was there, and is kept when its date is unreadable: what cannot be sent to at the
 * source cannot be sent to afterwards.
 */
export function readSuppression(row: Row, { form, title, domain, now }: SuppressionsAbout): ReadSuppression {
  if (row.problem !== undefined) return { kind: 'refused', reason: row.problem };
  const cause = causeOf(row, form.cause);
  if (cause === null) return { kind: 'none' };
  if (typeof cause === 'object') return { kind: 'refused', reason: cause.unknown };
  const email = addressOf(row.value(form.email));
  if (email === undefined) return { kind: 'refused', reason: `${form.email} is not an email address` };
  const at = form.at === undefined ? undefined : timeOf(row.value(form.at), now);
  const entry = {
    email,
    ...(domain === undefined ? {} : { domain }),
    reason: PROTECTED[cause] ?? reasonOf(`${REASONS[cause]} ${title}`, row, form.details ?? []),
    ...(at ? { created_at: at.toISOString() } : {}),
  };
  return { kind: 'suppression', cause, entry, hasDate: at !== undefined };
}

function causeOf(row: Row, cause: Cause | ByColumn<Cause | null>): Cause | null | { unknown: string } {
  if (typeof cause === 'string') return cause;
  const given = String(row.value(cause.column) ?? '').trim();
  const key = given.toLowerCase();
  if (Object.hasOwn(cause.values, key)) return cause.values[key] ?? null;
  return {
    unknown: `${cause.column} is '${given.slice(0, 40)}', which is none of ${Object.keys(cause.values).join(', ')}`,
  };
}

function reasonOf(beginning: string, row: Row, columns: readonly string[]): string {
  const details = columns
    .map((column) => row.value(column))
    .filter((value) => typeof value === 'string' || typeof value === 'number')
    .map((value) =>
      String(value)
        .replace(/[\s\u0000-\u001f]+/g, ' ')
        .trim(),
    )
    .filter((value) => value !== '')
    .join(' ');
  const whole = details === '' ? beginning : `${beginning}: ${details}`;
  // most are shorter, and a file has a million of them
  return whole.length <= MAX_REASON ? whole : Array.from(whole).slice(0, MAX_REASON).join('');
}
