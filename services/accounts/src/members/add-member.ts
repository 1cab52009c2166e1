import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { ApiErrors } from '@postmesh/contracts';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { AccountsRepository } from '../account/accounts.repository.js';
import { AuditLog, type Actor } from '../audit/audit-log.js';
import type { MemberEntity } from '../database/entities/index.js';
import { publicAddress } from '../system-mail/public-address.js';
import { SystemMail } from '../system-mail/system-mail.js';
import { invitation, newMembership } from './member-messages.rules.js';
import { MemberErrors, refuseCrowd, refuseFlood } from './member.rules.js';
import type { AddMemberBody } from './member.schema.js';
import { MembersRepository } from './members.repository.js';

const ADDED = 'member.add';
const DAY_MS = 86_400_000;

export interface AddMemberOrder {
  accountId: string;
  input: AddMemberBody;
  actor: Actor;
}

/** Makes somebody a member of an account, and tells them. */
@Injectable()
export class AddMember {
  constructor(
    private readonly dataSource: DataSource,
    private readonly accounts: AccountsRepository,
    private readonly members: MembersRepository,
    private readonly mail: SystemMail,
    private readonly audit: AuditLog,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * @param within runs in the transaction that adds the member
   * @throws ApiError 404 `account not found`, 409 for a member already
   */
  execute<T>(
    order: AddMemberOrder,
    within: (manager: EntityManager, member: MemberEntity) => Promise<T>,
  ): Promise<T> {
    return this.dataSource.transaction(async (manager) => within(manager, await this.add(manager, order)));
  }

  /** The account is held, so of two who add the same person at once the second finds them. */
  private async add(
    manager: EntityManager,
    { accountId, input, actor }: AddMemberOrder,
  ): Promise<MemberEntity> {
    const account = await this.accounts.lock(manager, accountId);
    if (!account) throw ApiErrors.notFound('account');
    const now = new Date();
    const given = { email: input.email, name: input.name ?? '' };
    const { user, isNew } = await this.members.findOrCreateUser(manager, given, now);
    if (!isNew && (await this.members.find(manager, accountId, user.id))) {
      throw MemberErrors.already();
    }
    refuseCrowd(await this.members.count(manager, accountId));
    refuseFlood(await this.audit.countSince(manager, accountId, ADDED, new Date(now.getTime() - DAY_MS)));
    const { role } = input;
    const member = { accountId, userId: user.id, role, createdAt: now, updatedAt: now };
    await this.members.insert(manager, member);
    const told = { accountName: account.name, role, address: publicAddress(this.settings) };
    const message = isNew ? invitation(told) : newMembership(told);
    await this.mail.send(manager, accountId, message, [user]);
    const deed = { actor, action: ADDED, accountId, subjectId: user.id, details: { role } };
    await this.audit.record(manager, deed);
    return member;
  }
}
