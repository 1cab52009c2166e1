import { isLongerThan } from '@postmesh/contracts';
import { headerValueProblem, type HeaderField, type MessageContent } from '@postmesh/mail-format';
import { oneLine, type RequestContent } from '@postmesh/message-content';
import { holdsTemplate, type TemplatePart } from '@postmesh/templates';
import { MAX_SUBJECT_CHARACTERS } from './send.schema.js';
import { requireOneLineHeaders } from './substitutions.rules.js';

/** Subject and header values of a message, rendered for one recipient. */
export interface MessageHead {
  subject: string;
  headers: readonly HeaderField[];
}

const part = (name: string, source: string, escape: TemplatePart['escape'] = false): TemplatePart => ({
  name,
  source,
  escape,
});

/** Subject and header values, including values without a template. */
export const headParts = ({ subject, headers = [] }: RequestContent): TemplatePart[] => [
  part('subject', subject),
  ...headers.map(({ name, value }) => part(`headers.${name}`, value)),
];

export const bodyParts = ({ text, html, amp, preheader, rendering }: RequestContent): TemplatePart[] => [
  ...(text ? [part('text_content', text)] : []),
  ...(html ? [part('html_content', html, rendering?.escapeHtml)] : []),
  ...(amp ? [part('amp_content', amp)] : []),
  ...(preheader ? [part(PREHEADER, preheader, rendering?.preheaderIsHtml && 'all')] : []),
];

export const isTemplate = ({ source }: TemplatePart): boolean => holdsTemplate(source);

/** @param texts of the head parts that are templates, in their order */
export function headOf(content: RequestContent, texts: readonly string[]): MessageHead {
  const rendered = texts.values();
  const [subject = '', ...values] = headParts(content).map((each) =>
    isTemplate(each) ? (rendered.next().value ?? '') : each.source,
  );
  const headers = (content.headers ?? []).map(({ name }, at) => ({ name, value: values[at] ?? '' }));
  return { subject: oneLine(subject), headers };
}

/**
 * @returns the reason why the message cannot be sent with this head
 * @throws ApiError 400 for a header with a line break (spec 2-messages §4 rule 13)
 */
export function headProblem({ subject, headers }: MessageHead, email: string): string | undefined {
  requireOneLineHeaders(headers, email);
  if (isLongerThan(subject, MAX_SUBJECT_CHARACTERS)) return TOO_LONG_SUBJECT;
  return headerValueProblem(headers);
}

const TOO_LONG_SUBJECT = `subject must have at most ${MAX_SUBJECT_CHARACTERS} characters`;
const PREHEADER = 'preheader';
// Markup around the preview text, and the growth of a character by escaping.
const PREHEADER_BYTES = 300;
const ESCAPED_BYTES = 6;

/** The most bytes in a message: the preview text is escaped as a whole. */
export const bytesInMessage = ({ name }: TemplatePart, bytes: number): number =>
  name === PREHEADER ? PREHEADER_BYTES + ESCAPED_BYTES * bytes : bytes;

/** Bytes of texts and attachments. */
export function bytesOf({ text, html, amp, attachments }: Partial<MessageContent>): number {
  const texts = [text, html, amp].reduce((sum, each) => sum + Buffer.byteLength(each ?? ''), 0);
  return (attachments ?? []).reduce((sum, { size }) => sum + (size ?? 0), texts);
}
