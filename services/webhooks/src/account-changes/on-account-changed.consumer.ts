import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import type { EntityManager } from 'typeorm';
import { AccountChanged } from '@postmesh/accounts-contract';
import type { EventOf } from '@postmesh/contracts';
import type { Logger } from '@postmesh/observability';
import { Consumes, LOGGER, type EventContext } from '@postmesh/service-host';
import { ENDPOINT_KINDS, type EndpointKind } from '../endpoints/endpoint-kinds.js';
import { Endpoints } from '../endpoints/endpoints.js';
import { recordDeletion } from './deleted-accounts.js';

// The number of endpoints of an account has no limit here, so each statement handles a batch.
const BATCH = 500;

/**
 * Deletes the webhooks and routes of a deleted account (spec 1-platform §10.4 rule 5); those of a suspended account stay
 * active (rule 4). A deletion is final, so order and repetition of events have no effect.
 */
@Controller()
export class OnAccountChanged {
  constructor(
    private readonly endpoints: Endpoints,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @Consumes(AccountChanged, 'webhooks.account-changes')
  async handle(
    @Payload() events: EventOf<typeof AccountChanged>[],
    @Ctx() { tx }: EventContext,
  ): Promise<void> {
    const facts = events.map(({ data }) => data);
    const deleted = facts.filter(({ state }) => state === 'deleted').map(({ account_id }) => account_id);
    for (const accountId of new Set(deleted)) {
      await recordDeletion(tx, accountId);
      let removed = 0;
      for (const kind of ENDPOINT_KINDS) removed += await this.removeAll(tx, kind, accountId);
      this.logger.info(
        { event: 'webhooks.deleted_with_account', account_id: accountId, removed },
        'webhooks and routes of a deleted account deleted',
      );
    }
  }

  private async removeAll(tx: EntityManager, kind: EndpointKind, accountId: string): Promise<number> {
    let removed = 0;
    for (;;) {
      const rows = await this.endpoints.lockSome(tx, kind, { accountId, limit: BATCH });
      await this.endpoints.remove(tx, kind, rows);
      removed += rows.length;
      if (rows.length < BATCH) return removed;
    }
  }
}
