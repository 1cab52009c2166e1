import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ApiErrors, type Principal } from '@postmesh/contracts';
import { requireUse } from './route-scope.rules.js';
import { RemoveRoutes, RoutesRepository } from './routes.repository.js';

/** `DELETE …/routes/{id}`: what is still due is dropped. */
@Injectable()
export class DeleteRoute {
  constructor(
    private readonly dataSource: DataSource,
    private readonly routes: RoutesRepository,
    private readonly removal: RemoveRoutes,
  ) {}

  /** @throws ApiError 403 or 404 */
  async execute({ principal, id }: { principal: Principal; id: string }): Promise<void> {
    await this.dataSource.transaction(async (tx) => {
      const row = await this.routes.lock(tx, principal.account_id, id);
      if (!row) throw ApiErrors.notFound('route');
      requireUse(principal, 'delete', row.recipient_domain);
      await this.removal.execute(tx, [row]);
    });
  }
}
