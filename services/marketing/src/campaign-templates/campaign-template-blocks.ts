import { Injectable } from '@nestjs/common';
import type { AccountId } from '@postmesh/contracts';
import {
  CAMPAIGN_CONTENT,
  designBlocks,
  Designs,
  htmlOfBlocks,
  requireSimple,
  type DesignBlocks,
  type DesignBlocksBody,
  type DesignJob,
  type DesignShare,
} from '@postmesh/designs';
import type { CampaignTemplate } from './campaign-template.js';
import { CampaignTemplatesRepository, type TemplateRef } from './campaign-templates.repository.js';
import { CreateCampaignTemplate, UpdateCampaignTemplate } from './manage-campaign-templates.js';
import type { SimpleDesignBody } from './simple-design.js';

interface Given {
  input: DesignBlocksBody;
  share: DesignShare;
}

/** The blocks of a campaign template: the console makes designs that only operators could put in before (decision 126). */
@Injectable()
export class CampaignTemplateBlocks {
  constructor(
    private readonly templates: CampaignTemplatesRepository,
    private readonly creation: CreateCampaignTemplate,
    private readonly change: UpdateCampaignTemplate,
    private readonly designs: Designs,
  ) {}

  /** @throws ApiError 400 or 401; Transient */
  async create({
    accountId,
    name,
    ...given
  }: Given & { accountId: AccountId; name: string }): Promise<CampaignTemplate> {
    const input = { name, ...(await this.designOf(given)) };
    return this.creation.executeSimple({ accountId, input, share: given.share });
  }

  /** @throws ApiError 404 */
  async read(ref: TemplateRef): Promise<DesignBlocks> {
    return designBlocks(await this.templates.get(ref));
  }

  /** @throws ApiError 400, 401, 404 or 409; Transient */
  async write({ input, share, ...ref }: Given & TemplateRef): Promise<DesignBlocks> {
    // the change checks it again, under its lock
    requireSimple(await this.templates.get(ref));
    const design = await this.designOf({ input, share });
    return designBlocks(await this.change.executeSimple({ ...ref, input: design, share }));
  }

  private async designOf({ input: { blocks, text }, share }: Given): Promise<SimpleDesignBody> {
    const make = (job: DesignJob) => this.designs.make(share, job);
    const html = await htmlOfBlocks(blocks, { policy: CAMPAIGN_CONTENT, make });
    return { blocks, content: { html, text: text ?? null } };
  }
}
