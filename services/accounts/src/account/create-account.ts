import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { AccountId, newId, type UserId } from '@postmesh/contracts';
import { Outbox } from '@postmesh/events';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { AuditLog, type Actor } from '../audit/audit-log.js';
import { findOrCreateUser, MemberEntity } from '../members/people.js';
import { AccountEntity } from './account.entity.js';
import { accountChanged } from './account-state.rules.js';

export interface CreateAccountCommand {
  name: string;
  website: string;
  /** normalised address of the person who owns the account; an unknown one becomes a user */
  owner: { email: string; name: string };
  actor: Actor;
}

/** The given fields of a new account; all others are defaults. */
export interface NewAccount {
  parent?: AccountEntity;
  name: string;
  website: string;
  monthlyCredit: number;
  ownerId: UserId;
}

/** Creates accounts: top-level ones with their owner, and the row, event and audit entry of any account. */
@Injectable()
export class CreateAccount {
  constructor(
    private readonly dataSource: DataSource,
    private readonly outbox: Outbox,
    private readonly audit: AuditLog,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** A top-level account, whose owner is its first Administrator. */
  execute(
    { name, website, owner, actor }: CreateAccountCommand,
    manager: EntityManager = this.dataSource.manager,
  ): Promise<AccountEntity> {
    return manager.transaction(async (tx) => {
      const { user } = await findOrCreateUser(tx, owner);
      const given = { name, website, monthlyCredit: 0, ownerId: user.id };
      const account = await this.insert(tx, given, actor);
      const { id: accountId, createdAt, updatedAt } = account;
      const member = { accountId, userId: user.id, createdAt, updatedAt };
      await tx.insert(MemberEntity, { ...member, role: 'Administrator' });
      return account;
    });
  }

  /** Runs in the caller's transaction, which has locked the parent, if any. */
  async insert(manager: EntityManager, given: NewAccount, actor: Actor): Promise<AccountEntity> {
    const account = newAccount(given, this.settings);
    await manager.insert(AccountEntity, account);
    await this.outbox.add(manager, [accountChanged(account, given.parent)]);
    const { id, name, website, monthlyCredit, parentAccountId } = account;
    await this.audit.record(manager, {
      actor,
      action: 'account.create',
      accountId: id,
      subjectId: id,
      details:
        parentAccountId === null
          ? { name }
          : { parent_account_id: parentAccountId, name, website, monthly_credit: monthlyCredit },
    });
    return account;
  }
}

/** A new account (spec 1-platform §7): active, with the defaults of every new account. */
function newAccount({ parent, ...given }: NewAccount, settings: Settings): AccountEntity {
  const now = new Date();
  return {
    ...given,
    id: AccountId.parse(newId()),
    parentAccountId: parent?.id ?? null,
    // a sub-account's own flag is not used: look-ups read that of its parent (KeyLookup)
    platformPartner: parent?.platformPartner ?? settings.platformPartner,
    about: '',
    trackOpens: false,
    trackClicks: false,
    rejectBadRecipients: false,
    rejectMistypedRecipients: false,
    messageMetadataRetention: settings.retentionMetadataDays,
    messageDataRetention: settings.retentionDataDays,
    rateLimits: null,
    suspendedAt: null,
    suspendedBy: null,
    suspensionReason: null,
    parentSuspension: null,
    blockedAt: null,
    blockReason: null,
    deletedAt: null,
    revision: 1,
    createdAt: now,
    updatedAt: now,
  };
}
