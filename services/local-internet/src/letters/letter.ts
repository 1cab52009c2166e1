import { z } from 'zod';

const Word = z.string().max(40);

/** One DKIM signature of a letter and what came of it. */
const SignatureVerdict = z.object({
  domain: z.string(),
  selector: z.string(),
  result: Word,
  comment: z.string(),
});

/** What the verifier made of a letter; results are words of RFC 8601 §2.7, such as `pass`. */
export const Verdict = z.object({
  spf: Word,
  dkim: Word,
  dmarc: Word,
  details: z.object({
    spf: z.string(),
    dkim: z.array(SignatureVerdict),
    dmarc: z.string(),
  }),
});
export type Verdict = z.infer<typeof Verdict>;

/** A letter that the sink took, without its content. */
export const Letter = z.object({
  id: z.string().regex(/^[0-9a-f-]{36}$/),
  receivedAt: z.string(),
  /** MAIL FROM; empty for the null sender. */
  envelopeFrom: z.string(),
  /** RCPT TO, in order. */
  to: z.array(z.string()),
  /** The From header, decoded; empty when there is none. */
  from: z.string(),
  subject: z.string(),
  tls: z.boolean(),
  /** Octets as received. */
  size: z.number().int().nonnegative(),
  helo: z.string(),
  remoteAddress: z.string(),
});
export type Letter = z.infer<typeof Letter>;

export interface KeptLetter extends Letter {
  /** Absent while the verifier has not come to it. */
  verdict?: Verdict;
}
