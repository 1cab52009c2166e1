const CR = 0x0d;
const LF = 0x0a;
const DOT = 0x2e;
const ONE_DOT = Buffer.from('.', 'latin1');
const END = Buffer.from('.\r\n', 'latin1');
const CRLF_END = Buffer.from('\r\n.\r\n', 'latin1');

/** A message with nothing in it, for a server that wants data although it refused every recipient (RFC 2920 §3.1). */
export const EMPTY_DATA = END;

/**
 * Makes a message safe to send as data (RFC 5321 §4.5.2): a dot at the start of a line is doubled, the final dot
 * is added. A dot behind a lone CR or LF is doubled too: some servers take those for line ends, and a message must
 * not be able to end itself there and go on as commands (SMTP smuggling).
 * @param chunks the message in order; nothing of it is copied
 */
export function frameData(chunks: readonly Buffer[]): Buffer[] {
  const framed: Buffer[] = [];
  let last = LF;
  let beforeLast = CR;
  for (const chunk of chunks) {
    if (chunk.length === 0) continue;
    doubleDots(chunk, last === LF || last === CR, framed);
    beforeLast = chunk.length > 1 ? (chunk.at(-2) ?? 0) : last;
    last = chunk.at(-1) ?? 0;
  }
  framed.push(last === LF && beforeLast === CR ? END : CRLF_END);
  return framed;
}

function doubleDots(chunk: Buffer, atLineStart: boolean, into: Buffer[]): void {
  let from = 0;
  if (atLineStart && chunk[0] === DOT) into.push(ONE_DOT);
  let afterLf = chunk.indexOf('\n.', 0, 'latin1');
  let afterCr = chunk.indexOf('\r.', 0, 'latin1');
  while (afterLf >= 0 || afterCr >= 0) {
    const at = afterLf >= 0 && (afterCr < 0 || afterLf < afterCr) ? afterLf : afterCr;
    into.push(chunk.subarray(from, at + 1), ONE_DOT);
    from = at + 1;
    if (at === afterLf) afterLf = chunk.indexOf('\n.', from, 'latin1');
    else afterCr = chunk.indexOf('\r.', from, 'latin1');
  }
  into.push(from === 0 ? chunk : chunk.subarray(from));
}
