import { Body, Controller } from '@nestjs/common';
import { apiResponse, type ApiResponse } from '@postmesh/contracts';
import { SecretBox } from '@postmesh/secrets';
import { body, Call, Operation, uuidParam, type ApiCall } from '@postmesh/service-host';
import { WEBHOOK } from '../endpoints/endpoint-kinds.js';
import { Endpoints } from '../endpoints/endpoints.js';
import { SetWebhookDialect } from './set-webhook-dialect.js';
import { aboutSecret, DialectBody, dialectResource, shownSecret } from './webhook-dialect.schema.js';

/** The form of the calls of a webhook, for the members of its account. */
@Controller()
export class WebhookDialectsController {
  constructor(
    private readonly endpoints: Endpoints,
    private readonly choice: SetWebhookDialect,
    private readonly secrets: SecretBox,
  ) {}

  @Operation('webhook-dialects.get')
  async get(@Call() { principal }: ApiCall, @uuidParam('webhook_id') id: string): Promise<ApiResponse> {
    const webhook = await this.endpoints.get(WEBHOOK, { principal, action: 'read', id });
    const { sealed_dialect_secret: sealed } = webhook;
    return apiResponse(
      200,
      dialectResource(webhook, sealed === null ? null : this.secrets.open(sealed, aboutSecret(id))),
    );
  }

  @Operation('webhook-dialects.put')
  async put(
    @Call() { principal }: ApiCall,
    @uuidParam('webhook_id') id: string,
    @Body(body(DialectBody)) input: DialectBody,
  ): Promise<ApiResponse> {
    const { webhook, secret } = await this.choice.execute({ principal, id, input });
    const shown = { ...dialectResource(webhook, secret), secret: shownSecret(webhook, secret) };
    return apiResponse(200, shown, { secret: true });
  }
}
