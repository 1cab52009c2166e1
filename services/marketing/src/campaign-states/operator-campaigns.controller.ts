import { Body, Controller, Get, HttpCode, Post, Put, Query } from '@nestjs/common';
import { z } from 'zod';
import { AccountId, isLongerThan } from '@postmesh/contracts';
import { parsePageQuery, type PageQuery } from '@postmesh/http';
import { body, Internal, optionalBody, query, uuidParam } from '@postmesh/service-host';
import { MarketingAccounts } from './marketing-accounts.js';
import { OperateCampaign } from './operate-campaign.js';
import { CampaignsView, OperatorCampaignsQuery } from './operator-campaigns.view.js';

const MAX_NOTE = 500;
const note = z
  .string()
  .trim()
  .min(1)
  .refine((text) => !isLongerThan(text, MAX_NOTE), { message: `note must be at most ${MAX_NOTE} characters` })
  .refine((text) => !text.includes('\0'), { message: 'note must not hold a NUL' });

const ReturnBody = z.object({ note });
const RejectBody = z.object({ note: note.nullish() });
const MarketingBody = z
  .object({
    daily_limit: z.union([z.number().int().min(0).max(1_000_000_000), z.literal('default')]).nullable(),
    review_every_campaign: z.boolean(),
  })
  .partial();

/** The actions of operators on campaigns and marketing limits (spec 3-marketing §11); each POST and PUT is audited. */
@Controller('operator')
@Internal()
export class OperatorCampaignsController {
  constructor(
    private readonly view: CampaignsView,
    private readonly operation: OperateCampaign,
    private readonly accounts: MarketingAccounts,
  ) {}

  @Get('campaigns')
  list(
    @Query(query(parsePageQuery, OperatorCampaignsQuery))
    [page, filters]: [PageQuery, OperatorCampaignsQuery],
  ) {
    return this.view.page(filters, page);
  }

  @Get('campaigns/:campaign_id')
  get(@uuidParam('campaign_id') id: string) {
    return this.view.show(id);
  }

  @Post('campaigns/:campaign_id/approve')
  @HttpCode(200)
  approve(@uuidParam('campaign_id') id: string) {
    return this.after(id, this.operation.approve(id));
  }

  @Post('campaigns/:campaign_id/return')
  @HttpCode(200)
  return(@uuidParam('campaign_id') id: string, @Body(body(ReturnBody)) input: z.infer<typeof ReturnBody>) {
    return this.after(id, this.operation.return(id, input.note));
  }

  @Post('campaigns/:campaign_id/reject')
  @HttpCode(200)
  reject(
    @uuidParam('campaign_id') id: string,
    @Body(optionalBody(RejectBody)) input: z.infer<typeof RejectBody>,
  ) {
    return this.after(id, this.operation.reject(id, input.note ?? null));
  }

  @Post('campaigns/:campaign_id/pause')
  @HttpCode(200)
  pause(@uuidParam('campaign_id') id: string) {
    return this.after(id, this.operation.pause(id));
  }

  @Post('campaigns/:campaign_id/resume')
  @HttpCode(200)
  resume(@uuidParam('campaign_id') id: string) {
    return this.after(id, this.operation.resume(id));
  }

  @Post('campaigns/:campaign_id/cancel')
  @HttpCode(200)
  cancel(@uuidParam('campaign_id') id: string) {
    return this.after(id, this.operation.cancel(id));
  }

  @Get('accounts/:account_id/marketing')
  marketing(@uuidParam('account_id') id: AccountId) {
    return this.accounts.find(id);
  }

  @Put('accounts/:account_id/marketing')
  changeMarketing(
    @uuidParam('account_id') id: AccountId,
    @Body(body(MarketingBody)) input: z.infer<typeof MarketingBody>,
  ) {
    return this.accounts.change(id, input);
  }

  private async after(id: string, done: Promise<void>) {
    await done;
    return this.view.show(id);
  }
}
