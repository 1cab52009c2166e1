import { z } from 'zod';

/**
 * `POST /internal/bounce-figures` of the messages service, called only by the previous release: how many messages of
 * sending domains were delivered and bounced, by the counters of statistics (seconds old).
 *
 * - With `domains`: the figures of each since the given time, zeros for a domain that sent nothing. Times older than
 *   the figures' trailing 30 days are read as those 30 days.
 * - Without: every domain with at least `min_bounced` bounces in the trailing 30 days, most bounces first, at most
 *   1,000 of them after the first `offset`; none = there are no more.
 */
export const BounceFiguresRequest = z.object({
  domains: z
    .array(z.object({ account_id: z.uuid(), domain: z.string(), since: z.iso.datetime({ offset: true }) }))
    .max(1_000)
    .optional(),
  min_bounced: z.number().int().min(1).default(1),
  offset: z.number().int().min(0).default(0),
});
export type BounceFiguresRequest = z.infer<typeof BounceFiguresRequest>;

/**
 * `POST /internal/bounce-judgements` of the domains service, called by the messages service: it pauses the domains that
 * bounce too much (spec 1-platform §11.8). The bounce rate is bounced / (delivered + bounced), by the counters of statistics
 * (seconds old).
 */
export const BounceFigures = z.object({
  figures: z.array(
    z.object({
      account_id: z.uuid(),
      domain: z.string(),
      delivered: z.number().int(),
      bounced: z.number().int(),
      /** older messages are not counted */
      from: z.iso.datetime(),
    }),
  ),
});
export type BounceFigures = z.infer<typeof BounceFigures>;

/** Domains whose last pause was lifted within the figures: to be sent again, counted since then. */
export const BounceJudgements = z.object({
  count_since: z.array(
    z.object({ account_id: z.uuid(), domain: z.string(), since: z.iso.datetime({ offset: true }) }),
  ),
});
export type BounceJudgements = z.infer<typeof BounceJudgements>;
