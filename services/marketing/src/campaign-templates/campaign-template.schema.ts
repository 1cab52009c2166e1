import { z } from 'zod';
import { fullPageOf, nameField, storableText, Timestamp, trimText } from '@postmesh/contracts';
import { ContentInput, ContentResource, DesignBlocksBody, EDITORS, shownContent } from '@postmesh/designs';
import type { CampaignTemplate, CampaignTemplateHead } from './campaign-template.js';

/** `POST …/campaign-templates` (spec 3-marketing §9). */
export const CreateCampaignTemplateBody = z.object({
  name: nameField(),
  content: ContentInput.meta({ description: 'With `mjml` or `html`, which sets the editor.' }),
});
export type CreateCampaignTemplateBody = z.infer<typeof CreateCampaignTemplateBody>;

/** The console: a template of its block editor. */
export const CreateBlocksTemplateBody = DesignBlocksBody.extend({ name: nameField() });
export type CreateBlocksTemplateBody = z.infer<typeof CreateBlocksTemplateBody>;

/** `PUT …/campaign-templates/{id}`: omitted fields stay. */
export const UpdateCampaignTemplateBody = z.object({
  name: nameField().optional(),
  content: ContentInput.optional(),
});
export type UpdateCampaignTemplateBody = z.infer<typeof UpdateCampaignTemplateBody>;

/** Blank: no filter. */
export const ListCampaignTemplatesQuery = z.object({
  name: storableText('name')
    .transform((text) => trimText(text))
    .optional()
    .meta({ description: 'Templates whose name contains this text, in any letter case.' }),
});
export type ListCampaignTemplatesQuery = z.infer<typeof ListCampaignTemplatesQuery>;

const CampaignTemplateListItem = z
  .object({
    object: z.literal('campaign_template'),
    id: z.uuid(),
    created_at: Timestamp,
    updated_at: Timestamp,
    name: z.string(),
    editor: z.enum(EDITORS).meta({ description: 'Never changes.' }),
  })
  .meta({ id: 'CampaignTemplateListItem', description: 'A campaign template without its design.' });
type CampaignTemplateListItem = z.infer<typeof CampaignTemplateListItem>;

export const CampaignTemplateResource = CampaignTemplateListItem.extend({
  content: ContentResource.nullable(),
}).meta({ id: 'CampaignTemplate', description: 'A design that campaigns copy.' });
type CampaignTemplateResource = z.infer<typeof CampaignTemplateResource>;

export const CampaignTemplatePage = fullPageOf(CampaignTemplateListItem);

export const campaignTemplateListItem = (template: CampaignTemplateHead): CampaignTemplateListItem => ({
  object: 'campaign_template',
  id: template.id,
  created_at: template.createdAt.toISOString(),
  updated_at: template.updatedAt.toISOString(),
  name: template.name,
  editor: template.editor,
});

export const campaignTemplateResource = (template: CampaignTemplate): CampaignTemplateResource => ({
  ...campaignTemplateListItem(template),
  content: shownContent(template.editor, template),
});
