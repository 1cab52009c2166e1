import { isUtf8 } from 'node:buffer';

/** Limits of the structure of a JSON text (spec 1-platform §1.4). */
export interface JsonLimits {
  /** arrays and objects inside each other */
  readonly depth: number;
  /** the top-level value and the members of all arrays and objects; names of members do not count */
  readonly values: number;
}

let processLimits: JsonLimits = { depth: 128, values: 150_000 };

/** Sets the limits of the process: POSTMESH_JSON_DEPTH and POSTMESH_JSON_VALUES. */
export function setJsonLimits(limits: JsonLimits): void {
  processLimits = limits;
}

/** A JSON text was not parsed because its structure exceeds the limits. The message continues a noun: `the line …`. */
export class JsonTooLarge extends Error {
  override readonly name = 'JsonTooLarge';
}

/**
 * Parses untrusted JSON. Its structure is counted before it is parsed: three bytes of text can become an object of a
 * hundred.
 * @throws JsonTooLarge; SyntaxError for invalid JSON, and for bytes that are not UTF-8, which would become U+FFFD
 */
export function parseBoundedJson(given: Buffer | string): unknown {
  if (typeof given !== 'string') {
    if (!isUtf8(given)) throw new SyntaxError('not UTF-8');
    requireBoundedJson(given);
  } else if (!isSmall(given, processLimits)) requireBoundedJson(Buffer.from(given));
  return JSON.parse(given.toString());
}

/** A text has no more values than characters, and nothing in it is nested deeper than it has brackets. */
function isSmall(text: string, { depth, values }: JsonLimits): boolean {
  if (text.length > values) return false;
  let brackets = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === OPEN_ARRAY || unit === OPEN_OBJECT) brackets += 1;
  }
  return brackets <= depth;
}

/**
 * One pass over the bytes: strings are skipped, brackets and commas are counted. Invalid JSON is left to the parser, which
 * builds no more values than were counted.
 * @throws JsonTooLarge
 */
export function requireBoundedJson(bytes: Buffer, { depth, values }: JsonLimits = processLimits): void {
  let open = 0;
  let count = 1;
  for (let at = 0; at < bytes.length;) {
    const byte = bytes[at] as number;
    if (IS_PLAIN[byte] === 1) at = endOfPlain(bytes, at + 1);
    else if (byte === QUOTE) at = endOfString(bytes, at + 1);
    else {
      at += 1;
      if (byte === COMMA) count += 1;
      else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) open -= 1;
      else {
        open += 1;
        at = endOfBlanks(bytes, at);
        // the first member, which has no comma before it
        if (bytes[at] !== CLOSE_ARRAY && bytes[at] !== CLOSE_OBJECT) count += 1;
      }
      if (open > depth) throw new JsonTooLarge('is nested too deeply');
      if (count > values) throw new JsonTooLarge('has too many values');
    }
  }
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const BLANKS = [0x20, 0x09, 0x0a, 0x0d];

/** By byte: 1 for a byte that neither counts nor begins a string. */
const IS_PLAIN = new Uint8Array(256).fill(1);
for (const byte of [QUOTE, COMMA, OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT]) IS_PLAIN[byte] = 0;

function endOfPlain(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && IS_PLAIN[bytes[at] as number] === 1) at += 1;
  return at;
}

function endOfBlanks(bytes: Buffer, from: number): number {
  let at = from;
  while (BLANKS.includes(bytes[at] as number)) at += 1;
  return at;
}

/** Above this length a native search is faster than a loop, even when every search ends at an escaped quote. */
const NEAR_BYTES = 64;

/** @param from index after the opening quote. @returns index after the closing one */
function endOfString(bytes: Buffer, from: number): number {
  for (let at = from; at < bytes.length;) {
    const near = Math.min(bytes.length, at + NEAR_BYTES);
    while (at < near && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
    if (at < near) return at + 1;
    const quote = bytes.indexOf(QUOTE, at);
    if (quote < 0) return bytes.length;
    let escapes = quote;
    while (escapes > at && bytes[escapes - 1] === BACKSLASH) escapes -= 1;
    at = quote + 1;
    if ((quote - escapes) % 2 === 0) return at;
  }
  return bytes.length;
}
