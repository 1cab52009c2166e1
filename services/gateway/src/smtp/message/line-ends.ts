const CR = 0x0d;
const LF = 0x0a;

/**
 * Whether the lines of a message all end with CRLF, and none has a NUL (RFC 5322 §2.1, §2.3). A server that reads a bare
 * CR or LF as an end of line would read one message as two (SMTP smuggling), so no message of ours has one. Such messages
 * are rejected, not repaired: a repair would break the signature of the sender.
 */
export class LineEnds {
  private afterCr = false;

  /** @returns false when the chunk has a byte that is not allowed */
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

  /** Whether the last CR, if any, was followed by LF. */
  get whole(): boolean {
    return !this.afterCr;
  }
}
