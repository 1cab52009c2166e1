import { Injectable } from '@nestjs/common';
import { In, type EntityManager } from 'typeorm';
import { WebhookStopped } from '@postmesh/contracts';
import { Outbox } from '@postmesh/outbox';
import { pageSql, type PageQuery, type PageRow } from '@postmesh/pagination';
import { RouteEntity } from '../database/route.entity.js';

type Row = Pick<RouteEntity, 'id' | 'account_id'>;

/** Rows of the table `routes`, as their owner sees them. */
@Injectable()
export class RoutesRepository {
  find(manager: EntityManager, accountId: string, id: string): Promise<RouteEntity | null> {
    return manager.findOneBy(RouteEntity, { id, account_id: accountId });
  }

  /**
   * The same, locked until the transaction ends. A full row lock: matching takes a key-share lock, so a message is
   * matched either before a change or after it, never across it.
   */
  lock(manager: EntityManager, accountId: string, id: string): Promise<RouteEntity | null> {
    return manager.findOne(RouteEntity, {
      where: { id, account_id: accountId },
      lock: { mode: 'pessimistic_write' },
    });
  }

  /** Some of the account's, locked as `lock` does; in the order in which matching takes them. */
  lockSome(manager: EntityManager, accountId: string, limit: number): Promise<Row[]> {
    return manager.query(
      'select id, account_id from routes where account_id = $1 order by id limit $2 for update',
      [accountId, limit],
    );
  }

  /** How many the account has; nobody else adds one to it until the transaction ends. */
  async countForCreate(manager: EntityManager, accountId: string): Promise<number> {
    await manager.query(`select pg_advisory_xact_lock(hashtext('routes of an account'), hashtext($1))`, [
      accountId,
    ]);
    return manager.countBy(RouteEntity, { account_id: accountId });
  }

  /** Newest first. @param domain only routes of this recipient domain; undefined = all */
  async page(
    manager: EntityManager,
    { accountId, domain }: { accountId: string; domain: string | undefined },
    page: PageQuery,
  ): Promise<(RouteEntity & PageRow)[]> {
    const ofDomain = domain === undefined ? '' : 'and recipient_domain = $2';
    const parameters = [accountId, ...(domain === undefined ? [] : [domain])];
    const text = `select * from routes where account_id = $1 ${ofDomain}`;
    const query = pageSql({ text, parameters }, page);
    return manager.query(query.text, [...query.parameters]);
  }
}

/** What every deletion of routes is, whoever asks for it: the dispatcher drops what is still due to them. */
@Injectable()
export class RemoveRoutes {
  constructor(private readonly outbox: Outbox) {}

  /** @param routes held in this transaction, so that no message is being matched with them */
  async execute(manager: EntityManager, routes: readonly Row[]): Promise<void> {
    if (routes.length === 0) return;
    await manager.delete(RouteEntity, { id: In(routes.map(({ id }) => id)) });
    await this.outbox.add(
      manager,
      routes.map(({ id, account_id }) =>
        WebhookStopped.make({ webhook_id: id, reason: 'deleted' }, { account_id }),
      ),
    );
  }
}

/** Routes whose domain is gone take nothing any more. */
@Injectable()
export class DisableRoutes {
  constructor(private readonly outbox: Outbox) {}

  /** @param domainIds deleted for good: a domain that is added again has another id */
  async ofDomains(manager: EntityManager, domainIds: readonly string[]): Promise<void> {
    // in the order in which matching takes them; waits for matches in progress, whose calls are dropped as well
    await manager.query(
      'select from routes where recipient_domain_id = any($1::uuid[]) and enabled order by id for update',
      [domainIds],
    );
    const [rows]: [Row[], number] = await manager.query(
      `update routes set enabled = false, updated_at = now(), revision = revision + 1
       where recipient_domain_id = any($1::uuid[]) and enabled returning id, account_id`,
      [domainIds],
    );
    await this.outbox.add(
      manager,
      rows.map(({ id, account_id }) =>
        WebhookStopped.make({ webhook_id: id, reason: 'disabled' }, { account_id }),
      ),
    );
  }
}
