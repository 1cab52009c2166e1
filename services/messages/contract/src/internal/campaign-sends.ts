import { z } from 'zod';
import { AccountFacts, AccountId } from '@postmesh/contracts';

/** The limit of recipients of one send request. */
export const MAX_CAMPAIGN_RECIPIENTS = 100;

/** The content of a campaign; texts are sources of the template language (spec 3-marketing §5.2). */
export const CampaignContent = z.object({
  from: z.object({ email: z.string(), name: z.string() }),
  reply_to: z.string().nullable(),
  subject: z.string(),
  preheader: z.string().nullable(),
  html: z.string().nullable(),
  text: z.string().nullable(),
});
export type CampaignContent = z.infer<typeof CampaignContent>;

export const CampaignSendRecipient = z.object({
  /** chosen and stored by the caller before the request: the record gets this id, so that a repeat is recognised */
  message_id: z.uuid(),
  /** the contact of a campaign; null in a test to an address that is no contact */
  contact_id: z.uuid().nullable(),
  email: z.string(),
  /** name in `To`; may be empty */
  name: z.string(),
  /** values of the contact (spec 3-marketing §5.4), without the links, which `messages` makes */
  values: z.record(z.string(), z.unknown()),
});
export type CampaignSendRecipient = z.infer<typeof CampaignSendRecipient>;

/**
 * `POST /internal/campaign-sends` of the messages service: one send request, or the one that an earlier request with
 * these message ids made. A test (spec 3-marketing §3.2) is an ordinary message of the account: subject prefixed, not
 * tracked, no List-Unsubscribe, not of the campaign.
 */
export const CampaignSendRequest = z.object({
  account_id: AccountId,
  account: AccountFacts,
  campaign_id: z.uuid(),
  test: z.boolean(),
  /**
   * a mail of a sign-up form, with its links among the values: neither a test nor of a campaign. `test` is true with it, for
   * a release that does not know it
   */
  purpose: z.enum(['confirmation', 'welcome']).optional(),
  content: CampaignContent,
  recipients: z.array(CampaignSendRecipient).min(1).max(MAX_CAMPAIGN_RECIPIENTS),
});
export type CampaignSendRequest = z.infer<typeof CampaignSendRequest>;

export const CampaignSendOutcome = z.object({
  message_id: z.uuid(),
  /** `failed` has no record: its message could not be made, and never will be */
  outcome: z.enum(['accepted', 'suppressed', 'failed']),
  /** the reason of `failed`, for people */
  reason: z.string().optional(),
});
export type CampaignSendOutcome = z.infer<typeof CampaignSendOutcome>;

/** The reason for which nothing of a request was stored; a retry fails until the reason is removed. */
export const CampaignSendProblem = z.enum([
  'account_suspended',
  'credit_used_up',
  'domain_missing',
  'domain_paused',
  'domain_dns_invalid',
]);
export type CampaignSendProblem = z.infer<typeof CampaignSendProblem>;

export const CampaignSendResult = z.discriminatedUnion('ok', [
  z.object({
    ok: z.literal(true),
    recipients: z.array(CampaignSendOutcome),
    /** transactional messages were accepted a moment ago: the caller leaves capacity for them */
    beside_others: z.boolean().optional(),
  }),
  z.object({ ok: z.literal(false), problem: CampaignSendProblem }),
]);
export type CampaignSendResult = z.infer<typeof CampaignSendResult>;
