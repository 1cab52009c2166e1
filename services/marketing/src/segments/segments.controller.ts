import { Body, Controller } from '@nestjs/common';
import { apiResponse, type ApiResponse } from '@postmesh/contracts';
import { body, Call, Operation, uuidParam, type ApiCall } from '@postmesh/service-host';
import { CampaignAudiences } from './campaign-audiences.js';
import { CountSegment } from './count-segment.js';
import {
  AudienceBody,
  SegmentBody,
  SegmentCountBody,
  segmentResource,
  type AudienceResource,
} from './segment.schema.js';
import { Segments } from './segments.js';

/** Segments, for members in the console (decision 162). */
@Controller()
export class SegmentsController {
  constructor(
    private readonly segments: Segments,
    private readonly counting: CountSegment,
    private readonly audiences: CampaignAudiences,
  ) {}

  @Operation('segments.list')
  async list(@Call() { accountId }: ApiCall): Promise<ApiResponse> {
    const rows = await this.segments.list(accountId);
    return apiResponse(200, { object: 'list', data: rows.map(segmentResource) });
  }

  @Operation('segments.create')
  async create(
    @Call() { accountId }: ApiCall,
    @Body(body(SegmentBody)) input: SegmentBody,
  ): Promise<ApiResponse> {
    return apiResponse(201, segmentResource(await this.segments.create(accountId, input)));
  }

  @Operation('segments.get')
  async get(@Call() { accountId }: ApiCall, @uuidParam('segment_id') id: string): Promise<ApiResponse> {
    return apiResponse(200, segmentResource(await this.segments.get(accountId, id)));
  }

  @Operation('segments.update')
  async update(
    @Call() { accountId }: ApiCall,
    @uuidParam('segment_id') id: string,
    @Body(body(SegmentBody)) input: SegmentBody,
  ): Promise<ApiResponse> {
    return apiResponse(200, segmentResource(await this.segments.update(accountId, id, input)));
  }

  @Operation('segments.delete')
  async delete(@Call() { accountId }: ApiCall, @uuidParam('segment_id') id: string): Promise<ApiResponse> {
    const name = await this.segments.delete(accountId, id);
    return apiResponse(200, { message: `segment ${id} (${name}) deleted successfully` });
  }

  @Operation('segment-counts.create')
  async count(
    @Call() { accountId }: ApiCall,
    @Body(body(SegmentCountBody)) { filter }: SegmentCountBody,
  ): Promise<ApiResponse> {
    const contacts = await this.counting.execute(accountId, filter);
    return apiResponse(200, { object: 'segment_count', contacts });
  }

  @Operation('campaign-audiences.get')
  async audience(@Call() { accountId }: ApiCall, @uuidParam('campaign_id') id: string): Promise<ApiResponse> {
    return apiResponse(200, audienceResource(id, await this.audiences.get(accountId, id)));
  }

  @Operation('campaign-audiences.put')
  async putAudience(
    @Call() { accountId }: ApiCall,
    @uuidParam('campaign_id') id: string,
    @Body(body(AudienceBody)) { segment_ids }: AudienceBody,
  ): Promise<ApiResponse> {
    await this.audiences.put(accountId, id, segment_ids);
    return apiResponse(200, audienceResource(id, await this.audiences.get(accountId, id)));
  }
}

export const audienceResource = (campaign_id: string, segment_ids: string[]): AudienceResource => ({
  object: 'campaign_audience',
  campaign_id,
  segment_ids,
});
