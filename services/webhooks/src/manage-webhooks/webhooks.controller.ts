import { Controller } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { apiResponse, ApiErrors, type ApiResponse } from '@postmesh/contracts';
import { parsePageQuery, toPage } from '@postmesh/pagination';
import { Call, Operation, type ApiCall } from '@postmesh/service-host';
import { CreateWebhook } from './create-webhook.js';
import { requireCover } from './covered-by.rules.js';
import { DeleteWebhook } from './delete-webhook.js';
import { UpdateWebhook } from './update-webhook.js';
import { parseFilters } from './webhook-filters.rules.js';
import { mayTouch, visibleDomains } from './webhook-scope.rules.js';
import { webhookResource } from './webhook.resource.js';
import { WebhooksRepository } from './webhooks.repository.js';

/** An account's webhooks (spec 2-messages §17). */
@Controller()
export class WebhooksController {
  constructor(
    private readonly dataSource: DataSource,
    private readonly webhooks: WebhooksRepository,
    private readonly creation: CreateWebhook,
    private readonly change: UpdateWebhook,
    private readonly deletion: DeleteWebhook,
  ) {}

  @Operation('webhooks.list')
  async list(@Call() call: ApiCall): Promise<ApiResponse> {
    const page = parsePageQuery(call.query);
    const list = {
      accountId: call.accountId,
      filters: parseFilters(call.query),
      domains: visibleDomains(call.principal, 'webhooks:read'),
    };
    const rows = await this.webhooks.page(this.dataSource.manager, list, page);
    return apiResponse(200, toPage(rows, page, webhookResource));
  }

  @Operation('webhooks.create', { beforeReplay: requireCover })
  create(@Call() call: ApiCall): Promise<ApiResponse> {
    return this.creation.execute(call);
  }

  @Operation('webhooks.get')
  async get(@Call() call: ApiCall): Promise<ApiResponse> {
    const id = call.uuidParam('webhook_id');
    const row = await this.webhooks.find(this.dataSource.manager, call.accountId, id);
    if (!row) throw ApiErrors.notFound('webhook');
    if (!mayTouch(call.principal, 'webhooks:read', row.domains)) {
      throw ApiErrors.missingDomainScope('read', 'webhooks');
    }
    return apiResponse(200, webhookResource(row));
  }

  @Operation('webhooks.update')
  update(@Call() call: ApiCall): Promise<ApiResponse> {
    return this.change.execute(call);
  }

  @Operation('webhooks.delete')
  delete(@Call() call: ApiCall): Promise<ApiResponse> {
    return this.deletion.execute(call);
  }
}
