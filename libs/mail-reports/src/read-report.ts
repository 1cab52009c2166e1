import { readFeedback } from './complaints/read-complaint.js';
import { readDeliveryStatus } from './delivery-status/read-delivery-status.js';
import { readEnclosed } from './enclosed-message.js';
import { findTokens } from './find-tokens.js';
import { ownParts, readParts, textOf, type Part } from './mime/parts.js';
import type { Report, ReportContext } from './report.js';

/**
 * Says what a message to one of our bounce or feedback addresses is (spec 2-messages §15.4, §15.5). Takes any bytes and
 * never throws; what is no report is `unknown`.
 */
export function readReport(raw: Buffer, { keys }: ReportContext): Report {
  const { root, cut } = readParts(raw);
  const parts = ownParts(root);
  const enclosed = parts.find((part) => part.enclosed !== undefined)?.enclosed;
  const tokens = findTokens(textsOf(root), keys);
  const about = { tokens, cut, enclosed: enclosed && readEnclosed(enclosed.fields) };
  const ofType = (type: string) => parts.find((part) => part.type === type);
  const status = ofType('message/delivery-status') ?? ofType('message/global-delivery-status');
  const feedback = ofType('message/feedback-report');
  if (ofType('message/disposition-notification')) return { kind: 'disposition-notification', ...about };
  if (status !== undefined) {
    const { recipients, reportingMta } = readDeliveryStatus(textOf(status));
    if (recipients.length > 0) return { kind: 'dsn', recipients, reportingMta, ...about };
  }
  if (feedback !== undefined) {
    return { kind: 'complaint', form: 'arf', ...readFeedback(textOf(feedback)), ...about };
  }
  const automatic = root.fields.first('auto-submitted');
  if (automatic !== undefined && !/^\s*no\b/i.test(automatic)) {
    return { kind: 'auto-reply', why: 'auto-submitted', ...about };
  }
  return { kind: 'unknown', ...about };
}

function* textsOf(part: Part): Generator<string> {
  yield part.fields.list.map(({ value }) => value).join('\n');
  for (const inner of part.parts) yield* textsOf(inner);
  if (part.enclosed !== undefined) yield* textsOf(part.enclosed);
  if (part.parts.length === 0 && part.enclosed === undefined) yield textOf(part);
}
