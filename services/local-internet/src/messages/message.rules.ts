import { newId } from '@postmesh/contracts';
import { decodeWords, readHeaders } from '@postmesh/mail-format';
import { z } from 'zod';

const Result = z.string().max(40);
const SignatureVerdict = z.object({
  domain: z.string(),
  selector: z.string(),
  result: Result,
  comment: z.string(),
});

/** Results of the verification of a message, in the words of RFC 8601 §2.7, such as `pass`. */
export const Verdict = z.object({
  spf: Result,
  dkim: Result,
  dmarc: Result,
  details: z.object({ spf: z.string(), dkim: z.array(SignatureVerdict), dmarc: z.string() }),
});
export type Verdict = z.infer<typeof Verdict>;

const Envelope = z.object({
  /** MAIL FROM; empty for the null sender. */
  envelopeFrom: z.string(),
  /** RCPT TO, in order. */
  to: z.array(z.string()),
  tls: z.boolean(),
  helo: z.string(),
  remoteAddress: z.string(),
});
export type Envelope = z.infer<typeof Envelope>;

/** A message that the sink accepted, without its content. */
export const ReceivedMessage = Envelope.extend({
  id: z.string().regex(/^[0-9a-f-]{36}$/),
  receivedAt: z.string(),
  /** The From header, decoded; empty when there is none. */
  from: z.string(),
  subject: z.string(),
  /** Octets as received. */
  size: z.number().int().nonnegative(),
  /** Absent until it has been verified. */
  verdict: Verdict.optional(),
});
export type ReceivedMessage = z.infer<typeof ReceivedMessage>;

/** The fields of the list of messages, read from the envelope and the header. */
export function describeMessage(envelope: Envelope, raw: Buffer): ReceivedMessage {
  const fields = headerFields(raw);
  return {
    id: newId(),
    receivedAt: new Date().toISOString(),
    ...envelope,
    from: fieldText(fields, 'from'),
    subject: fieldText(fields, 'subject'),
    size: raw.length,
  };
}

/** Parts of the searched text, in lower case; an absent field matches everything. */
export interface MessageFilter {
  to?: string;
  from?: string;
  subject?: string;
  /** In any of the three. */
  any?: string;
}

export function matches(message: ReceivedMessage, { to, from, subject, any }: MessageFilter): boolean {
  const { envelopeFrom } = message;
  return (
    (to === undefined || contains(message.to, to)) &&
    (from === undefined || contains([message.from, envelopeFrom], from)) &&
    (subject === undefined || contains([message.subject], subject)) &&
    (any === undefined || contains([...message.to, message.from, envelopeFrom, message.subject], any))
  );
}

function contains(values: readonly string[], text: string): boolean {
  return values.some((value) => value.toLowerCase().includes(text));
}

const MAX_TEXT_LENGTH = 998;

export interface HeaderField {
  name: string;
  /** Unfolded, not decoded. */
  value: string;
}

/** The header fields of a message in order; the body is not read. */
export const headerFields = (raw: Buffer): HeaderField[] =>
  readHeaders(raw).fields.list.map(({ written, value }) => ({ name: written, value }));

/** The first field of that name, decoded (RFC 2047), in one line; empty when there is none. */
export function fieldText(fields: readonly HeaderField[], name: string): string {
  const value = fields.find((field) => field.name.toLowerCase() === name)?.value ?? '';
  return decodeWords(value.slice(0, 8 * MAX_TEXT_LENGTH))
    .replace(/\s+/g, ' ')
    .slice(0, MAX_TEXT_LENGTH);
}
