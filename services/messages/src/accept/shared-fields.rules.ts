import {
  ApiError,
  ApiErrors,
  isLongerThan,
  readTime,
  SandboxResult,
  type AccountFacts,
  isBlank,
  trimText,
} from '@postmesh/contracts';
import {
  headerValueProblem,
  parseEmailAddress,
  readControls,
  sortCustomHeaders,
  type Controls,
  type EmailAddress,
  type HeaderField,
} from '@postmesh/mail-format';
import { holdsTemplate } from '@postmesh/templates';
import {
  MAX_RETENTION_DAYS,
  MAX_SUBJECT_CHARACTERS,
  MAX_TAG_CHARACTERS,
  MAX_TAGS,
  type SharedFields,
} from './send.schema.js';

const DAY_MS = 86_400_000;

/**
 * An address of the request (spec 2-messages §1.1): trimmed and lower-cased.
 * @throws ApiError 400 with the name of the field
 */
export function requireAddress(text: string, field: string): EmailAddress {
  const parsed = parseEmailAddress(text);
  if (parsed.ok) return parsed.address;
  if (parsed.problem === 'line break or control character') {
    throw new ApiError(400, `${field} must not contain a line break or control character`);
  }
  throw new ApiError(400, `${field} is not a valid email address`);
}

/**
 * An address in the header of a message to any recipient: ASCII, because SMTPUTF8 is not certain to be used.
 * @throws ApiError 400 with the name of the field
 */
export function requireAsciiAddress(text: string, field: string): EmailAddress {
  const address = requireAddress(text, field);
  if (address.needsSmtpUtf8) throw new ApiError(400, `${field} must be an ASCII address`);
  return address;
}

/** Refuses a text that could start a new header line. */
export function requireOneLine(text: string, field: string): string {
  // eslint-disable-next-line no-control-regex
  if (/[\r\n\u0000]/.test(text))
    throw new ApiError(400, `${field} must not contain a line break or control character`);
  return text;
}

/** @throws ApiError 400 when it is blank, has more than one line or is longer than mail programs show */
export function requireSubject(subject: string): void {
  if (isBlank(subject)) throw new ApiError(400, 'subject must not be empty');
  requireOneLine(subject, 'subject');
  if (isLongerThan(subject, MAX_SUBJECT_CHARACTERS)) {
    throw new ApiError(400, `subject must have at most ${MAX_SUBJECT_CHARACTERS} characters`);
  }
}

/** The `headers` of a request, sorted by their names. */
export interface RequestHeaders {
  given: readonly HeaderField[];
  passed: readonly HeaderField[];
  controls: Controls;
  /** name of a control header with an invalid value */
  invalidControl: string | undefined;
}

/**
 * Checks names only: values are checked last (spec 2-messages §1.2, §1.4).
 * @throws ApiError 400 for a bad name, or a clash with a body field
 */
export function readHeaders(
  headers: SharedFields['headers'],
  rules: {
    controlPrefixes: readonly string[];
    hasReplyTo: boolean;
    hasCc?: boolean;
    drop?: readonly string[];
  },
): RequestHeaders {
  const { controlPrefixes, drop = [] } = rules;
  const given = Array.isArray(headers)
    ? headers
    : Object.entries(headers ?? {}).map(([name, value]) => ({ name, value }));
  const clashes = new Map<string, string>();
  if (rules.hasReplyTo) clashes.set('reply-to', 'reply_to and a reply-to header must not be given together');
  if (rules.hasCc) clashes.set('cc', 'cc and a cc header must not be given together');
  const sorted = sortCustomHeaders(given, { controlPrefixes, clashes, drop });
  if (!sorted.ok) throw new ApiError(400, sorted.message);
  const { controls, invalid } = readControls(sorted.control);
  return { given, passed: sorted.passed, controls, invalidControl: invalid[0] };
}

/**
 * @param isRendered values with template syntax are sources, checked after rendering
 * @throws ApiError 400 for an invalid value of a header or control header
 */
export function requireHeaderValues(
  { given, passed, invalidControl }: RequestHeaders,
  isRendered: boolean,
): void {
  const written = new Set(isRendered ? passed.filter(({ value }) => !holdsTemplate(value)) : passed);
  const problem = headerValueProblem(given, (field) => written.has(field));
  if (problem !== undefined) throw new ApiError(400, problem);
  if (invalidControl !== undefined) throw new ApiError(400, `invalid value of header '${invalidControl}'`);
}

/** Options of all messages of a send, from the request, its control headers and its account. */
export interface SendOptions {
  retention: { metadataDays: number; dataDays: number };
  schedule: Schedule;
  tracking: { open: boolean; click: boolean };
  tags: string[];
}

