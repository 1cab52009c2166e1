import { Injectable } from '@nestjs/common';
import { DataSource, In, type EntityManager } from 'typeorm';
import { ApiErrors, type EventEnvelope, type Principal } from '@postmesh/contracts';
import { WebhookStopped } from '@postmesh/webhooks-contract';
import { Outbox } from '@postmesh/events';
import type { EndpointEntity } from '../database/endpoint.entity.js';
import { requireScope, type Action, type EndpointKind } from './endpoint-kinds.js';

export type EndpointId = Pick<EndpointEntity, 'id' | 'account_id'>;

export interface Which {
  id: string;
  /** null for operators, who have access to every account's */
  accountId: string | null;
}

export interface EndpointUse {
  principal: Principal;
  action: Action;
  id: string;
}

/** Rows of the tables of endpoints, for their owners and operators. */
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

  /** The same, locked like `lock`. @throws ApiError 403 or 404 */
  async hold<E extends EndpointEntity>(
    tx: EntityManager,
    kind: EndpointKind<E>,
    use: EndpointUse,
  ): Promise<E> {
    const { id, principal } = use;
    return permitted(kind, use, await this.lock(tx, kind, { id, accountId: principal.account_id }));
  }

  /**
   * Locked until the transaction ends. A full row lock: matching takes a key-share lock, so an event or a message is
   * matched either before a change or after it, never during it.
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

  /** Some endpoints of the account, locked like `lock`, in the lock order of matching. */
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

  /** The number of endpoints of the account; no other transaction adds one until this one ends. */
  async countForCreate(
    tx: EntityManager,
    { entity, createLock }: EndpointKind,
    accountId: string,
  ): Promise<number> {
    await tx.query('select pg_advisory_xact_lock(hashtext($1), hashtext($2))', [createLock, accountId]);
    return tx.countBy(entity, { account_id: accountId });
  }

  /**
   * Deletes endpoints; the dispatcher drops their pending calls.
   * @param rows locked in this transaction, so that no match is running with them
   */
  async remove(tx: EntityManager, { entity }: EndpointKind, rows: readonly EndpointId[]): Promise<void> {
    if (rows.length === 0) return;
    await tx.delete(entity, { id: In(rows.map(({ id }) => id)) });
    await this.outbox.add(tx, stopped(rows, 'deleted'));
  }
}

const whereOf = ({ id, accountId }: Which) => (accountId === null ? { id } : { id, account_id: accountId });

/** The dispatcher drops the pending calls of these endpoints. */
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
