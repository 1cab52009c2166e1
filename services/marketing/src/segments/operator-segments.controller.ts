import { Body, Controller, Delete, Get, HttpCode, Post, Put } from '@nestjs/common';
import type { AccountId } from '@postmesh/contracts';
import { body, Internal, uuidParam } from '@postmesh/service-host';
import { CampaignAudiences } from './campaign-audiences.js';
import { AudienceBody, SegmentBody, segmentResource } from './segment.schema.js';
import { audienceResource } from './segments.controller.js';
import { Segments } from './segments.js';

/** Segments of an account and of its campaigns, for operators: v2 has no operation for them (decision 162). */
@Internal()
@Controller('operator/accounts/:account_id')
export class OperatorSegmentsController {
  constructor(
    private readonly segments: Segments,
    private readonly audiences: CampaignAudiences,
  ) {}

  @Get('segments')
  async list(@uuidParam('account_id') accountId: AccountId): Promise<object> {
    return { data: (await this.segments.list(accountId)).map(segmentResource) };
  }

  @Post('segments')
  @HttpCode(201)
  async create(
    @uuidParam('account_id') accountId: AccountId,
    @Body(body(SegmentBody)) input: SegmentBody,
  ): Promise<object> {
    return segmentResource(await this.segments.create(accountId, input));
  }

  @Put('segments/:segment_id')
  async update(
    @uuidParam('account_id') accountId: AccountId,
    @uuidParam('segment_id') id: string,
    @Body(body(SegmentBody)) input: SegmentBody,
  ): Promise<object> {
    return segmentResource(await this.segments.update(accountId, id, input));
  }

  @Delete('segments/:segment_id')
  async delete(
    @uuidParam('account_id') accountId: AccountId,
    @uuidParam('segment_id') id: string,
  ): Promise<object> {
    const name = await this.segments.delete(accountId, id);
    return { message: `segment ${id} (${name}) deleted successfully` };
  }

  @Get('campaigns/:campaign_id/audience')
  async audience(
    @uuidParam('account_id') accountId: AccountId,
    @uuidParam('campaign_id') id: string,
  ): Promise<object> {
    return audienceResource(id, await this.audiences.get(accountId, id));
  }

  @Put('campaigns/:campaign_id/audience')
  async putAudience(
    @uuidParam('account_id') accountId: AccountId,
    @uuidParam('campaign_id') id: string,
    @Body(body(AudienceBody)) { segment_ids }: AudienceBody,
  ): Promise<object> {
    await this.audiences.put(accountId, id, segment_ids);
    return audienceResource(id, await this.audiences.get(accountId, id));
  }
}
