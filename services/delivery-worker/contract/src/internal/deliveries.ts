import { z } from 'zod';

/**
 * `POST /internal/deliveries/cancel` of the delivery worker: gives up deliveries that no worker has picked up yet. After
 * the response exactly the cancelled ones will never be attempted. A repeat gets the same response for nine days.
 */
export const CancelDeliveriesRequest = z.object({
  deliveries: z
    .array(
      z.object({
        id: z.uuid(),
        account_id: z.uuid(),
        send_request_id: z.uuid(),
        accepted_at: z.iso.datetime({ offset: true }),
      }),
    )
    .min(1)
    .max(1_000),
});
export type CancelDeliveriesRequest = z.infer<typeof CancelDeliveriesRequest>;

export const CanceledDeliveries = z.object({ canceled: z.array(z.uuid()) });
export type CanceledDeliveries = z.infer<typeof CanceledDeliveries>;

/**
 * `POST /operator/deliveries/sent` of the delivery worker: deliveries that were made according to the log of
 * a lost installation (docs/operations.md, restore).
 */
export const SentDeliveries = z.object({
  deliveries: z
    .array(
      z.object({
        id: z.uuid(),
        /** time at which the remote server accepted the message */
        at: z.iso.datetime(),
        remote_host: z.string().max(255).optional(),
      }),
    )
    .min(1)
    .max(1_000),
});
export type SentDeliveries = z.infer<typeof SentDeliveries>;

/**
 * The cause of a wait. `retry`: its next try after a failure; `provider`: a provider has suspended us; `busy`: a
 * connection or a worker is free; `domain`, `account`: they may send again; `turn`: it is due; `warm_up`: the budget of a
 * new address has room; `way`: a way out may be used again.
 */
export const WaitCause = z.enum([
  'scheduled',
  'retry',
  'provider',
  'domain',
  'account',
  'busy',
  'in_flight',
  'delivery_off',
  'turn',
  'warm_up',
  'way',
]);
export type WaitCause = z.infer<typeof WaitCause>;

/** `GET /operator/deliveries/{id}` of the delivery worker: the reason for which a message waits, by its queue. */
export const WaitingDelivery = z.object({
  id: z.uuid(),
  state: z.enum(['ready', 'waiting', 'leased', 'suspended', 'canceled']),
  attempts: z.number().int(),
  destination: z.string(),
  /** for people; null when it does not wait any more */
  waiting_for: z.string().nullable(),
  /** null when it does not wait any more; missing from a release that did not send it */
  cause: WaitCause.nullish(),
  waiting_until: z.iso.datetime().nullable(),
  expires: z.iso.datetime().nullable(),
});
export type WaitingDelivery = z.infer<typeof WaitingDelivery>;
