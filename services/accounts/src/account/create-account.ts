import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { newId } from '@postmesh/contracts';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { AuditLog, type Actor } from '../audit/audit-log.js';
import { AccountEntity, MemberEntity, UserEntity } from '../database/entities/index.js';
import { AccountChangedPublisher } from './account-changed.publisher.js';
import { newAccount } from './new-account.rules.js';

export interface CreateAccountOrder {
  name: string;
  website: string;
  /** normalised address of the person who owns the account; an unknown one becomes a user */
  owner: { email: string; name: string };
  actor: Actor;
}

/** Makes a top-level account with its owner. */
@Injectable()
export class CreateAccount {
  constructor(
    private readonly audit: AuditLog,
    private readonly published: AccountChangedPublisher,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async execute(manager: EntityManager, order: CreateAccountOrder): Promise<AccountEntity> {
    const now = new Date();
    const times = { createdAt: now, updatedAt: now };
    const ownerId = await this.userOf(manager, order.owner, now);
    const given = {
      parentAccountId: null,
      name: order.name,
      website: order.website,
      platformPartner: this.settings.platformPartner,
      monthlyCredit: 0,
      ownerId,
    };
    const account = newAccount(given, this.settings, now);
    await manager.insert(AccountEntity, account);
    await manager.insert(MemberEntity, {
      ...times,
      accountId: account.id,
      userId: ownerId,
      role: 'Administrator',
    });
    await this.published.publish(manager, [account], undefined);
    const { id: accountId, name } = account;
    await this.audit.record(manager, {
      actor: order.actor,
      action: 'account.create',
      accountId,
      subjectId: accountId,
      details: { name },
    });
    return account;
  }

  private async userOf(
    manager: EntityManager,
    owner: CreateAccountOrder['owner'],
    now: Date,
  ): Promise<string> {
    await manager
      .createQueryBuilder()
      .insert()
      .into(UserEntity)
      .values({ id: newId(), ...owner, createdAt: now, updatedAt: now })
      .orIgnore()
      .execute();
    const user = await manager.findOneByOrFail(UserEntity, { email: owner.email });
    return user.id;
  }
}
