import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { apiResponse, ApiErrors, type ApiResponse } from '@postmesh/contracts';
import type { ApiCall } from '@postmesh/service-host';
import { RemoveWebhooks } from './remove-webhooks.js';
import { mayTouch } from './webhook-scope.rules.js';
import { WebhooksRepository } from './webhooks.repository.js';

/** `DELETE …/webhooks/{id}`: what is still owed is dropped. */
@Injectable()
export class DeleteWebhook {
  constructor(
    private readonly dataSource: DataSource,
    private readonly webhooks: WebhooksRepository,
    private readonly removal: RemoveWebhooks,
  ) {}

  async execute(call: ApiCall): Promise<ApiResponse> {
    const id = call.uuidParam('webhook_id');
    return this.dataSource.transaction(async (manager) => {
      const row = await this.webhooks.hold(manager, call.accountId, id);
      if (!row) throw ApiErrors.notFound('webhook');
      if (!mayTouch(call.principal, 'webhooks:delete', row.domains)) {
        throw ApiErrors.missingDomainScope('delete', 'webhooks');
      }
      await this.removal.execute(manager, [row]);
      return apiResponse(200, { message: 'webhook deleted successfully' });
    });
  }
}
