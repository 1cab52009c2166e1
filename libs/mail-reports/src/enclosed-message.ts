import type { ReportFields } from './mime/header-fields.js';
import type { EnclosedMessage } from './report.js';

/** @param fields of the enclosed message; undefined when they are not those of a message */
export function readEnclosed(fields: ReportFields): EnclosedMessage | undefined {
  if (fields.list.length === 0) return undefined;
  const unsubscribe = fields.first('list-unsubscribe')?.slice(0, 4_000) ?? '';
  return {
    messageId: /<[^<>\s]{1,900}>/.exec(fields.first('message-id') ?? '')?.[0],
    from: fields.words('from'),
    to: fields.words('to'),
    subject: fields.words('subject'),
    date: fields.first('date'),
    listUnsubscribe: [...unsubscribe.matchAll(/<([^<>]{1,2000})>/g)].map(([, uri]) => uri?.trim() ?? ''),
  };
}
