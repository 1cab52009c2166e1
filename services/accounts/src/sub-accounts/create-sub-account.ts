import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { ApiErrors } from '@postmesh/contracts';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { AccountChangedPublisher } from '../account/account-changed.publisher.js';
import { AccountsRepository } from '../account/accounts.repository.js';
import { newAccount } from '../account/new-account.rules.js';
import { AuditLog, type Actor } from '../audit/audit-log.js';
import { AccountEntity } from '../database/entities/index.js';
import { NO_FIGURES, subAccountResource } from './sub-account.resource.js';
import type { CreateSubAccountBody, SubAccountResource } from './sub-account.schema.js';
import { SubAccountsRepository } from './sub-accounts.repository.js';

export interface CreateSubAccountOrder {
  parentId: string;
  input: CreateSubAccountBody;
  actor: Actor;
}

/** Makes a child: a full account whose owner is its parent's, without members (spec 1-platform §10.2). */
@Injectable()
export class CreateSubAccount {
  constructor(
    private readonly dataSource: DataSource,
    private readonly accounts: AccountsRepository,
    private readonly children: SubAccountsRepository,
    private readonly published: AccountChangedPublisher,
    private readonly audit: AuditLog,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** @param within runs in the transaction that makes the child */
  async execute<T>(
    order: CreateSubAccountOrder,
    within: (manager: EntityManager, child: SubAccountResource) => Promise<T>,
  ): Promise<T> {
    const { parentId, actor } = order;
    return this.dataSource.transaction(async (manager) => {
      // held, because a suspension of the parent that commits meanwhile would not reach this child
      const parent = await this.accounts.lock(manager, parentId);
      if (!parent) throw ApiErrors.invalidKey();
      const child = this.childOf(parent, order.input);
      await manager.insert(AccountEntity, child);
      await this.published.publish(manager, [child], parent);
      const { id, name, website, monthlyCredit } = child;
      await this.audit.record(manager, {
        actor,
        action: 'account.create',
        accountId: id,
        subjectId: id,
        details: { parent_account_id: parentId, name, website, monthly_credit: monthlyCredit },
      });
      const row = await this.children.find(manager, { parentId, childId: id });
      return within(manager, subAccountResource(row, NO_FIGURES));
    });
  }

  private childOf(parent: AccountEntity, input: CreateSubAccountBody): AccountEntity {
    const given = {
      parentAccountId: parent.id,
      name: input.name,
      website: input.website,
      // that of the parent is what counts, now and when it changes (KeyLookup)
      platformPartner: parent.platformPartner,
      monthlyCredit: input.monthly_credit ?? 0,
      ownerId: parent.ownerId,
    };
    return newAccount(given, this.settings, new Date());
  }
}
