/** A MIME entity (RFC 2045 §2.4): its own header lines, each ended by CRLF, and its body, in CRLF lines. */
export interface MimePart {
  readonly headers: string;
  readonly body: readonly Buffer[];
}

export type MultipartType = 'mixed' | 'related' | 'alternative';

/** Gives every multipart of one message its own boundary, the same ones for the same seed. */
export class Boundaries {
  private next = 0;

  /** @param base printable and unguessable, at most 50 characters, so that no text part holds it by chance */
  constructor(private readonly base: string) {}

  take(): string {
    // `=_` never occurs in quoted-printable or base64 (RFC 2045 §6.7 note).
    return `=_${this.base}.${++this.next}`;
  }
}

/** Puts parts into one multipart (RFC 2046 §5.1); a single part stays as it is. */
export function multipart(type: MultipartType, parts: readonly MimePart[], boundaries: Boundaries): MimePart {
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only;
  const boundary = boundaries.take();
  const body: Buffer[] = [];
  parts.forEach((part, index) => {
    const delimiter = `${index > 0 ? '\r\n' : ''}--${boundary}\r\n${part.headers}\r\n`;
    body.push(Buffer.from(delimiter, 'latin1'), ...part.body);
  });
  body.push(Buffer.from(`\r\n--${boundary}--\r\n`, 'latin1'));
  const root = type === 'related' ? ` type="${mediaType(only)}";\r\n` : '';
  return { headers: `Content-Type: multipart/${type};\r\n${root} boundary="${boundary}"\r\n`, body };
}

/** RFC 2387 §3.1: a related multipart names the type of its root. */
function mediaType(part: MimePart | undefined): string {
  return /^Content-Type: ([^;\s]+)/.exec(part?.headers ?? '')?.[1] ?? 'text/html';
}
