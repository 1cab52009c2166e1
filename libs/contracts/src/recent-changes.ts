import { z } from 'zod';
import { Timestamp } from './http/response-schemas.js';

/** The kinds of resources in the stream of the console. */
export const CHANGE_KINDS = ['message', 'campaign', 'import', 'webhook', 'route'] as const;

/** The change of one resource of an account: a reader that shows it reads it again. */
export const RecentChange = z
  .object({
    kind: z.enum(CHANGE_KINDS),
    id: z.uuid(),
    state: z.string().meta({ description: 'The status that it has now.', example: 'Delivered' }),
    at: Timestamp,
  })
  .meta({ id: 'RecentChange', description: 'One resource of the account that has changed.' });
export type RecentChange = z.infer<typeof RecentChange>;

/**
 * `GET /internal/accounts/{account_id}/recent-changes?since=` of messages, marketing and webhooks: the newest resources
 * of the account that have changed since then, in any order; bounded, so that a later change may hide an earlier one.
 */
export const RecentChanges = z.object({ changes: z.array(RecentChange) });
export type RecentChanges = z.infer<typeof RecentChanges>;
export const RecentChangesQuery = z.object({ since: z.iso.datetime() });

export const recentChangesPath = (accountId: string, since: Date): string =>
  `/internal/accounts/${accountId}/recent-changes?since=${since.toISOString()}`;
