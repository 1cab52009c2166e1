import { z } from 'zod';

/** A negative reply, permanent or temporary, from a session or from a report afterwards. */
export interface ReplyText {
  /** 0 = no reply; `response` is then our own text */
  readonly smtpCode: number;
  /** RFC 3463, as `5.1.1` */
  readonly enhancedStatusCode?: string | undefined;
  /** the lines of the reply, joined by blanks */
  readonly response: string;
  /** the command that was answered, by the names of spec 2-messages §19.1; undefined where it is unknown */
  readonly command?: string | undefined;
}

/** Spec 2-messages §15.2: the class that customers see. */
export const BounceClass = z.enum([
  'InvalidRecipient',
  'BadDomain',
  'InactiveMailbox',
  'InvalidSender',
  'QuotaIssues',
  'NoAnswerFromHost',
  'BadConnection',
  'DNSFailure',
  'RoutingErrors',
  'TransientFailure',
  'MessageExpired',
  'ProtocolErrors',
  'AuthenticationFailed',
  'PolicyRelated',
  'Uncategorized',
]);
export type BounceClass = z.infer<typeof BounceClass>;

/** The subject of a reply, finer than its class. It decides whether the recipient is suppressed. */
export const ReplyKind = z.enum([
  /** no such mailbox */
  'mailbox',
  /** a mailbox that accepts no mail any more */
  'inactive',
  /** no such domain, or one without mail */
  'domain',
  /** the envelope sender */
  'sender',
  /** a full mailbox */
  'quota',
  /** a message that is too large */
  'size',
  /** too much in too short a time */
  'rate',
  /** our address or domain is not trusted */
  'reputation',
  /** this message is classified as spam */
  'spam',
  /** the content of the message: a virus, a forbidden attachment, a broken header */
  'content',
  /** SPF, DKIM, DMARC, PTR */
  'auth',
  /** a rule of the receiver about the way of delivery, e.g. with TLS */
  'policy',
  /** try again later, on principle */
  'grey',
  /** their servers, network or DNS */
  'infra',
  /** the dialogue of the servers */
  'protocol',
  /** our own trouble, or trouble that may be ours: no server replied */
  'own',
  'other',
]);
export type ReplyKind = z.infer<typeof ReplyKind>;

/** The change of pace that a reply requires besides a retry: send less, or nothing for a while. */
export const ReplyShape = z.strictObject({
  /**
   * `halve` connections and rate; `slow` the rate; `suspend` all; `perConnection`: fewer messages in a connection;
   * `weak`: counts as a third of a sign
   */
  do: z.enum(['halve', 'slow', 'suspend', 'perConnection', 'weak']),
  /** from the source address, of the sending domain from it, or of the account */
  scope: z.enum(['source', 'source+domain', 'account']),
  /** of `slow` and `suspend`: how long at first; repeats double it up to `longestSeconds` */
  forSeconds: z.number().int().positive().optional(),
  longestSeconds: z.number().int().positive().optional(),
  /** only from this many such replies on */
  after: z.strictObject({ count: z.number().int().min(2), perSeconds: z.number().int() }).optional(),
  /** nothing changes before the operator acts: requests a delisting, publishes a record */
  alert: z.literal(true).optional(),
});
export type ReplyShape = Readonly<z.infer<typeof ReplyShape>>;

/** The effect on the recipient's entry in the suppression list (spec 2-messages §15.3), once the message has ended. */
export type Suppresses =
  /** at the first bounce */
  | 'hard'
  /** at the third bounce */
  | 'repeated'
  /** when retries are used up; at the third end that the sender's own limit cut short */
  | 'soft'
  | 'never';

export interface ReplyVerdict {
  readonly class: BounceClass;
  readonly kind: ReplyKind;
  /** the deciding row */
  readonly rule: string;
  readonly suppresses: Suppresses;
  readonly shape?: ReplyShape;
}
