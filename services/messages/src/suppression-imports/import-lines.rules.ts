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
import {
  CreateSuppressionBody,
  futureTime,
  isTime,
  noDomains,
  noSuchDomain,
  timeOf,
} from '../suppressions/suppression.schema.js';

/** A longer line is an error; its rest is not stored. */
export const MAX_LINE_BYTES = 4_096;
// Rows of one transaction: it locks the list of the account for some ten milliseconds.
const MAX_BATCH_ROWS = 500;

/** One entry: the fields of a create, of which only the address is required, and the time of the row's creation. */
const ImportEntry = z.object({
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

const FIELDS = Object.keys(ImportEntry.shape);
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

/** The cause in an entry; `domain` undefined: all of the account. */
export type EntryCause = Omit<SuppressionCause, 'domain'> & { domain: string | undefined };

/** @throws ApiError 400 with the reason as its message */
function readLine(line: string, about: ImportAbout): EntryCause {
  if (Buffer.byteLength(line) > MAX_LINE_BYTES) {
    throw new ApiError(400, `the line is longer than ${MAX_LINE_BYTES} bytes`);
  }
  return readEntry(fieldsOf(line, about.columns, about.format), about);
}

/** @throws ApiError 400 with the reason as its message */
export function readEntry(
  fields: object,
  { accountId, importedAt }: Pick<ImportAbout, 'accountId' | 'importedAt'>,
): EntryCause {
  const known = Object.entries(fields).filter(([name]) => !PASSED_OVER.includes(name));
  const read = parseBody(ImportEntry, Object.fromEntries(known));
  const reason = Buffer.from(read.reason ?? '').toString();
  return {
    accountId,
    email: read.email,
    domain: readEntryDomain(read.domain),
    reason,
    protected: RECIPIENTS_REASONS.has(reason),
    source: 'import',
    createdAt: read.created_at ? timeOf(read.created_at) : importedAt,
    expiresAt: atMostPermanent(read.expires_at ?? PERMANENT),
  };
}

function readEntryDomain(given: string | null | undefined): string | undefined {
  if (!given || given === '*') return undefined;
  const domain = normaliseDomain(given);
  if (domain === undefined) throw noSuchDomain(given);
  return domain;
}

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
  /** of the account, ascending */
  domains: readonly string[];
  owned: ReadonlySet<string>;
}

/** The rows of one line. A blank one has none and is no error. */
function causesOf(
  about: ImportAbout,
  text: string,
  { afterDomain, ...domains }: Domains & { afterDomain: string },
): { causes: SuppressionCause[]; error?: string } {
  if (text.trim() === '') return { causes: [] };
  try {
    const cause = readLine(text, about);
    const causes = inDomains(cause, domains);
    return {
      causes: cause.domain === undefined ? causes.filter(({ domain }) => domain > afterDomain) : causes,
    };
  } catch (error) {
    if (error instanceof ApiError) return { causes: [], error: error.message };
    throw error;
  }
}

/** The rows of a cause: of its domain, or of each that the account has. @throws ApiError 400 */
export function inDomains(cause: EntryCause, { domains, owned }: Domains): SuppressionCause[] {
  const { domain } = cause;
  if (domain !== undefined) {
    if (!owned.has(domain)) throw noSuchDomain(domain);
    return [{ ...cause, domain }];
  }
  if (domains.length === 0) throw noDomains();
  return domains.map((name) => ({ ...cause, domain: name }));
}
