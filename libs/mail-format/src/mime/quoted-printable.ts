const SPACE = 0x20;
const TAB = 0x09;
const CR = 0x0d;
const LF = 0x0a;
const EQUALS = 0x3d;
const DOT = 0x2e;
const MESSAGE_F = 0x46;
// RFC 2045 §6.7: 76 characters a line, one of them the `=` of a soft break.
const LINE = 75;

/** 1 = may stand as it is (RFC 2045 §6.7 rule 2) */
const LITERAL = new Uint8Array(256);
for (let byte = 33; byte <= 126; byte++) if (byte !== EQUALS) LITERAL[byte] = 1;
const HEX = Buffer.from('0123456789ABCDEF', 'latin1');

/**
 * Quoted-printable of text whose lines end in CRLF. Besides what RFC 2045 asks, a dot and a `From ` at the
 * start of a line are encoded, so that careless relays and mailboxes leave them alone.
 */
export function encodeQuotedPrintable(bytes: Buffer): Buffer {
  // Three characters for each byte and a soft break of three every 73 of them, at worst.
  const out = Buffer.allocUnsafe(bytes.length * 3 + Math.ceil((bytes.length * 3) / 72) * 3 + 8);
  let to = 0;
  let column = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === CR && bytes[at + 1] === LF) {
      out[to++] = CR;
      out[to++] = LF;
      at++;
      column = 0;
      continue;
    }
    let literal = LITERAL[byte] === 1;
    if (byte === SPACE || byte === TAB) literal = at + 1 < bytes.length && bytes[at + 1] !== CR;
    if (column + (literal ? 1 : 3) > LINE) {
      out[to++] = EQUALS;
      out[to++] = CR;
      out[to++] = LF;
      column = 0;
    }
    if (column === 0 && literal && isRiskyAtLineStart(bytes, at)) literal = false;
    if (literal) {
      out[to++] = byte;
      column++;
    } else {
      out[to++] = EQUALS;
      out[to++] = HEX[byte >> 4] ?? 0;
      out[to++] = HEX[byte & 15] ?? 0;
      column += 3;
    }
  }
  return out.subarray(0, to);
}

function isRiskyAtLineStart(bytes: Buffer, at: number): boolean {
  const byte = bytes[at];
  if (byte === DOT) return true;
  return byte === MESSAGE_F && bytes.toString('latin1', at, at + 5) === 'From ';
}
