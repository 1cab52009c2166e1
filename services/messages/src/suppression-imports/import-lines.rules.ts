import { z } from 'zod';
import { ApiError, ApiErrors, normaliseDomain, parseBody, type AccountId } from '@postmesh/contracts';
import {
  jsonObject,
  lineError,
  readCsvColumns,
  recordAt,
  recordFields,
  type Delimiter,
  type ImportFormat,
  type LineChunk,
  type LineError,
} from '@postmesh/line-imports';
import { atMostPermanent, PERMANENT, type SuppressionCause } from '../suppressions/suppression.rules.js';
import { CreateSuppressionBody, futureTime, isTime, timeOf } from '../suppressions/suppression.schema.js';

/** A longer line is an error; its rest is not stored. */
export const MAX_LINE_BYTES = 4_096;
// Rows of one transaction: it locks the list of the account for some ten milliseconds.
const MAX_BATCH_ROWS = 500;

/** One line: the fields of a create, of which only the address is required, and the time of the row's creation. */
const ImportLine = z.object({
  email: CreateSuppressionBody.shape.email,
  domain: z.string().nullish(),
  reason: CreateSuppressionBody.shape.reason,
  expires_at: futureTime('expires_at').nullish(),
  created_at: z
    .string()
    .refine(isTime, { message: ApiErrors.invalidTime('created_at').message })
    .refine((text) => !isTime(text) || timeOf(text) <= new Date(), {
      message: 'created_at must not be in the future',
    })
    .nullish(),
});

const FIELDS = Object.keys(ImportLine.shape);
// Further fields of the API's list, so that its output can be imported unchanged. The reason determines `protected`.
const PASSED_OVER = ['object', 'id', 'account_id', 'protected'];

/** Reasons of the recipient's own decision (spec 1-platform §14.3 rule 3). */
const RECIPIENTS_REASONS = new Set(['FBL Complaint Report', 'FBL Abuse Report', 'Unsubscribed']);

/** @returns the column names in the first line of a CSV file. @throws ApiError 400 */
export const readColumns = (line: string, delimiter?: Delimiter): string[] =>
  readCsvColumns(
    line,
    (name) => ([...FIELDS, ...PASSED_OVER].includes(name) ? name : undefined),
    () => `the first line names columns, ${FIELDS.join(', ')}`,
    delimiter,
  );

/** @throws ApiError 400 */
function fieldsOf(text: string, columns: readonly string[], format: ImportFormat): object {
  if (format === 'ndjson') return jsonObject(text, 'the line');
  const given = recordFields(columns, text).map(([column, value]) => [column, value.trim()] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== ''));
}

/** The cause in a line; `domain` undefined: all of the account. */
type LineCause = Omit<SuppressionCause, 'domain' | 'accountId'> & { domain: string | undefined };

/** @throws ApiError 400 with the reason as its message */
function readLine(line: string, { columns, format, importedAt }: ImportAbout): LineCause {
  if (Buffer.byteLength(line) > MAX_LINE_BYTES) {
    throw new ApiError(400, `the line is longer than ${MAX_LINE_BYTES} bytes`);
  }
  const fields = fieldsOf(line, columns, format);
  const known = Object.entries(fields).filter(([name]) => !PASSED_OVER.includes(name));
  const read = parseBody(ImportLine, Object.fromEntries(known));
  const reason = Buffer.from(read.reason ?? '').toString();
  return {
    email: read.email,
    domain: readLineDomain(read.domain),
    reason,
    protected: RECIPIENTS_REASONS.has(reason),
    source: 'import',
    createdAt: read.created_at ? timeOf(read.created_at) : importedAt,
    expiresAt: atMostPermanent(read.expires_at ?? PERMANENT),
  };
}

function readLineDomain(given: string | null | undefined): string | undefined {
  if (!given || given === '*') return undefined;
  const domain = normaliseDomain(given);
  if (domain === undefined) throw noDomain(given);
  return domain;
}

const noDomain = (domain: string) => new ApiError(400, `domain not found: ${domain}`);

export interface ImportAbout {
  accountId: AccountId;
  format: ImportFormat;
  /** of a CSV file */
  columns: readonly string[];
  importedAt: Date;
}

/** The progress of an import: the next line, and the last domain done in it. */
export interface ImportPosition {
  line: number;
  afterDomain: string;
}

export interface ImportBatch {
  causes: SuppressionCause[];
  errors: LineError[];
  next: ImportPosition;
}

/**
 * The part of a chunk for one transaction: up to 500 rows. A line for all domains of an account with thousands is
 * split over several.
 * @param domains of the account, ascending
 */
export function takeBatch(
  about: ImportAbout,
  chunk: LineChunk,
  from: ImportPosition,
  domains: readonly string[],
): ImportBatch {
  const batch: ImportBatch = { causes: [], errors: [], next: from };
  const owned = new Set(domains);
  for (let { line } = from; line < chunk.first + chunk.lines.length; line = batch.next.line) {
    const { afterDomain } = batch.next;
    const room = MAX_BATCH_ROWS - batch.causes.length;
    if (room === 0) break;
    const { text, lines } = recordAt(about.format, chunk, line, MAX_LINE_BYTES);
    const { causes, error } = causesOf(about, text, { domains, owned, afterDomain });
    if (error !== undefined) batch.errors.push(lineError(about.format, line, text, error));
    batch.causes.push(...causes.slice(0, room));
    if (causes.length > room) {
      batch.next = { line, afterDomain: causes[room - 1]?.domain ?? '' };
      break;
    }
    batch.next = { line: line + lines, afterDomain: '' };
  }
  return batch;
}

interface Domains {
  domains: readonly string[];
  owned: ReadonlySet<string>;
  afterDomain: string;
}

/** The rows of one line. A blank one has none and is no error. */
function causesOf(
  about: ImportAbout,
  text: string,
  { domains, owned, afterDomain }: Domains,
): { causes: SuppressionCause[]; error?: string } {
  if (text.trim() === '') return { causes: [] };
  try {
    const cause = { ...readLine(text, about), accountId: about.accountId };
    const { domain } = cause;
    if (domain !== undefined) {
      if (!owned.has(domain)) throw noDomain(domain);
      return { causes: [{ ...cause, domain }] };
    }
    if (domains.length === 0) throw new ApiError(400, 'account has no domains');
    return {
      causes: domains.filter((name) => name > afterDomain).map((name) => ({ ...cause, domain: name })),
    };
  } catch (error) {
    if (error instanceof ApiError) return { causes: [], error: error.message };
    throw error;
  }
}
