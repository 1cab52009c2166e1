import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Outbox } from '@postmesh/events';
import { AuditLog, type Actor } from '../audit/audit-log.js';
import { CacheLeases } from '../revocation/cache-leases.js';
import { KeyChanges } from '../revocation/key-changes.js';
import type { AccountColumns, AccountEntity } from './account.entity.js';
import { accountChanged, accountState } from './account-state.rules.js';
import { AccountsRepository, type AccountRef } from './accounts.repository.js';

export interface AccountChange {
  /** action of the audit entry: `account.suspend`, … */
  action: string;
  columns: Partial<AccountColumns>;
  /** details of the audit entry */
  details: Record<string, unknown>;
  /** columns of its sub-accounts that change with it; with details each gets an audit entry of its own */
  children?: { columns: Partial<AccountColumns>; details?: Record<string, unknown> };
  /** the accounts whose keys gateways must look up again */
  reach: 'none' | 'itself' | 'family';
  /** subject of the audit entry; the account itself when left out */
  subjectId?: string;
}

/**
 * Decides a change of the locked account. A pure rule, except where it must read or write other rows in the
 * same transaction.
 * @returns undefined when nothing changes
 * @throws ApiError when the change is not allowed
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

/** Every change of an account: lock, decide, write, publish, audit, and wait until gateways have applied it. */
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
   * @returns the account after the change, which is in effect on every gateway
   * @throws ApiError 404, and errors of the decision
   */
  async execute(ref: AccountRef, actor: Actor, decide: Decide): Promise<AccountEntity> {
    const { account, revision } = await this.dataSource.transaction(async (manager) => {
      const before = await this.accounts.lock(manager, ref);
      const now = new Date();
      const change = await decide(before, now, manager);
      // an equal change may have been committed a moment ago
      if (!change) return { account: before, revision: await this.keyChanges.latest(manager) };
      const [own, ...children] = await this.write(manager, before, change, now);
      await this.publish(manager, own, children);
      await this.audit.record(manager, auditEntries(actor, change, before, children));
      return { account: own.after, revision: await this.revise(manager, change, [own, ...children]) };
    });
    await this.leases.settled(revision);
    return account;
  }

  /** Writes a change of a parent also to its sub-accounts (spec 1-platform §10.4 rule 3). */
  private async write(
    manager: EntityManager,
    before: AccountEntity,
    { columns, children, reach }: AccountChange,
    updatedAt: Date,
  ): Promise<[Changed, ...Changed[]]> {
    const [after = before] = await this.accounts.update(manager, [before], { ...columns, updatedAt });
    if (reach !== 'family' && !children) return [{ before, after }];
    const befores = await this.accounts.lockChildren(manager, before.id);
    const isAffected = children || accountState(before, null) !== accountState(after, null);
    const ofChildren = children ? { ...children.columns, updatedAt } : {};
    const afters = isAffected ? await this.accounts.update(manager, befores, ofChildren) : befores;
    return [
      { before, after },
      ...befores.map((child, at) => ({ before: child, after: afters[at] ?? child })),
    ];
  }

  /** Publishes the accounts whose state has changed. */
  private async publish(manager: EntityManager, own: Changed, children: readonly Changed[]): Promise<void> {
    const parent = await this.accounts.parentOf(manager, own.before);
    const above = parent && { before: parent, after: parent };
    const events = [...stateChanges([own], above), ...stateChanges(children, own)];
    await this.outbox.add(manager, events);
  }

  private revise(
    manager: EntityManager,
    { reach }: AccountChange,
    [own, ...children]: readonly [Changed, ...Changed[]],
  ): Promise<number> {
    if (reach === 'none') return this.keyChanges.latest(manager);
    const reached = reach === 'itself' ? [own] : [own, ...children];
    return this.keyChanges.record(manager, { accountIds: reached.map(({ after }) => after.id) });
  }
}

const stateChanges = (accounts: readonly Changed[], parent: Changed | undefined) =>
  accounts
    .filter(
      ({ before, after }) => accountState(before, parent?.before) !== accountState(after, parent?.after),
    )
    .map(({ after }) => accountChanged(after, parent?.after));

function auditEntries(
  actor: Actor,
  { action, details, subjectId, children }: AccountChange,
  { id }: AccountEntity,
  family: readonly Changed[],
) {
  const ofChildren = children?.details;
  const entry = { actor, action };
  return [
    { ...entry, accountId: id, subjectId: subjectId ?? id, details },
    ...(ofChildren ? family : []).map(({ after: child }) => ({
      ...entry,
      accountId: child.id,
      subjectId: child.id,
      details: ofChildren,
    })),
  ];
}
