import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { AccountId, type MemberRole, type UserId } from '@postmesh/contracts';
import type { Logger } from '@postmesh/observability';
import type { Identity } from '@postmesh/oidc';
import { LOGGER } from '@postmesh/service-host';
import { AccountsRepository } from '../account/accounts.repository.js';
import { AuditLog, SYSTEM } from '../audit/audit-log.js';
import { requireMemberSlot } from '../members/member.rules.js';
import { findOrCreateUser, MemberEntity, UserEntity } from '../members/people.js';
import { CacheLeases } from '../revocation/cache-leases.js';
import { SessionChanges } from '../sessions/session-changes.js';
import { groupChanges, type GroupChange } from './membership.rules.js';
import { WaysIn } from './ways-in.js';

type Person = Pick<Identity, 'email' | 'name' | 'groups'>;

/** A change that was made, for the sessions of the member in the account. */
interface Made {
  userId: UserId;
  accountId: AccountId;
  isGone: boolean;
}

/** Makes the memberships of a person those of their groups at the provider, with each of their sign-ins. */
@Injectable()
export class GroupMembers {
  constructor(
    private readonly dataSource: DataSource,
    private readonly accounts: AccountsRepository,
    private readonly sessions: SessionChanges,
    private readonly leases: CacheLeases,
    private readonly audit: AuditLog,
    private readonly ways: WaysIn,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * In a transaction of its own: memberships end also where the sign-in is refused afterwards.
   * @throws ApiError 409 where an account has the maximum of members
   */
  async apply(person: Person): Promise<void> {
    const table = this.ways.oidc?.groups ?? [];
    // without a table groups mean nothing here, and memberships stay as they are
    if (table.length === 0) return;
    const revision = await this.dataSource.transaction(async (manager) => {
      const user = await manager.findOneBy(UserEntity, { email: person.email });
      const members = user ? await manager.findBy(MemberEntity, { userId: user.id }) : [];
      const now = members.map(({ accountId, role, fromGroup }) => ({
        accountId,
        role,
        isFromGroup: fromGroup,
      }));
      const made: Made[] = [];
      for (const change of groupChanges(table, person.groups, now))
        made.push(...(await this.change(manager, person, change)));
      return this.changeSessions(manager, made);
    });
    if (revision !== undefined) await this.leases.settled(revision);
  }

  /** The account is locked, as for every change of its members. Its owner stays what they are. */
  private async change(manager: EntityManager, person: Person, change: GroupChange): Promise<Made[]> {
    const accountId = AccountId.parse(change.accountId);
    const account = await this.accounts.lockIfThere(manager, { id: accountId });
    if (!account && change.role === undefined) return [];
    if (!account) {
      const line = { event: 'oidc.account_unknown', account_id: accountId };
      this.logger.warn(line, 'an account of POSTMESH_OIDC_GROUPS does not exist, its rows are left out');
      return [];
    }
    const { user } = await findOrCreateUser(manager, person);
    if (user.id === account.ownerId) return [];
    const member = await manager.findOneBy(MemberEntity, { accountId, userId: user.id });
    const key = { accountId, userId: user.id };
    const { role } = change;
    if (role === undefined) {
      if (!member) return [];
      await manager.delete(MemberEntity, key);
      await this.record(manager, key, 'member.remove', { role: member.role });
      return [{ ...key, isGone: true }];
    }
    const updatedAt = new Date();
    if (member) {
      await manager.update(MemberEntity, key, { role, fromGroup: true, updatedAt });
      if (member.role !== role)
        await this.record(manager, key, 'member.update', { role, before: member.role });
      return [{ ...key, isGone: false }];
    }
    requireMemberSlot(await manager.countBy(MemberEntity, { accountId }));
    await manager.insert(MemberEntity, { ...key, role, fromGroup: true, createdAt: updatedAt, updatedAt });
    // no invitation: those are counted by their action
    await this.record(manager, key, 'member.join', { role });
    return [];
  }

  /** Last in the transaction, and the removals after the others: all of them lock the revision of keys. */
  private async changeSessions(manager: EntityManager, made: readonly Made[]): Promise<number | undefined> {
    let revision: number | undefined;
    for (const { userId, accountId, isGone } of made) {
      const of = { userId, accountId };
      revision = isGone
        ? (await this.sessions.end(manager, of)).revision
        : await this.sessions.reread(manager, of);
    }
    return revision;
  }

  private record(
    manager: EntityManager,
    { accountId, userId }: { accountId: AccountId; userId: UserId },
    action: string,
    details: { role: MemberRole; before?: MemberRole },
  ): Promise<void> {
    const entry = { actor: SYSTEM, action, accountId, subjectId: userId };
    return this.audit.record(manager, { ...entry, details: { ...details, way: 'oidc' } });
  }
}
