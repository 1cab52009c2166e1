import { z } from 'zod';

/** `POST /internal/webhook-targets` of the webhooks service: URLs and signing secrets of enabled webhooks. */
export const WebhookTargetsRequest = z.object({ webhook_ids: z.array(z.uuid()).max(1_000) });
export const WebhookTargets = z.object({
  /** webhooks that are disabled or gone are left out */
  targets: z.array(
    z.object({
      webhook_id: z.uuid(),
      url: z.string(),
      /** the signing secret, encrypted with the keys of POSTMESH_SECRET_KEYS, bound to `webhook/<id>` */
      sealed_secret: z.string(),
      /** the form of its calls, when it is not our own; a newer release may name another one */
      dialect: z
        .object({
          name: z.string(),
          /** bound to `webhook-dialect/<id>`; null where the dialect signs nothing */
          sealed_secret: z.string().nullable(),
        })
        .optional(),
    }),
  ),
});
export type WebhookTarget = z.infer<typeof WebhookTargets>['targets'][number];

/** `POST /internal/endpoint-standings` of the webhooks service: webhooks and routes that are failing or were disabled for failures. */
export const EndpointStandingsRequest = z.object({
  account_id: z.uuid().optional(),
  /** this endpoint, whatever its state */
  endpoint_id: z.uuid().optional(),
});
export const EndpointStandings = z.object({
  /** at most a hundred, the longest-failing first */
  endpoints: z.array(
    z.object({
      endpoint_id: z.uuid(),
      target: z.enum(['webhook', 'route']),
      account_id: z.uuid(),
      name: z.string(),
      host: z.string(),
      state: z.enum(['enabled', 'failing', 'disabled']),
      /** the state as a sentence for people; null when it is in order */
      standing: z.string().nullable(),
      /** the commands that resolve it */
      to_do: z.string().nullable(),
    }),
  ),
});
export type EndpointStanding = z.infer<typeof EndpointStandings>['endpoints'][number];
