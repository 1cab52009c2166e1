import { z } from 'zod';

/**
 * `GET /internal/accounts/{account_id}/usage?period=YYYY-MM` of the messages service: the messages sent by a
 * top-level account and by every sub-account that it ever had in a calendar month (UTC). Accounts that sent nothing are
 * left out.
 */
export const FamilyUsage = z.object({
  usage: z.array(
    z.object({
      account_id: z.uuid(),
      /** accepted outbound messages without sandbox messages, one per recipient (spec 1-platform §10.5) */
      reception_count: z.number().int(),
    }),
  ),
});
export type FamilyUsage = z.infer<typeof FamilyUsage>;

/**
 * `POST /internal/accounts/{account_id}/usage-report` of the accounts service: the report of a top-level account (spec
 * 1-platform §10.5), made from the counts of the messages service.
 */
export const UsageReportRequest = z.object({
  period: z.string().regex(/^\d{4}-(0[1-9]|1[0-2])$/),
  /** `reception_count` by account: one value per account counts among those that a JSON text may have */
  used: z.record(z.uuid(), z.number().int()),
});
export type UsageReportRequest = z.infer<typeof UsageReportRequest>;

/** `POST /internal/accounts/activity` of the messages service. */
export const ActivityRequest = z.object({ account_ids: z.array(z.uuid()).max(1_000) });
export const Activity = z.object({
  /** accounts that never sent are left out */
  activity: z.array(z.object({ account_id: z.uuid(), last_accepted_at: z.iso.datetime() })),
});
export type Activity = z.infer<typeof Activity>;
