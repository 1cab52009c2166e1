import { ApiError } from '@postmesh/contracts';
import type { HeaderField } from '@postmesh/mail-format';
import type { RequestContent, Values } from '@postmesh/message-content';
import { holdsTemplate, subjectProblem, templateProblem, templateVariables } from '@postmesh/templates';

type Sources = Pick<RequestContent, 'subject' | 'headers' | 'text' | 'html' | 'amp'>;

// Values of the request are merged and parsed in the rendering thread, once for each recipient.
const MAX_SHARED_CHARACTERS = 32 * 1024 * 1024;
// about 50 MB of merged objects
const MAX_SHARED_NAMES = 500_000;

/** @throws ApiError 400 for values of the request that are too large to be parsed for each recipient */
export function requireSharedValues(values: Values | undefined, recipients: number): void {
  if (!values || recipients === 1) return;
  const hasFewNames = Object.keys(values).length * recipients <= MAX_SHARED_NAMES;
  if (hasFewNames && JSON.stringify(values).length * recipients <= MAX_SHARED_CHARACTERS) return;
  throw new ApiError(400, `substitutions are too large for ${recipients} recipients`);
}

/** A recipient for whom the content is rendered. */
export interface Substituted {
  email: string;
  /** its own and those of the request */
  values: Values;
}

/**
 * Checks before rendering: parts must parse, and values must be valid in subject and headers
 * (spec 2-messages §4 rules 7 and 10 to 13).
 * @param bodiesToo false: the bodies are known to parse
 * @throws ApiError 400
 */
export function requireSubstitutions(
  content: Sources,
  recipients: readonly Substituted[],
  { bodiesToo }: { bodiesToo: boolean },
): void {
  requireParsable(content, bodiesToo);
  const { subject, headers = [] } = content;
  const inHeaders = headersByVariable(headers);
  for (const { email, values } of recipients) {
    const problem = holdsTemplate(subject) ? subjectProblem(subject, values) : undefined;
    if (problem !== undefined) throw invalidTemplate('subject', problem);
    for (const [name, header] of inHeaders) {
      if (hasLineBreak(values[name])) throw lineBreakInHeader(header, email);
    }
  }
}

/** The first header that uses a variable, so that each value, which may be large, is checked once. */
function headersByVariable(headers: readonly HeaderField[]): Map<string, HeaderField> {
  const found = new Map<string, HeaderField>();
  for (const header of headers) {
    for (const { name } of templateVariables([header.value])) if (!found.has(name)) found.set(name, header);
  }
  return found;
}

function requireParsable({ subject, text, html, amp, headers }: Sources, bodiesToo: boolean): void {
  const bodies = { text_content: text, html_content: html, amp_content: amp };
  const parts: [field: string, source: string | undefined][] = [
    ['subject', subject],
    ...(bodiesToo ? Object.entries(bodies) : []),
    ...(headers ?? []).map(({ name, value }): [string, string] => [`headers.${name}`, value]),
  ];
  for (const [field, source] of parts) {
    const problem = source === undefined ? undefined : templateProblem(source);
    if (problem !== undefined) throw invalidTemplate(field, problem);
  }
}

const hasLineBreak = (value: unknown): boolean => typeof value === 'string' && /[\r\n]/.test(value);

const invalidTemplate = (field: string, reason: string): ApiError =>
  new ApiError(400, `invalid template in ${field}: ${reason}`);

/** A value with a line break would end the header early (spec 2-messages §4 rule 13). */
const lineBreakInHeader = ({ name }: HeaderField, email: string): ApiError =>
  new ApiError(400, `substitution value for header '${name}' of ${email} must not contain a line break`);

/** @throws ApiError 400 for a rendered header with a line break from any source */
export function requireOneLineHeaders(headers: readonly HeaderField[], email: string): void {
  for (const header of headers) if (hasLineBreak(header.value)) throw lineBreakInHeader(header, email);
}
