import { z } from 'zod';
import { AccountFacts, AccountId, MAX_SMTP_RECIPIENTS } from '@postmesh/contracts';

/** The reply of a listener to an SMTP client (RFC 5321 §4.2, RFC 3463). */
export const SmtpReply = z.object({
  code: z.number().int().min(400).max(599),
  /** left out: the reply has no enhanced code */
  enhanced: z.string().optional(),
  text: z.string(),
});
export type SmtpReply = z.infer<typeof SmtpReply>;

/** The credential of the login, by the gateway's present state (KnownSmtpCredential). */
export const Submitter = z.object({
  credential_id: z.uuid(),
  username: z.string(),
  account_id: AccountId,
  sandbox: z.boolean(),
  scope: z.enum(['global', 'scoped']),
  domains: z.array(z.string()),
  /** blocked by the operator */
  blocked: z.boolean(),
  account: AccountFacts,
});
export type Submitter = z.infer<typeof Submitter>;

/** The SMTP session of a message, for trace fields and logs. */
export const SmtpSessionFacts = z.object({
  id: z.string(),
  client_ip: z.string(),
  /** as sent by the client; empty without a greeting */
  helo: z.string(),
  /** `TLSv1.3`; null in clear text */
  tls: z.string().nullable(),
});
export type SmtpSessionFacts = z.infer<typeof SmtpSessionFacts>;

/** Carries the envelope of a raw message: its JSON in base64url. */
export const SMTP_ENVELOPE_HEADER = 'x-smtp-envelope';
/** Content type of a raw message, whose body is streamed. */
export const RAW_MESSAGE_TYPE = 'message/rfc822';

/** `POST /internal/submissions/senders` of the messages service, at MAIL FROM (spec 2-messages §13 rule 7). */
export const SubmissionSenderRequest = z.object({
  submitter: Submitter,
  /** address of MAIL FROM; empty is the null sender */
  sender: z.string().max(1_000),
});
export type SubmissionSenderRequest = z.infer<typeof SubmissionSenderRequest>;

export const SmtpVerdict = z.discriminatedUnion('ok', [
  z.object({
    ok: z.literal(true),
    /** ms since the request, for which the same credential may send from the same address; left out: 0 */
    usable_ms: z.number().nonnegative().optional(),
  }),
  z.object({ ok: z.literal(false), reply: SmtpReply }),
]);
export type SmtpVerdict = z.infer<typeof SmtpVerdict>;

/** The envelope of `POST /internal/submissions`, whose body is the raw message after dot-unstuffing (RFC 5321 §4.5.2). */
export const SubmissionEnvelope = z.object({
  submitter: Submitter,
  sender: z.string(),
  /** the client used SMTPUTF8 (RFC 6531) */
  smtp_utf8: z.boolean().optional(),
  /** each once, in the order of RCPT TO */
  recipients: z.array(z.string()).min(1).max(MAX_SMTP_RECIPIENTS),
  session: SmtpSessionFacts,
});
export type SubmissionEnvelope = z.infer<typeof SubmissionEnvelope>;

/** The id of the first record, after all were stored in one commit; or the error reply. Any other result is a 451. */
export const SubmissionResult = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true), id: z.uuid() }),
  z.object({ ok: z.literal(false), reply: SmtpReply }),
]);
export type SubmissionResult = z.infer<typeof SubmissionResult>;
