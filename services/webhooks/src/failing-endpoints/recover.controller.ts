import { Body, Controller } from '@nestjs/common';
import { apiResponse, type ApiResponse } from '@postmesh/contracts';
import { Call, Operation, optionalBody, uuidParam, type ApiCall } from '@postmesh/service-host';
import { ROUTE, WEBHOOK } from '../endpoints/endpoint-kinds.js';
import { RecoverEndpoint } from './recover-endpoint.js';
import { RecoverBody } from './recover.schema.js';

const STARTED = { message: 'recovery started' };

/** Recovery of the missed events of a webhook or a route (spec 2-messages §18 rule 13). */
@Controller()
export class RecoverController {
  constructor(private readonly recovery: RecoverEndpoint) {}

  @Operation('webhooks.recover')
  async webhook(
    @Call() call: ApiCall,
    @uuidParam('webhook_id') id: string,
    @Body(optionalBody(RecoverBody)) input: RecoverBody,
  ): Promise<ApiResponse> {
    await this.recovery.execute(WEBHOOK, { principal: call.principal, id, input });
    return apiResponse(202, STARTED);
  }

  @Operation('routes.recover')
  async route(
    @Call() call: ApiCall,
    @uuidParam('route_id') id: string,
    @Body(optionalBody(RecoverBody)) input: RecoverBody,
  ): Promise<ApiResponse> {
    await this.recovery.execute(ROUTE, { principal: call.principal, id, input });
    return apiResponse(202, STARTED);
  }
}
