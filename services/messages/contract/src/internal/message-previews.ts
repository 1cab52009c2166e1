import { z } from 'zod';
import { AccountId } from '@postmesh/contracts';
import { CampaignContent, CampaignSendRecipient } from './campaign-sends.js';

/** `POST /internal/message-previews` of the messages service: a campaign's message, rendered without storing it. */
export const PreviewRequest = z.object({
  account_id: AccountId,
  /** parent of a sub-account: its family shares a limit of rendering time */
  parent_account_id: z.uuid().nullable().default(null),
  campaign_id: z.uuid(),
  /** content of a draft, which may lack both */
  content: CampaignContent.extend({
    from: CampaignContent.shape.from.nullable(),
    subject: z.string().nullable(),
  }),
  recipient: CampaignSendRecipient.pick({ email: true, name: true, values: true }),
});
export type PreviewRequest = z.infer<typeof PreviewRequest>;

export const RenderedPreview = z.object({
  subject: z.string(),
  html: z.string().nullable(),
  text: z.string().nullable(),
  headers: z.record(z.string(), z.array(z.string())),
  /** parts that are left out, by their API names, with the reason */
  problems: z.array(z.object({ part: z.string(), reason: z.string() })),
});
export type RenderedPreview = z.infer<typeof RenderedPreview>;
