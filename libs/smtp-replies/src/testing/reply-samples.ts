import { REPLY_TABLE } from '../replies.table.js';
import type { ReplyText } from '../reply.js';

/** @param sample of the table, `550 5.1.1 no such user` */
export function parseReply(sample: string): ReplyText {
  const [, code, enhancedStatusCode, response = ''] = /^(\d+) (?:([45]\.\d+\.\d+) )?(.*)$/.exec(sample) ?? [];
  return { smtpCode: Number(code), enhancedStatusCode, response };
}

/** Rows that need no provider. */
export const GENERAL: ReadonlySet<string> = new Set(
  Object.entries(REPLY_TABLE)
    .filter(([step]) => step !== 'provider')
    .flatMap(([, rows]) => rows.map(({ id }) => id)),
);
