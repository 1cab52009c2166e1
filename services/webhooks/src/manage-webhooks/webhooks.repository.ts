import { Injectable } from '@nestjs/common';
import { In, type EntityManager } from 'typeorm';
import { WebhookStopped } from '@postmesh/contracts';
import { Outbox } from '@postmesh/outbox';
import { pageSql, type PageQuery, type PageRow } from '@postmesh/pagination';
import { WebhookEntity } from '../database/webhook.entity.js';
import type { WebhookFilters } from './webhook.schema.js';

export interface WebhookList {
  accountId: string;
  filters: WebhookFilters;
  /** only webhooks that cover one of these; undefined = all */
  domains: string[] | undefined;
}

/** Rows of the table `webhooks`, as their owner sees them. */
@Injectable()
export class WebhooksRepository {
  find(manager: EntityManager, accountId: string, id: string): Promise<WebhookEntity | null> {
    return manager.findOneBy(WebhookEntity, { id, account_id: accountId });
  }

  /**
   * The same, locked until the transaction ends. A full row lock: matching takes a key-share lock, so an event
   * is matched either before a change or after it, never across it.
   */
  lock(manager: EntityManager, accountId: string, id: string): Promise<WebhookEntity | null> {
    return manager.findOne(WebhookEntity, {
      where: { id, account_id: accountId },
      lock: { mode: 'pessimistic_write' },
    });
  }

  /** Some of the account's, locked as `lock` does; in the order in which matching takes them. */
  lockSome(
    manager: EntityManager,
    accountId: string,
    limit: number,
  ): Promise<Pick<WebhookEntity, 'id' | 'account_id'>[]> {
    return manager.query(
      'select id, account_id from webhooks where account_id = $1 order by id limit $2 for update',
      [accountId, limit],
    );
  }

  /** How many the account has; nobody else adds one to it until the transaction ends. */
  async countForCreate(manager: EntityManager, accountId: string): Promise<number> {
    await manager.query(
      `select pg_advisory_xact_lock(hashtext('webhooks added to an account'), hashtext($1))`,
      [accountId],
    );
    return manager.countBy(WebhookEntity, { account_id: accountId });
  }

  /** Newest first. */
  async page(
    manager: EntityManager,
    list: WebhookList,
    page: PageQuery,
  ): Promise<(WebhookEntity & PageRow)[]> {
    const parameters: unknown[] = [list.accountId];
    const conditions = ['account_id = $1'];
    const { enabled, ...flags } = list.filters;
    if (enabled !== undefined) conditions.push(`enabled = $${parameters.push(enabled)}`);
    for (const [flag, wanted] of Object.entries(flags)) {
      conditions.push(`($${parameters.push(flag)} = any(events)) = $${parameters.push(wanted)}`);
    }
    if (list.domains) conditions.push(`domains && $${parameters.push(list.domains)}::text[]`);
    const query = pageSql(
      { text: `select * from webhooks where ${conditions.join(' and ')}`, parameters },
      page,
    );
    return manager.query(query.text, [...query.parameters]);
  }
}

/** What every deletion of webhooks is, whoever asks for it: the dispatcher drops what is still due to them. */
@Injectable()
export class RemoveWebhooks {
  constructor(private readonly outbox: Outbox) {}

  /** @param webhooks held in this transaction, so that no event is being matched with them */
  async execute(
    manager: EntityManager,
    webhooks: readonly Pick<WebhookEntity, 'id' | 'account_id'>[],
  ): Promise<void> {
    if (webhooks.length === 0) return;
    await manager.delete(WebhookEntity, { id: In(webhooks.map(({ id }) => id)) });
    await this.outbox.add(
      manager,
      webhooks.map(({ id, account_id }) =>
        WebhookStopped.make({ webhook_id: id, reason: 'deleted' }, { account_id }),
      ),
    );
  }
}
