import type { ReadFields } from '@postmesh/mail-format';
import { readAddress } from '../addresses.rules.js';
import type { OwnText } from '../own-text.js';
import { findReply } from '../reply-codes.rules.js';
import type { Condition, Form } from './forms.schema.js';
import { FORMS } from './forms.table.js';

/** The fields and texts that identify forms. */
export interface FormMarks {
  readonly fields: ReadFields;
  /** of the status part; undefined when there is none */
  readonly statusFields?: ReadFields | undefined;
  readonly boundary: string;
  readonly text: OwnText;
}

export interface FormReading {
  readonly recipient?: string | undefined;
  readonly reason?: string | undefined;
}

const MAX_MARK_CHARS = 1_000;

export function findForm(marks: FormMarks): Form | undefined {
  const from = marks.fields.words('from')?.slice(0, MAX_MARK_CHARS) ?? '';
  const subject = marks.fields.words('subject')?.slice(0, MAX_MARK_CHARS) ?? '';
  const boundary = marks.boundary.slice(0, MAX_MARK_CHARS);
  const fits = (condition: Condition): boolean =>
    (condition.from?.test(from) ?? true) &&
    (condition.subject?.test(subject) ?? true) &&
    (condition.boundary?.test(boundary) ?? true) &&
    hasField(marks.fields, condition.header, condition.says) &&
    hasField(marks.statusFields, condition.statusField) &&
    (condition.text?.test(marks.text.whole) ?? true);
  return FORMS.find(({ when }) => when.some(fits));
}

/** @param name in lower case; `*` at its end matches any name with that prefix; undefined always matches */
function hasField(fields: ReadFields | undefined, name?: string, says?: RegExp): boolean {
  if (name === undefined) return true;
  const begin = name.endsWith('*') ? name.slice(0, -1) : undefined;
  return (fields?.list ?? []).some(
    (field) =>
      (begin === undefined ? field.name === name : field.name.startsWith(begin)) &&
      (says?.test(field.value.slice(0, MAX_MARK_CHARS)) ?? true),
  );
}

const MAX_LINES = 400;
const MAX_LINE_CHARS = 1_000;
const MAX_REASON_LINES = 20;
const MAX_REASON_CHARS = 1_000;

/** Reads the recipient and the reason from the text of a bounce, by the rules of its form. */
export function readForm(form: Form, { fields, text }: FormMarks): FormReading {
  const lines = linesOf(text.says.slice(behind(text.says, form.recipientAfter) ?? 0));
  const at = lines.findIndex((line) => ADDRESS.test(line));
  const inText = at < 0 ? undefined : addressIn(lines[at] ?? '');
  const ways = {
    'behind-words': () =>
      paragraph(linesOf(text.says.slice(behind(text.says, form.reasonAfter) ?? Infinity))),
    'below-address': () => (at < 0 ? undefined : belowAddress(lines, at)),
    code: () => withCode(lines),
    subject: () => fields.words('subject'),
  } as const;
  let reason: string | undefined;
  for (const way of form.reason) reason ||= ways[way]()?.slice(0, MAX_REASON_CHARS);
  const recipient = readAddress(fields.first('x-failed-recipients')?.split(',')[0]) ?? inText;
  return { recipient, reason: reason || undefined };
}

/** An address, its line being nothing longer than any line should be. */
const ADDRESS = /[^\s<>"(),:;@[\]]{1,64}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,8}/i;

const addressIn = (line: string): string | undefined => readAddress(ADDRESS.exec(line)?.[0]);

const linesOf = (text: string): string[] =>
  text
    .slice(0, MAX_LINES * MAX_LINE_CHARS)
    .split('\n', MAX_LINES)
    .map((line) => line.slice(0, MAX_LINE_CHARS));

function behind(text: string, patterns: readonly RegExp[]): number | undefined {
  for (const pattern of patterns) {
    const found = pattern.exec(text);
    if (found !== null) return found.index + found[0].length;
  }
  return undefined;
}

/** The text after the address in its line and in the lines below, up to an empty one. */
function belowAddress(lines: readonly string[], at: number): string | undefined {
  const [address = ''] = ADDRESS.exec(lines[at] ?? '') ?? [];
  const line = (lines[at] ?? '').replace(address, '').replace(/^[\s<>:"']{1,40}|[\s<>:"']{1,40}$/g, '');
  return paragraph([...(line === '' ? [] : [line]), ...lines.slice(at + 1)]);
}

/** The first lines with text, up to an empty one. */
function paragraph(lines: readonly string[]): string | undefined {
  const from = lines.findIndex(saysSomething);
  if (from < 0) return undefined;
  const length = lines.slice(from).findIndex((line) => line.trim() === '');
  const end = length < 0 ? lines.length : from + length;
  return lines
    .slice(from, Math.min(end, from + MAX_REASON_LINES))
    .map((line) => line.trim())
    .join(' ');
}

const saysSomething = (line: string): boolean => /[^\s\-=*_.:<>#]/.test(line);

function withCode(lines: readonly string[]): string | undefined {
  const at = lines.findIndex((line) => {
    const { smtpCode, enhancedStatusCode } = findReply(line);
    return smtpCode !== undefined || enhancedStatusCode !== undefined;
  });
  if (at < 0) return undefined;
  let from = at;
  while (from > 0 && at - from < MAX_REASON_LINES && (lines[from - 1] ?? '').trim() !== '') from -= 1;
  return paragraph(lines.slice(from));
}
