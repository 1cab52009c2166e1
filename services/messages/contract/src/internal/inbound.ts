import { z } from 'zod';
import { DomainId, InboundOwner, MAX_SMTP_RECIPIENTS } from '@postmesh/contracts';
import { SmtpSessionFacts } from './submissions.js';

/**
 * The target of an accepted recipient: the routes of accounts, or the service itself, where the token of the
 * address names a message (libs/mail-format verp), or the received report names it.
 */
export const InboundRecipient = z.union([
  z.object({ address: z.string(), owners: z.array(InboundOwner).min(1) }),
  z.object({ address: z.string(), report: z.enum(['bounce', 'feedback']), record_id: z.uuid() }),
  z.object({ address: z.string(), report: z.literal('feedback-loop') }),
  /** reports of receivers about a sending domain */
  z.object({ address: z.string(), domain_report: z.literal(true), domain_id: DomainId }),
]);
export type InboundRecipient = z.infer<typeof InboundRecipient>;

/** The envelope of `POST /internal/inbound-messages` of the messages service, whose body is the raw message. */
export const InboundEnvelope = z.object({
  /** empty is the null sender */
  sender: z.string(),
  recipients: z.array(InboundRecipient).min(1).max(MAX_SMTP_RECIPIENTS),
  session: SmtpSessionFacts,
});
export type InboundEnvelope = z.infer<typeof InboundEnvelope>;

/**
 * `POST /internal/route-bodies` of the messages service: the JSON body of a route call for an inbound message
 * (spec 2-messages §19.4), the same bytes each time; 404 when its content is gone.
 */
export const RouteBodyRequest = z.object({
  route_id: z.uuid(),
  /** the inbound record */
  message_id: z.uuid(),
  /** the envelope recipient that matched */
  to: z.string(),
  occurred_at: z.string(),
  attachments: z.boolean(),
  headers: z.boolean(),
  strip_replies: z.boolean(),
});
export type RouteBodyRequest = z.infer<typeof RouteBodyRequest>;
