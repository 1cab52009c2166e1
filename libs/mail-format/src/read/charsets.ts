import { isUtf8 } from 'node:buffer';
import iconv from 'iconv-lite';

/** A charset by its label, with its decoders. */
interface Charset {
  /** Invalid bytes become U+FFFD. */
  readonly decode: (bytes: Buffer) => string;
  /** For charsets whose bytes may be valid UTF-8 by chance. @throws TypeError for invalid bytes */
  readonly decodeStrictly?: ((bytes: Buffer) => string) | undefined;
}

/**
 * The text of bytes. The label of a message counts as far as it agrees with the bytes:
 * - valid UTF-8 is UTF-8, also where the label is another single-byte charset, US-ASCII, unknown or missing;
 * - a charset with several bytes a character (Shift_JIS, GB 18030, UTF-16, …) counts where the bytes are valid in it;
 * - other bytes are of the named single-byte charset, else windows-1252, which has a character for each byte.
 * @param label as in a message, in any case; empty when it is missing
 */
export function decodeCharset(bytes: Buffer, label: string): string {
  const charset = charsetOf(label);
  const strict = charset?.decodeStrictly && attempt(charset.decodeStrictly, bytes);
  if (strict !== undefined) return strict;
  if (isUtf8(bytes)) return decodeUtf8(bytes);
  return charset?.decode(bytes) ?? decodeMixed(bytes);
}

function attempt(decode: (bytes: Buffer) => string, bytes: Buffer): string | undefined {
  try {
    return decode(bytes);
  } catch {
    return undefined;
  }
}

/** @param name of the Encoding Standard */
const decoderOf =
  (name: string, options: { fatal?: boolean } = {}) =>
  (bytes: Buffer): string => {
    const decoder = new TextDecoder(name, options);
    // at once, Node reads windows-1252 as Latin-1, which has no euro sign
    return decoder.decode(bytes, { stream: true }) + decoder.decode();
  };

const decodeUtf8 = decoderOf('utf-8');
const decodeWindows1252 = decoderOf('windows-1252');

/** Several bytes a character, or ASCII with escapes: valid UTF-8 does not rule them out. */
const WIDE = /^(?:shift_jis|euc-|iso-2022-|gb|big5|utf-16)/;
/** Names of wide charsets in mail that the Encoding Standard leaves out; of letters and digits only. */
const WIDE_ALIASES: readonly (readonly [RegExp, string])[] = [
  [/^(?:shiftjis|mskanji|windows31j|(?:cp|ms|windows|ibm)932)$/, 'shift_jis'],
  [/^(?:eucjp|cp51932)$/, 'euc-jp'],
  [/^(?:iso2022jp\w{0,9}|junet|cp5022[0-2])$/, 'iso-2022-jp'],
  [/^(?:euckr|uhc|(?:cp|ms|windows|ibm)949)$/, 'euc-kr'],
  [/^(?:gbk|euccn|(?:cp|ms|windows|ibm)936)$/, 'gbk'],
  [/^(?:cp|ms|windows|ibm)950$/, 'big5'],
];
/** The code pages of iconv-lite: its other names are encodings of bytes (`hex`), not charsets. */
const CODE_PAGE =
  /^(?:cp|ibm|dos|windows|win|mac|iso8859|koi8|latin|l[1-9]|tis620|tcvn|viscii|armscii8|hproman8)/;

const MAX_LABEL_CHARS = 40;
const MAX_CHARSETS = 200;
const found = new Map<string, Charset | undefined>();

/** @returns undefined for UTF-8 and windows-1252, which are tried anyway, and for an unknown charset */
function charsetOf(given: string): Charset | undefined {
  const label = given.trim().toLowerCase();
  if (label === '' || label.length > MAX_LABEL_CHARS) return undefined;
  if (found.has(label)) return found.get(label);
  const charset = findCharset(label);
  // invented labels of hostile messages must not fill the cache
  if (found.size >= MAX_CHARSETS) found.clear();
  found.set(label, charset);
  return charset;
}

