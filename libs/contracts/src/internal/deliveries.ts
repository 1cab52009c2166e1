import { z } from 'zod';

/**
 * `POST /internal/deliveries/cancel` of the delivery worker: gives up deliveries that no worker has picked up yet. From
 * the answer on exactly the canceled ones will never be attempted. Asked again, it answers the same for nine days.
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

/** `GET /operator/deliveries/{id}` of the delivery worker: why a message waits, as its queue knows it now. */
export const WaitingDelivery = z.object({
  id: z.uuid(),
  state: z.enum(['ready', 'waiting', 'leased', 'suspended', 'canceled']),
  attempts: z.number().int(),
  destination: z.string(),
  /** for people; null when it does not wait any more */
  waiting_for: z.string().nullable(),
  waiting_until: z.iso.datetime().nullable(),
  expires: z.iso.datetime().nullable(),
});
export type WaitingDelivery = z.infer<typeof WaitingDelivery>;
