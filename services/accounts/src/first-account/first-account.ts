import { Inject, Injectable } from '@nestjs/common';
import { DataSource, IsNull, type EntityManager } from 'typeorm';
import { AccountId, WILDCARD_SCOPE } from '@postmesh/contracts';
import { Pepper } from '@postmesh/secrets';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { AccountEntity } from '../account/account.entity.js';
import { CreateAccount } from '../account/create-account.js';
import { CreateApiKey } from '../api-keys/create-api-key.js';
import { AuditEntryEntity, SYSTEM } from '../audit/audit-log.js';
import { KeyLookup } from '../key-lookup/key-lookup.js';
import { SignInLinks } from '../sign-in/sign-in-links.js';

export interface FirstAccountCredentials {
  account_id: string;
  /** the secret of a new key; it cannot be read again */
  api_key: string;
}

// Held while one process checks for an account: two processes would make one each.
const FIRST_ACCOUNT_LOCK = 727_003;
const NAME = 'Postmesh';

/** Bootstraps an installation: an account and a key with every scope (architecture §5 item 1). */
@Injectable()
export class FirstAccount {
  constructor(
    private readonly dataSource: DataSource,
    private readonly accounts: CreateAccount,
    private readonly keys: CreateApiKey,
    private readonly lookup: KeyLookup,
    private readonly pepper: Pepper,
    private readonly links: SignInLinks,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** Whether the key exists. A key of a blocked account does: a blocked account gets no other key. */
  async isKnown(secret: string): Promise<boolean> {
    const { keys } = await this.lookup.find(this.pepper.candidates(secret));
    const to = this.pepper.hash(secret).toString('base64');
    await this.lookup.rehash(keys.map(({ hash: from }) => ({ from, to, pepper_id: this.pepper.keyId })));
    return keys.length > 0;
  }

  /**
   * Makes a key with every scope for the account of an earlier first start, and that account when it does not
   * exist. To be called when no key is known: at the first start, or when a crash lost the first key before it
   * was stored. An account that was made in another way never gets such a key.
   */
  async create(): Promise<FirstAccountCredentials> {
    return this.dataSource.transaction(async (manager) => {
      await manager.query('select pg_advisory_xact_lock($1)', [FIRST_ACCOUNT_LOCK]);
      const account = (await this.ownAccount(manager)) ?? (await this.createAccount(manager));
      return { account_id: account.id, api_key: await this.createKey(manager, account) };
    });
  }

  /**
   * A link that signs the owner of an account in once, for the person who has started the process.
   * @returns undefined when there is no such account any more
   */
  async signInLink(accountId: string): Promise<string | undefined> {
    return this.dataSource.transaction(async (manager) => {
      const account = await manager.findOneBy(AccountEntity, {
        id: AccountId.parse(accountId),
        deletedAt: IsNull(),
      });
      if (!account) return undefined;
      const given = { userId: account.ownerId, way: 'operator', accountId: account.id } as const;
      return (await this.links.make(manager, given)).url;
    });
  }

  private ownAccount(manager: EntityManager): Promise<AccountEntity | null> {
    return manager
      .createQueryBuilder(AccountEntity, 'account')
      .innerJoin(
        AuditEntryEntity,
        'made',
        `made.account_id = account.id and made.action = 'account.create' and made.actor_kind = 'system'`,
      )
      .where('account.deletedAt is null and account.parentAccountId is null')
      .orderBy('account.createdAt', 'ASC')
      .addOrderBy('account.id', 'ASC')
      .limit(1)
      .getOne();
  }

  private createAccount(manager: EntityManager): Promise<AccountEntity> {
    const owner = { email: `postmaster@${this.settings.serviceZone}`, name: 'Postmaster' };
    return this.accounts.execute({ name: NAME, website: '', owner, actor: SYSTEM }, manager);
  }

  private async createKey(manager: EntityManager, account: AccountEntity): Promise<string> {
    const given = {
      accountId: account.id,
      label: 'First key',
      scopes: [{ scope: WILDCARD_SCOPE, domainId: null }],
      ipAllowList: [],
      createdBy: account.ownerId,
    };
    return (await this.keys.insert(manager, given, SYSTEM)).secret;
  }
}