function findCharset(label: string): Charset | undefined {
  const bare = label.replace(/^(?:x-|cs)/, '').replace(/[^a-z0-9]+/g, '');
  const name =
    standardName(label) ?? standardName(bare) ?? WIDE_ALIASES.find(([pattern]) => pattern.test(bare))?.[1];
  // US-ASCII and ISO-8859-1 among them, as the Encoding Standard reads them
  if (name === 'utf-8' || name === 'windows-1252') return undefined;
  if (name?.startsWith('utf-16') === true) return utf16(name);
  if (name !== undefined && WIDE.test(name))
    return { decode: decoderOf(name), decodeStrictly: decoderOf(name, { fatal: true }) };
  if (name !== undefined) return { decode: decoderOf(name) };
  const isCodePage = CODE_PAGE.test(bare) && iconv.encodingExists(bare);
  return isCodePage ? { decode: (bytes) => iconv.decode(bytes, bare) } : undefined;
}

function standardName(label: string): string | undefined {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

/** A byte order mark overrides the label; text without any zero byte is hardly ever UTF-16. */
function utf16(name: string): Charset {
  const orderOf = (bytes: Buffer) =>
    bytes[0] === 0xfe && bytes[1] === 0xff
      ? 'utf-16be'
      : bytes[0] === 0xff && bytes[1] === 0xfe
        ? 'utf-16le'
        : name;
  return {
    decode: (bytes) => decoderOf(orderOf(bytes))(bytes),
    decodeStrictly(bytes) {
      if (isUtf8(bytes) && !bytes.includes(0)) throw new TypeError('these bytes are UTF-8');
      return decoderOf(orderOf(bytes), { fatal: true })(bytes);
    },
  };
}

/** Where the second half of the windows-1252 table begins. */
const HIGH = 0x80;
const WINDOWS_1252_IN_UTF_8 = Array.from({ length: 0x80 }, (_, nth) =>
  Buffer.from(decodeWindows1252(Buffer.from([HIGH + nth]))),
);

/**
 * Bytes that are not all UTF-8. With more complete characters of UTF-8 than faults, it is UTF-8 with a character cut in
 * two or a footer of a list server, and only the faults are read as windows-1252; else all of it is windows-1252.
 */
function decodeMixed(bytes: Buffer): string {
  const out = Buffer.allocUnsafe(bytes.length * 3);
  let to = 0;
  let characters = 0;
  // several in a row are one fault: the rest of a character
  let faults = 0;
  let faultEnd = -1;
  for (let at = 0; at < bytes.length;) {
    const length = sequenceLength(bytes, at);
    if (length > 1) characters += 1;
    if (length > 0) {
      for (let each = 0; each < length; each++) out[to++] = bytes[at + each] ?? 0;
      at += length;
      continue;
    }
    if (at !== faultEnd) faults += 1;
    faultEnd = at + 1;
    to += WINDOWS_1252_IN_UTF_8[(bytes[at] ?? HIGH) - HIGH]?.copy(out, to) ?? 0;
    at += 1;
  }
  return characters > faults ? decodeUtf8(out.subarray(0, to)) : decodeWindows1252(bytes);
}

/** @returns bytes of the character that begins there (Unicode, table 3-7); 0 when none does */
function sequenceLength(bytes: Buffer, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < HIGH) return 1;
  const second = bytes[at + 1] ?? 0;
  if (first >= 0xc2 && first <= 0xdf) return isTrail(second) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    const from = first === 0xe0 ? 0xa0 : HIGH;
    const end = first === 0xed ? 0x9f : 0xbf;
    return second >= from && second <= end && isTrail(bytes[at + 2]) ? 3 : 0;
  }
  if (first < 0xf0 || first > 0xf4) return 0;
  const from = first === 0xf0 ? 0x90 : HIGH;
  const end = first === 0xf4 ? 0x8f : 0xbf;
  const fits = second >= from && second <= end && isTrail(bytes[at + 2]) && isTrail(bytes[at + 3]);
  return fits ? 4 : 0;
}

const isTrail = (byte = 0): boolean => byte >= HIGH && byte <= 0xbf;
