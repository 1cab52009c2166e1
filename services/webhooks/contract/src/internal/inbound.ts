import { z } from 'zod';
import { InboundOwner, MAX_SMTP_RECIPIENTS } from '@postmesh/contracts';

/** `POST /internal/inbound-recipients` of the webhooks service, at RCPT TO (spec 1-platform §13.4). */
export const InboundRecipientsRequest = z.object({
  recipients: z.array(z.string().max(1_000)).min(1).max(MAX_SMTP_RECIPIENTS),
});
export const InboundRecipients = z.object({
  /** in the order of the request; an unknown recipient has no owners: 550 5.1.1 */
  recipients: z.array(z.object({ recipient: z.string(), owners: z.array(InboundOwner) })),
});
export type InboundRecipients = z.infer<typeof InboundRecipients>;

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
