import type { ReadFields } from '@postmesh/mail-format';
import { AUTO_REPLIES, WEAK_SUBJECT, type AutoReplyRow } from './auto-replies.table.js';

const MAX_CHARS = 500;

/** @returns the row that identifies the message as an automatic reply to ours; undefined when none matches */
export function findAutoReply(fields: ReadFields): string | undefined {
  const subject = (fields.words('subject') ?? '').slice(0, MAX_CHARS);
  const fits = (row: AutoReplyRow): boolean =>
    row.header === undefined
      ? (row.subject?.test(subject) ?? false)
      : fields.all(row.header).some((value) => row.says?.test(value.slice(0, MAX_CHARS)) ?? true);
  const row = AUTO_REPLIES.find(fits);
  if (row !== undefined) return row.id;
  const mass = /^\s{0,20}(?:bulk|junk)\b/i.test((fields.first('precedence') ?? '').slice(0, MAX_CHARS));
  return mass && WEAK_SUBJECT.test(subject) ? 'precedence-bulk' : undefined;
}