/** Precedence: body field, then control header, then the account's default (spec 2-messages §5.2 rule 5). */
export function readOptions(
  input: SharedFields,
  { controls }: Pick<RequestHeaders, 'controls'>,
  { account, now }: { account: AccountFacts; now: Date },
): SendOptions {
  return {
    retention: readRetention(input.retention, controls, account),
    schedule: readSchedule(input.schedule, now),
    tracking: readTracking(input.tracking, controls, account),
    tags: readTags(input.tags, controls),
  };
}

/** At most 10 tags of 1-64 characters, trimmed, without duplicates (spec 2-messages §1.1). */
function readTags(tags: SharedFields['tags'], controls: Controls): string[] {
  if (!tags) return controls.tags ?? [];
  const trimmed = [...new Set(tags.map(trimText))];
  if (trimmed.some((tag) => tag === '' || isLongerThan(tag, MAX_TAG_CHARACTERS))) {
    throw new ApiError(400, `each of tags must have 1 to ${MAX_TAG_CHARACTERS} characters`);
  }
  if (trimmed.length > MAX_TAGS) throw new ApiError(400, `tags must have at most ${MAX_TAGS} items`);
  trimmed.forEach((tag, index) => requireOneLine(tag, `tags[${index}]`));
  return trimmed;
}

function readTracking(tracking: SharedFields['tracking'], controls: Controls, account: AccountFacts) {
  return {
    open: tracking?.open ?? controls.trackOpens ?? account.track_opens,
    click: tracking?.click ?? controls.trackClicks ?? account.track_clicks,
  };
}

/** Both retention periods, fixed at acceptance; content never outlives the record (spec 2-messages §9). */
function readRetention(retention: SharedFields['retention'], controls: Controls, account: AccountFacts) {
  const metadata =
    retention?.metadata ?? controls.metadataRetentionDays ?? account.message_metadata_retention;
  const data = retention?.data ?? controls.dataRetentionDays ?? account.message_data_retention;
  if (metadata < 1 || metadata > MAX_RETENTION_DAYS) {
    throw new ApiError(400, `retention.metadata must be from 1 to ${MAX_RETENTION_DAYS}`);
  }
  if (data < 0 || data > MAX_RETENTION_DAYS) {
    throw new ApiError(400, `retention.data must be from 0 to ${MAX_RETENTION_DAYS}`);
  }
  return { metadataDays: metadata, dataDays: Math.min(data, metadata) };
}

export interface Schedule {
  firstAttempt: Date | null;
  expires: Date | null;
}

/** Spec 2-messages §8. */
function readSchedule(schedule: SharedFields['schedule'], now: Date): Schedule {
  const firstAttempt = readMoment(schedule?.first_attempt, 'schedule.first_attempt');
  const expires = readMoment(schedule?.expires, 'schedule.expires');
  if (firstAttempt && !isWithin(firstAttempt, now, 7)) {
    throw new ApiError(400, 'schedule.first_attempt must be in the future and within 7 days');
  }
  if (expires && !isWithin(expires, now, 8)) {
    throw new ApiError(400, 'schedule.expires must be in the future and within 8 days');
  }
  if (firstAttempt && expires && expires <= firstAttempt) {
    throw new ApiError(400, 'schedule.expires must be after schedule.first_attempt');
  }
  return { firstAttempt, expires };
}

function readMoment(text: string | null | undefined, field: string): Date | null {
  if (text === null || text === undefined) return null;
  const time = readTime(text);
  if (!time) throw ApiErrors.invalidTime(field);
  return time;
}

const isWithin = (time: Date, now: Date, days: number) =>
  time > now && time.getTime() <= now.getTime() + days * DAY_MS;

// one instance: making a schema costs more than parsing with it
const GivenSandboxResult = SandboxResult.nullish();

/**
 * Any setting of a sandbox overrides "production" (spec 2-messages §10).
 * @returns null for a real send
 * @throws ApiError 400 for an invalid result, also of a real send
 */
export function readSandbox(
  body: Pick<SharedFields, 'sandbox' | 'sandbox_result'>,
  { controls }: Pick<RequestHeaders, 'controls'>,
): SandboxResult | null {
  const result = GivenSandboxResult.safeParse(body.sandbox_result);
  if (!result.success) {
    throw new ApiError(400, `sandbox_result must be one of: ${SandboxResult.options.join(', ')}`);
  }
  if (body.sandbox !== true && controls.sandbox !== true) return null;
  return result.data ?? controls.sandboxResult ?? 'deliver';
}
