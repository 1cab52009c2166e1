import { z } from 'zod';
import { AccountId, DomainId } from '../ids.js';
import { MAX_SMTP_RECIPIENTS, SmtpSessionFacts } from './submissions.js';

/** An account with an enabled route for a recipient, and the domain of that route. */
export const InboundOwner = z.object({ account_id: AccountId, domain_id: DomainId, domain: z.string() });
export type InboundOwner = z.infer<typeof InboundOwner>;

/** `POST /internal/inbound-recipients` of the webhooks service, at RCPT TO (spec 1-platform §13.4). */
export const InboundRecipientsRequest = z.object({
  recipients: z.array(z.string().max(1_000)).min(1).max(MAX_SMTP_RECIPIENTS),
});
export const InboundRecipients = z.object({
  /** in the order of the request; an unknown recipient has no owners: 550 5.1.1 */
  recipients: z.array(z.object({ recipient: z.string(), owners: z.array(InboundOwner) })),
});
export type InboundRecipients = z.infer<typeof InboundRecipients>;

/**
 * The target of an accepted recipient: the routes of accounts, or the service itself, where the token of the
 * address names a message (libs/mail-format verp), or the received report names it.
 */
export const InboundRecipient = z.union([
  z.object({ address: z.string(), owners: z.array(InboundOwner).min(1) }),
  z.object({ address: z.string(), report: z.enum(['bounce', 'feedback']), record_id: z.uuid() }),
  z.object({ address: z.string(), report: z.literal('feedback-loop') }),
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

/** `POST /internal/route-targets` of the webhooks service: URLs and options of enabled routes. */
export const RouteTargetsRequest = z.object({ route_ids: z.array(z.uuid()).max(1_000) });
export const RouteTargets = z.object({
  /** routes that are disabled or gone are left out */
  targets: z.array(
    z.object({
      route_id: z.uuid(),
      url: z.string(),
      /** the signing secret, encrypted with the keys of POSTMESH_SECRET_KEYS, bound to `route/<id>` */
      sealed_secret: z.string(),
      attachments: z.boolean(),
      headers: z.boolean(),
      strip_replies: z.boolean(),
    }),
  ),
});
export type RouteTarget = z.infer<typeof RouteTargets>['targets'][number];

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
