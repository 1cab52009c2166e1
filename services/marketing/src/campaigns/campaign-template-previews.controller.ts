import { Body, Controller } from '@nestjs/common';
import { apiResponse, type ApiResponse } from '@postmesh/contracts';
import { SUBSTITUTION_RULES } from '@postmesh/messages-contract';
import { Call, Operation, optionalBody, uuidParam, type ApiCall } from '@postmesh/service-host';
import { CampaignPreviewBody } from './campaign.schema.js';
import { PreviewCampaign } from './preview-campaign.js';

/** Campaign templates in the console, as a recipient of a campaign would get them. */
@Controller()
export class CampaignTemplatePreviewsController {
  constructor(private readonly previews: PreviewCampaign) {}

  @Operation('campaign-templates.preview')
  preview(
    @Call() call: ApiCall,
    @uuidParam('campaign_template_id') id: string,
    @Body(optionalBody(CampaignPreviewBody, SUBSTITUTION_RULES)) input: CampaignPreviewBody,
  ): Promise<ApiResponse> {
    return call.respond(
      () => this.previews.ofTemplate(call.principal, id, input, call.signal),
      (preview) => apiResponse(200, preview),
    );
  }
}
