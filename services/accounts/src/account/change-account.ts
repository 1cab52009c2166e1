import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Outbox } from '@postmesh/outbox';
import { AuditLog, type Actor } from '../audit/audit-log.js';
import { CacheLeases } from '../revocation/cache-leases.js';
import { KeyChanges } from '../revocation/key-changes.js';
import type { AccountColumns, AccountEntity } from './account.entity.js';
import { accountChanged, accountState } from './account-state.rules.js';
import type { AccountRef } from './account-ref.js';
import { AccountsRepository } from './accounts.repository.js';

export interface AccountChange {
  /** of the audit entry: `account.suspend`, … */
  action: string;
  columns: Partial<AccountColumns>;
  /** of the audit entry */
  details: Record<string, unknown>;
  /** what of its sub-accounts changes with it; with details each gets an audit entry of its own */
  children?: { columns: Partial<AccountColumns>; details?: Record<string, unknown> };
  /** whose keys gateways must look up anew */
  reach: 'nobody' | 'itself' | 'family';
  /** of the audit entry; the account itself when left out */
  subjectId?: string;
}

/**
 * Decides on the account as it is while nobody else changes it. A pure rule, except where it must read or
 * write rows beside the account, in the same transaction.
 * @returns undefined when the account is so already
 * @throws ApiError when it may not be so
 */
export type Decide = (
  account: AccountEntity,
  now: Date,
  manager: EntityManager,
) => AccountChange | undefined | Promise<AccountChange | undefined>;

interface Changed {
  before: AccountEntity;
  after: AccountEntity;
}

/** Every change of an account: lock, decide, write, publish, audit, and wait until gateways follow. */
@Injectable()
export class ChangeAccount {
  constructor(
    private readonly dataSource: DataSource,
    private readonly accounts: AccountsRepository,
    private readonly outbox: Outbox,
    private readonly audit: AuditLog,
    private readonly keyChanges: KeyChanges,
    private readonly leases: CacheLeases,
  ) {}

  /**
   * @returns the account after the change; its keys meet it on every gateway from now on
   * @throws ApiError 404, and what the decision throws
   */
  async execute(ref: AccountRef, actor: Actor, decide: Decide): Promise<AccountEntity> {
    const { account, revision } = await this.dataSource.transaction(async (manager) => {
      const before = await this.accounts.lock(manager, ref);
      const now = new Date();
      const change = await decide(before, now, manager);
      if (change) return this.apply(manager, before, actor, { updatedAt: now, ...change });
      // what made it so may have been committed a moment ago
      return { account: before, revision: await this.keyChanges.latest(manager) };
    });
    await this.leases.settled(revision);
    return account;
  }

  private async apply(
    manager: EntityManager,
    before: AccountEntity,
    actor: Actor,
    change: AccountChange & { updatedAt: Date },
  ): Promise<{ account: AccountEntity; revision: number }> {
    const parent = await this.accounts.parentOf(manager, before);
    const columns = { ...change.columns, updatedAt: change.updatedAt };
    const [after = before] = await this.accounts.update(manager, [before], columns);
    const children =
      change.reach === 'family' || change.children
        ? await this.changeChildren(manager, { before, after }, change)
        : [];
    const events = [
      ...(accountState(before, parent) === accountState(after, parent)
        ? []
        : [accountChanged(after, parent)]),
      ...children
        .filter((child) => accountState(child.before, before) !== accountState(child.after, after))
        .map((child) => accountChanged(child.after, after)),
    ];
    if (events.length > 0) await this.outbox.add(manager, events);
    await this.record(manager, after, actor, { change, children });
    const accountIds = [after, ...children.map((child) => child.after)].map(({ id }) => id);
    const revision =
      change.reach === 'nobody'
        ? await this.keyChanges.latest(manager)
        : await this.keyChanges.record(manager, {
            accountIds: change.reach === 'itself' ? [after.id] : accountIds,
          });
    return { account: after, revision };
  }

  /** What befalls a parent befalls its sub-accounts (spec 1-platform §10.4 rule 3). */
  private async changeChildren(
    manager: EntityManager,
    { before, after }: Changed,
    change: AccountChange & { updatedAt: Date },
  ): Promise<Changed[]> {
    const children = await this.accounts.lockChildren(manager, after.id);
    const isMoved = accountState(before, undefined) !== accountState(after, undefined);
    if (children.length === 0 || (!change.children && !isMoved)) {
      return children.map((child) => ({ before: child, after: child }));
    }
    const columns = change.children ? { ...change.children.columns, updatedAt: change.updatedAt } : {};
    const changed = await this.accounts.update(manager, children, columns);
    return children.map((child, at) => ({ before: child, after: changed[at] ?? child }));
  }

  private async record(
    manager: EntityManager,
    account: AccountEntity,
    actor: Actor,
    { change, children }: { change: AccountChange; children: readonly Changed[] },
  ): Promise<void> {
    const { action, details, subjectId = account.id } = change;
    const ofChildren = change.children?.details;
    await this.audit.record(manager, [
      { actor, action, accountId: account.id, subjectId, details },
      ...(ofChildren ? children : []).map(({ after: { id } }) => ({
        actor,
        action,
        accountId: id,
        subjectId: id,
        details: ofChildren ?? {},
      })),
    ]);
  }
}
