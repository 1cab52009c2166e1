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

/**
 * `POST /internal/deliveries/reconcile` of the delivery worker: the messages service holds these for open, and asks what
 * became of them. Changes no delivery.
 */
export const ReconcileDeliveriesRequest = z.object({
  deliveries: z
    .array(z.object({ id: z.uuid(), send_request_id: z.uuid() }))
    .min(1)
    .max(1_000),
  /** the messages service has handled all outcomes that were published: those of what has ended are told again */
  retell: z.boolean(),
});
export type ReconcileDeliveriesRequest = z.infer<typeof ReconcileDeliveriesRequest>;

export const ReconciledDeliveries = z.object({
  /** send requests that never reached the delivery worker, as far as its inbox goes back: eight days */
  unknown: z.array(z.uuid()),
  /** deliveries that have ended: their outcome is on its way, or was lost */
  ended: z.array(z.uuid()),
  /** those of them whose outcome is told again */
  retold: z.array(z.uuid()),
});
export type ReconciledDeliveries = z.infer<typeof ReconciledDeliveries>;

/**
 * `POST /operator/deliveries/sent` of the delivery worker: these were delivered, as the log of an installation says that
 * was lost (docs/operations.md, restore).
 */
export const SentDeliveries = z.object({
  deliveries: z
    .array(
      z.object({
        id: z.uuid(),
        /** when the remote server took it */
        at: z.iso.datetime(),
        remote_host: z.string().max(255).optional(),
      }),
    )
    .min(1)
    .max(1_000),
});
export type SentDeliveries = z.infer<typeof SentDeliveries>;

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
