import { Body, Controller, Query } from '@nestjs/common';
import { apiResponse, visibleDomains, type ApiResponse } from '@postmesh/contracts';
import { parsePageQuery, toPage, type PageQuery } from '@postmesh/http';
import { body, Call, Operation, query, uuidParam, type ApiCall } from '@postmesh/service-host';
import { DeleteEndpoint } from '../endpoints/delete-endpoint.js';
import { WEBHOOK } from '../endpoints/endpoint-kinds.js';
import { READ_ONLY_FIELDS } from '../endpoints/endpoint.schema.js';
import { Endpoints } from '../endpoints/endpoints.js';
import { CreateWebhook, type CreatedWebhook } from './create-webhook.js';
import { requireCover } from './webhook-scope.rules.js';
import { TriggerWebhook } from './trigger-webhook.js';
import { UpdateWebhook } from './update-webhook.js';
import { CreateBody, UpdateBody } from './webhook.schema.js';
import { parseEventTypes, parseFilters, TriggerBody, type WebhookFilters } from './webhook.schema.js';
import { webhookResource, type NewWebhookResource } from './webhook.schema.js';
import { WebhooksRepository } from './webhooks.repository.js';

const RULES = { readOnly: READ_ONLY_FIELDS };

/** An account's webhooks (spec 2-messages §17). */
@Controller()
export class WebhooksController {
  constructor(
    private readonly webhooks: WebhooksRepository,
    private readonly endpoints: Endpoints,
    private readonly creation: CreateWebhook,
    private readonly change: UpdateWebhook,
    private readonly deletion: DeleteEndpoint,
    private readonly sample: TriggerWebhook,
  ) {}

  @Operation('webhooks.list')
  async list(
    @Call() call: ApiCall,
    @Query(query(parsePageQuery, parseFilters)) [page, filters]: [PageQuery, WebhookFilters],
  ): Promise<ApiResponse> {
    const domains = visibleDomains(call.principal, 'webhooks:read');
    const list = { accountId: call.accountId, filters, domains };
    const rows = await this.webhooks.page(list, page);
    return apiResponse(200, toPage(rows, page, webhookResource));
  }

  @Operation('webhooks.create', { beforeReplay: requireCover })
  create(@Call() call: ApiCall, @Body(body(CreateBody, RULES)) input: CreateBody): Promise<ApiResponse> {
    const command = { principal: call.principal, input };
    return call.respond((remember) => this.creation.execute(command, remember), showOnce);
  }

  @Operation('webhooks.get')
  async get(@Call() call: ApiCall, @uuidParam('webhook_id') id: string): Promise<ApiResponse> {
    const row = await this.endpoints.get(WEBHOOK, { principal: call.principal, action: 'read', id });
    return apiResponse(200, webhookResource(row));
  }

  @Operation('webhooks.update')
  async update(
    @Call() call: ApiCall,
    @uuidParam('webhook_id') id: string,
    @Body(body(UpdateBody, RULES)) input: UpdateBody,
  ): Promise<ApiResponse> {
    const row = await this.change.execute({ principal: call.principal, id, input });
    return apiResponse(200, webhookResource(row));
  }

  @Operation('webhooks.trigger')
  async trigger(
    @Call() call: ApiCall,
    @uuidParam('webhook_id') id: string,
    @Body(body(TriggerBody)) { events }: TriggerBody,
  ): Promise<ApiResponse> {
    await this.sample.execute({ principal: call.principal, id }, parseEventTypes(events));
    return apiResponse(202, { message: 'sample events queued' });
  }

  @Operation('webhooks.delete')
  async delete(@Call() call: ApiCall, @uuidParam('webhook_id') id: string): Promise<ApiResponse> {
    await this.deletion.execute(WEBHOOK, { principal: call.principal, id });
    return apiResponse(200, { message: 'webhook deleted successfully' });
  }
}

/** The only response with the signing secret. */
function showOnce({ endpoint, secret }: CreatedWebhook): ApiResponse {
  const shown: NewWebhookResource = { ...webhookResource(endpoint), secret };
  return apiResponse(201, shown, { secret: true });
}
