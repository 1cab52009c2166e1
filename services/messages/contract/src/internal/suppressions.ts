import { z } from 'zod';
import { SuppressionChange } from '../events/suppressions-changed.v1.js';

/** Rows of one page: a few hundred kilobytes. */
export const SUPPRESSIONS_PER_PAGE = 1_000;

/** The fields of a suppression that determine its effect. */
export const ListedSuppression = SuppressionChange.pick({
  domain: true,
  recipient: true,
  expires_at: true,
  revision: true,
}).extend({ account_id: z.uuid() });
export type ListedSuppression = z.infer<typeof ListedSuppression>;

/**
 * `GET /internal/suppressions?after=<next>` of the messages service: every suppression that has not expired, of all
 * accounts, in the order of account, domain and recipient, byte by byte.
 */
export const SuppressionsPage = z.object({
  suppressions: z.array(ListedSuppression).max(SUPPRESSIONS_PER_PAGE),
  /** cursor of the next page; null at the end */
  next: z.string().nullable(),
});
export type SuppressionsPage = z.infer<typeof SuppressionsPage>;
