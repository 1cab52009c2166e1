import type { AccountId } from '@postmesh/contracts';
import type { DesignBody, Editor } from '@postmesh/designs';

/** What a campaign copies of a template. */
export interface TemplateDesign extends DesignBody {
  editor: Editor;
  /** the blocks of the editor `simple`; null of the others */
  design: unknown;
}

/** A row of `campaign_templates` without its design, as lists show it. */
export interface CampaignTemplateHead {
  id: string;
  createdAt: Date;
  updatedAt: Date;
  name: string;
  editor: Editor;
}

export interface CampaignTemplate extends CampaignTemplateHead, TemplateDesign {
  accountId: AccountId;
}

/** What a write can change. */
export type CampaignTemplateFields = Pick<CampaignTemplate, 'name' | 'design' | keyof DesignBody>;
