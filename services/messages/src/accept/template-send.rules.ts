import { ApiError, isBlank } from '@postmesh/contracts';
import { parseEmailAddress, type HeaderField } from '@postmesh/mail-format';
import { templateProblem } from '@postmesh/templates';
import type { PublishedTemplate } from '../templates/published-templates.js';
import type { Recipient } from './recipients.rules.js';
import type { TemplateSendBody } from './send.schema.js';
import { requireSubject, type RequestHeaders } from './shared-fields.rules.js';

type TemplateAddress = NonNullable<PublishedTemplate['from']>;

/** The fields that a send takes from its template because the request leaves them out. */
export interface Defaults {
  /** null: the request has a sender, or there is none */
  from: TemplateAddress | null;
  replyTo: TemplateAddress | null;
}

/**
 * Spec 2-messages §1.4 step 7: checks only the defaults that this send uses.
 * @throws ApiError 400
 */
export function requireDefaults(
  template: Pick<PublishedTemplate, 'from' | 'replyTo'>,
  input: Pick<TemplateSendBody, 'from' | 'reply_to'>,
  headers: RequestHeaders,
): Defaults {
  const hasReplyTo = input.reply_to || headers.passed.some(({ name }) => name.toLowerCase() === 'reply-to');
  const from = input.from ? null : template.from;
  const replyTo = hasReplyTo ? null : template.replyTo;
  if ([from, replyTo].some((address) => address !== null && !isValid(address))) {
    const text =
      "the template's default sender or reply-to is not valid, edit it on the template page and publish it";
    throw new ApiError(400, text);
  }
  return { from, replyTo };
}

function isValid({ email, name }: TemplateAddress): boolean {
  const parsed = parseEmailAddress(email);
  // eslint-disable-next-line no-control-regex
  return parsed.ok && !parsed.address.needsSmtpUtf8 && !/[\r\n\u0000]/.test(name);
}

/** @throws ApiError 400: step 8 */
export function requireDefaultSender({ from }: Defaults): TemplateAddress {
  if (from !== null) return from;
  throw new ApiError(400, 'from is required because the template has no default sender');
}

type Body = Pick<PublishedTemplate, 'html' | 'text' | 'preheader'>;

/** @throws ApiError 400: step 9 */
export function requireBody({ html, text }: Body): void {
  if (!html && !text) throw new ApiError(400, 'template has no published content, design it and publish it');
}

/** Step 10. */
export const canBeRendered = ({ html, text, preheader }: Body): boolean =>
  [html, text, preheader].every((source) => !source || templateProblem(source) === undefined);

export const cannotBeRendered = (): ApiError =>
  new ApiError(
    400,
    "template's published design holds a {{, {% or {# that cannot be rendered, fix it and publish it",
  );

/**
 * Step 11: a subject that is not blank replaces the one of the template.
 * @throws ApiError 400
 */
export function chooseSubject(given: string | null | undefined, template: { subject: string }): string {
  const subject = given && !isBlank(given) ? given : template.subject;
  if (isBlank(subject)) {
    const text = 'the template has no subject, publish one on the template page or pass subject';
    throw new ApiError(400, text);
  }
  requireSubject(subject);
  return subject;
}

/** Names of required variables that have no value (spec 2-messages §4 rule 16). */
export function missingVariables(
  { variables }: Pick<PublishedTemplate, 'variables'>,
  substitutions: Readonly<Record<string, unknown>>,
): string[] {
  const values = new Map(Object.entries(substitutions));
  return variables.flatMap(({ name, required }) =>
    required && (values.get(name) ?? null) === null ? [name] : [],
  );
}

// A design may name a hundred thousand variables, and there may be a hundred recipients without any.
const MAX_MISSING_CHARACTERS = 20_000;

/**
 * Step 12: each recipient needs a value, which may be empty, for each required variable (spec 2-messages §4 rule 16).
 * @throws ApiError 400 with all of their names
 */
export function requireVariables(
  { variables }: Pick<PublishedTemplate, 'variables'>,
  recipients: readonly Recipient[],
): void {
  let missing = '';
  for (const { address, given } of recipients) {
    const names = missingVariables({ variables }, given.substitutions ?? {});
    if (names.length === 0) continue;
    missing += `${missing && '; '}${address.address} needs ${names.join(', ')}`;
    if (missing.length > MAX_MISSING_CHARACTERS) break;
  }
  if (missing === '') return;
  const text =
    missing.length > MAX_MISSING_CHARACTERS ? `${missing.slice(0, MAX_MISSING_CHARACTERS)}…` : missing;
  throw new ApiError(400, `missing required template variables: ${text}`);
}

const LINK = 'unsubscribe_url';

/** Whether the design uses a link per recipient (spec 2-messages §12 rule 1). */
export const usesUnsubscribeLink = ({ variables }: Pick<PublishedTemplate, 'variables'>): boolean =>
  variables.some(({ name }) => name === LINK);

/** Header fields with the link for mail programs (RFC 8058) replace those of the request. */
export const withUnsubscribeHeaders = (headers: readonly HeaderField[]): HeaderField[] => [
  ...headers.filter(({ name }) => !/^list-unsubscribe(-post)?$/i.test(name)),
  { name: 'List-Unsubscribe', value: `<{{ ${LINK} }}>` },
  { name: 'List-Unsubscribe-Post', value: 'List-Unsubscribe=One-Click' },
];

/** Override values of the request (spec 2-messages §4 rule 9). @param link '' when the design uses none */
export const reservedValues = (email: string, link: string) => ({
  email,
  [LINK]: link,
  view_browser_url: '',
});
