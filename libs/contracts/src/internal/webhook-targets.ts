import { z } from 'zod';

/** `POST /internal/webhook-targets` of the webhooks service: where enabled webhooks are called, and how they sign. */
export const WebhookTargetsRequest = z.object({ webhook_ids: z.array(z.uuid()).max(1_000) });
export const WebhookTargets = z.object({
  /** webhooks that are disabled or gone are left out */
  targets: z.array(
    z.object({
      webhook_id: z.uuid(),
      url: z.string(),
      /** the signing secret, encrypted with the keys of POSTMESH_SECRET_KEYS, bound to `webhook/<id>` */
      sealed_secret: z.string(),
    }),
  ),
});
export type WebhookTarget = z.infer<typeof WebhookTargets>['targets'][number];
