import { decodeCharset } from './charsets.js';
import { decodeTransfer } from './transfer-encodings.js';

/** The charset runs to the next question mark, a language behind `*` (RFC 2231 §5). */
const WORD = /=\?([^?\s*]{1,80})(?:\*[^?\s]{0,40})?\?([QqBb])\?([^?]*)\?=/g;
/** Folding white space between two words belongs to neither (RFC 2047 §6.2). */
const BETWEEN_WORDS = /^[ \t\r\n]+$/;

interface Word {
  readonly charset: string;
  /** bytes of each word of this charset in a row: some writers cut characters in two */
  readonly bytes: Buffer[];
}

/**
 * Text of a header field with its encoded words decoded (RFC 2047), within quotes, too. Other text stays as it is. In
 * linear time.
 */
export function decodeWords(text: string): string {
  if (!text.includes('=?')) return text;
  let decoded = '';
  let word: Word | undefined;
  let at = 0;
  for (const { 0: whole, 1: label = '', 2: encoding = '', 3: content = '', index } of text.matchAll(WORD)) {
    const between = text.slice(at, index);
    const charset = label.toLowerCase();
    const adjoins = word !== undefined && (between === '' || BETWEEN_WORDS.test(between));
    if (!adjoins || word?.charset !== charset) {
      decoded += textOf(word) + (adjoins ? '' : between);
      word = { charset, bytes: [] };
    }
    word.bytes.push(bytesOf(content, encoding));
    at = index + whole.length;
  }
  return decoded + textOf(word) + text.slice(at);
}

const textOf = (word: Word | undefined): string =>
  word === undefined ? '' : decodeCharset(Buffer.concat(word.bytes), word.charset);

/** Q is quoted-printable with underscores for blanks (RFC 2047 §4.2). */
function bytesOf(content: string, encoding: string): Buffer {
  const bytes = Buffer.from(content.replaceAll('_', encoding.toLowerCase() === 'q' ? ' ' : '_'));
  return encoding.toLowerCase() === 'q'
    ? decodeTransfer(bytes, 'quoted-printable', bytes.length)
    : decodeTransfer(bytes, 'base64', bytes.length);
}
