import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Principal } from '@postmesh/contracts';
import type { EndpointKind } from './endpoint-kinds.js';
import { Endpoints } from './endpoints.js';

/** `DELETE …/webhooks/{id}` and `DELETE …/routes/{id}`: pending calls are dropped. */
@Injectable()
export class DeleteEndpoint {
  constructor(
    private readonly dataSource: DataSource,
    private readonly endpoints: Endpoints,
  ) {}

  /** @throws ApiError 403 or 404 */
  async execute(kind: EndpointKind, { principal, id }: { principal: Principal; id: string }): Promise<void> {
    await this.dataSource.transaction(async (tx) => {
      const row = await this.endpoints.hold(tx, kind, { principal, action: 'delete', id });
      await this.endpoints.remove(tx, kind, [row]);
    });
  }
}
