import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ApiErrors, mayTouch, unnamedDomains, type Principal } from '@postmesh/contracts';
import { RemoveWebhooks } from './webhooks.repository.js';
import { WebhooksRepository } from './webhooks.repository.js';

/** `DELETE …/webhooks/{id}`: what is still due is dropped. */
@Injectable()
export class DeleteWebhook {
  constructor(
    private readonly dataSource: DataSource,
    private readonly webhooks: WebhooksRepository,
    private readonly removal: RemoveWebhooks,
  ) {}

  /** @throws ApiError 403 or 404 */
  async execute({ principal, id }: { principal: Principal; id: string }): Promise<void> {
    await this.dataSource.transaction(async (tx) => {
      const row = await this.webhooks.lock(tx, principal.account_id, id);
      if (!row) throw ApiErrors.notFound('webhook');
      if (!mayTouch(principal, 'webhooks:delete', row.domains)) {
        throw ApiErrors.missingDomainScope('webhooks:delete', unnamedDomains(row.domains));
      }
      await this.removal.execute(tx, [row]);
    });
  }
}
