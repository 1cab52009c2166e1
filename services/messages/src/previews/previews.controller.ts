import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { apiResponse, type ApiResponse } from '@postmesh/contracts';
import { PreviewRequest, SUBSTITUTION_RULES, type RenderedPreview } from '@postmesh/messages-contract';
import {
  body,
  Call,
  CallerSignal,
  Internal,
  Operation,
  optionalBody,
  uuidParam,
  type ApiCall,
} from '@postmesh/service-host';
import { PreviewCampaign } from './preview-campaign.js';
import { PreviewTemplate } from './preview-template.js';
import { TemplatePreviewBody } from '../templates/template.schema.js';

/** Previews of transactional templates (spec 2-messages §6.5). */
@Controller()
export class TemplatePreviewsController {
  constructor(private readonly templates: PreviewTemplate) {}

  @Operation('templates.preview')
  preview(
    @Call() call: ApiCall,
    @uuidParam('template_id') id: string,
    @Body(optionalBody(TemplatePreviewBody, SUBSTITUTION_RULES)) input: TemplatePreviewBody,
  ): Promise<ApiResponse> {
    return call.respond(
      () => this.templates.execute(call.principal, id, input, call.signal),
      (preview) => apiResponse(200, preview),
    );
  }
}

/** Previews of campaigns, for the service that owns them. It disconnects when its client does. */
@Internal()
@Controller('internal/message-previews')
export class CampaignPreviewsController {
  constructor(private readonly campaigns: PreviewCampaign) {}

  @Post()
  @HttpCode(200)
  preview(
    @Body(body(PreviewRequest, { exactNumbersIn: ['values'] })) input: PreviewRequest,
    @CallerSignal() signal: AbortSignal,
  ): Promise<RenderedPreview> {
    return this.campaigns.execute(input, signal);
  }
}
