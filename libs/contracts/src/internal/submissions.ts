import { z } from 'zod';
import { AccountId } from '../ids.js';
import { AccountFacts } from '../principal/principal.js';

/** What a listener is to say to an SMTP client (RFC 5321 §4.2, RFC 3463). */
export const SmtpReply = z.object({
  code: z.number().int().min(400).max(599),
  /** without it the reply has none */
  enhanced: z.string().optional(),
  text: z.string(),
});
export type SmtpReply = z.infer<typeof SmtpReply>;

/** Who logged in, as the gateway knows it now (KnownSmtpCredential). */
export const Submitter = z.object({
  credential_id: z.uuid(),
  username: z.string(),
  account_id: AccountId,
  sandbox: z.boolean(),
  scope: z.enum(['global', 'scoped']),
  domains: z.array(z.string()),
  /** by the operator */
  blocked: z.boolean(),
  account: AccountFacts,
});
export type Submitter = z.infer<typeof Submitter>;

/** The session in which something was sent, for trace fields and logs. */
export const SmtpSessionFacts = z.object({
  id: z.string(),
  client_ip: z.string(),
  /** as it was given; empty when there was no greeting */
  helo: z.string(),
  /** `TLSv1.3`; null in clear text */
  tls: z.string().nullable(),
});
export type SmtpSessionFacts = z.infer<typeof SmtpSessionFacts>;

/** Carries an envelope beside a raw message: its JSON in base64url. */
export const SMTP_ENVELOPE_HEADER = 'x-smtp-envelope';
/** Content type of a raw message, whose body is read as it comes. */
export const RAW_MESSAGE_TYPE = 'message/rfc822';

/** `POST /internal/submissions/senders` of the messages service, at MAIL FROM (spec 2-messages §13 rule 7). */
export const SubmissionSenderRequest = z.object({
  submitter: Submitter,
  /** of MAIL FROM; empty is the null sender */
  sender: z.string().max(1_000),
});
export type SubmissionSenderRequest = z.infer<typeof SubmissionSenderRequest>;

export const SmtpVerdict = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true) }),
  z.object({ ok: z.literal(false), reply: SmtpReply }),
]);
export type SmtpVerdict = z.infer<typeof SmtpVerdict>;

export const MAX_SMTP_RECIPIENTS = 50;

/** Of `POST /internal/submissions`, whose body is the raw message with the dots of DATA taken off (RFC 5321 §4.5.2). */
export const SubmissionEnvelope = z.object({
  submitter: Submitter,
  sender: z.string(),
  /** the client said SMTPUTF8 (RFC 6531) */
  smtp_utf8: z.boolean().optional(),
  /** each once, in the order of RCPT TO */
  recipients: z.array(z.string()).min(1).max(MAX_SMTP_RECIPIENTS),
  session: SmtpSessionFacts,
});
export type SubmissionEnvelope = z.infer<typeof SubmissionEnvelope>;

/** Stored in one commit, and the id of its first record; or what to say instead. Anything else is a 451. */
export const SubmissionResult = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true), id: z.uuid() }),
  z.object({ ok: z.literal(false), reply: SmtpReply }),
]);
export type SubmissionResult = z.infer<typeof SubmissionResult>;
