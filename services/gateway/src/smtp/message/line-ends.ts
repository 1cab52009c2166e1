const CR = 0x0d;
const LF = 0x0a;

/**
 * Whether the lines of a message all end with CRLF, and none has a NUL (RFC 5322 §2.1, §2.3). A server that takes a bare
 * CR or LF for an end of line would read one message as two (SMTP smuggling), so no message of ours has one. They are
 * refused, not repaired: a repaired message has lost the signature of its sender.
 */
export class LineEnds {
  private afterCr = false;

  /** @returns false when there is a byte that may not be there */
  take(chunk: Buffer): boolean {
    if (chunk.length === 0) return true;
    if (chunk.includes(0)) return false;
    if (this.afterCr !== (chunk[0] === LF)) return false;
    for (let at = chunk.indexOf(LF, 1); at !== -1; at = chunk.indexOf(LF, at + 1)) {
      if (chunk[at - 1] !== CR) return false;
    }
    this.afterCr = chunk[chunk.length - 1] === CR;
    const last = chunk.length - 1;
    for (let at = chunk.indexOf(CR); at !== -1 && at < last; at = chunk.indexOf(CR, at + 1)) {
      if (chunk[at + 1] !== LF) return false;
    }
    return true;
  }

  /** At the end: no CR waits for its LF. */
  get whole(): boolean {
    return !this.afterCr;
  }
}
