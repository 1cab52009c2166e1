import type { ReplyText } from '@postmesh/smtp-replies';

/** RFC 3463, not as a part of an address or of a version. */
const ENHANCED = /(?<![\w.])([245])\.(\d{1,3})\.(\d{1,3})(?![\w.]*\d)/;
/** RFC 5321 §4.2: three digits, then the text. */
const SMTP = /(?<![\w.:/-])([45][0-5]\d)(?:[ -](?=\S)|$)/;

export function findEnhancedCode(text: string): string | undefined {
  const [code] = ENHANCED.exec(text.slice(0, 4_000)) ?? [];
  return code;
}

/** What a server said, found in the words of a report. */
export function findReply(text: string): Pick<ReplyText, 'enhancedStatusCode'> & { smtpCode?: number } {
  const [, code] = SMTP.exec(text.slice(0, 4_000)) ?? [];
  return {
    enhancedStatusCode: findEnhancedCode(text),
    ...(code === undefined ? {} : { smtpCode: Number(code) }),
  };
}
