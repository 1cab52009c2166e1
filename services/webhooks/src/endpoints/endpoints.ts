import { Injectable } from '@nestjs/common';
import { DataSource, In, type EntityManager } from 'typeorm';
import { ApiErrors, WebhookStopped, type EventEnvelope, type Principal } from '@postmesh/contracts';
import { Outbox } from '@postmesh/outbox';
import type { EndpointEntity } from '../database/endpoint.entity.js';
import { requireScope, type Action, type EndpointKind } from './endpoint-kinds.js';

export type EndpointId = Pick<EndpointEntity, 'id' | 'account_id'>;

export interface Which {
  id: string;
  /** null for operators, who see every account's */
  accountId: string | null;
}

export interface EndpointUse {
  principal: Principal;
  action: Action;
  id: string;
}

/** Rows of the tables of endpoints, as their owners and operators see them. */
@Injectable()
export class Endpoints {
  constructor(
    private readonly dataSource: DataSource,
    private readonly outbox: Outbox,
  ) {}

  find<E extends EndpointEntity>({ entity }: EndpointKind<E>, which: Which): Promise<E | null> {
    return this.dataSource.manager.findOneBy<EndpointEntity>(entity, whereOf(which)) as Promise<E | null>;
  }

  /** @throws ApiError 403 or 404 */
  async get<E extends EndpointEntity>(kind: EndpointKind<E>, use: EndpointUse): Promise<E> {
    return permitted(kind, use, await this.find(kind, { id: use.id, accountId: use.principal.account_id }));
  }

  /** The same, held as `lock` does. @throws ApiError 403 or 404 */
  async hold<E extends EndpointEntity>(
    tx: EntityManager,
    kind: EndpointKind<E>,
    use: EndpointUse,
  ): Promise<E> {
    const { id, principal } = use;
    return permitted(kind, use, await this.lock(tx, kind, { id, accountId: principal.account_id }));
  }

  /**
   * Locked until the transaction ends. A full row lock: matching takes a key-share lock, so an event or a message is matched
   * either before a change or after it, never across it.
   */
  lock<E extends EndpointEntity>(
    tx: EntityManager,
    { entity }: EndpointKind<E>,
    which: Which,
  ): Promise<E | null> {
    return tx.findOne<EndpointEntity>(entity, {
      where: whereOf(which),
      lock: { mode: 'pessimistic_write' },
    }) as Promise<E | null>;
  }

  /** Some of the account's, locked as `lock` does; in the order in which matching takes them. */
  lockSome(
    tx: EntityManager,
    { table }: EndpointKind,
    { accountId, limit }: { accountId: string; limit: number },
  ): Promise<EndpointId[]> {
    return tx.query(
      `select id, account_id from ${table} where account_id = $1 order by id limit $2 for update`,
      [accountId, limit],
    );
  }

  /** How many the account has; no other transaction adds one until this one ends. */
  async countForCreate(
    tx: EntityManager,
    { entity, createLock }: EndpointKind,
    accountId: string,
  ): Promise<number> {
    await tx.query('select pg_advisory_xact_lock(hashtext($1), hashtext($2))', [createLock, accountId]);
    return tx.countBy(entity, { account_id: accountId });
  }

  /**
   * Deletes them; the dispatcher drops what is still due to them.
   * @param rows held in this transaction, so that nothing is being matched with them
   */
  async remove(tx: EntityManager, { entity }: EndpointKind, rows: readonly EndpointId[]): Promise<void> {
    if (rows.length === 0) return;
    await tx.delete(entity, { id: In(rows.map(({ id }) => id)) });
    await this.outbox.add(tx, stopped(rows, 'deleted'));
  }
}

const whereOf = ({ id, accountId }: Which) => (accountId === null ? { id } : { id, account_id: accountId });

/** The dispatcher drops what is due to these endpoints. */
export const stopped = (rows: readonly EndpointId[], reason: 'deleted' | 'disabled'): EventEnvelope[] =>
  rows.map(({ id, account_id }) => WebhookStopped.make({ webhook_id: id, reason }, { account_id }));

function permitted<E extends EndpointEntity>(
  kind: EndpointKind<E>,
  { principal, action }: EndpointUse,
  row: E | null,
): E {
  if (!row) throw ApiErrors.notFound(kind.name);
  requireScope(kind, principal, { action, domains: kind.domainsOf(row) });
  return row;
}
