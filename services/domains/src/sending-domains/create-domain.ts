import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { ApiErrors, type Principal } from '@postmesh/contracts';
import { DomainListFile, isListedOrBelow } from '@postmesh/mail-format';
import type { Logger } from '@postmesh/observability';
import { forgetResult, LOGGER, SETTINGS, type Remember } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import type { SendingDomain } from '../database/entities.js';
import { AccountSettingsStore, type AccountSettings } from '../domain-store/account-settings.js';
import { SendingDomains } from '../domain-store/sending-domains.repository.js';
import { draftDomain, type CreateDomainInput } from './create-domain.rules.js';
import { DomainErrors, requireActive } from './domain-errors.js';
import type { DomainResult } from './domain.resource.js';
import { NewDomains } from './new-domains.js';

/**
 * The operator's ban list: `POSTMESH_BANNED_DOMAINS_FILE`. A listed name also bans all names below it, which would
 * otherwise circumvent the list.
 */
@Injectable()
export class BannedDomains implements OnApplicationBootstrap {
  private readonly list: DomainListFile | undefined;

  constructor(@Inject(SETTINGS) { bannedDomainsFile }: Settings, @Inject(LOGGER) logger: Logger) {
    if (bannedDomainsFile === undefined) return;
    this.list = new DomainListFile(bannedDomainsFile, {
      onTrouble: (err) =>
        logger.error(
          { event: 'ban_list.read_failed', err },
          'reading the ban list failed, the last one stays in force',
        ),
    });
  }

  /** @throws Error when the file cannot be read, so that no process starts without the operator's rules */
  async onApplicationBootstrap(): Promise<void> {
    await this.list?.load();
  }

  /** @returns whether a name is on the current list */
  async current(): Promise<(domain: string) => boolean> {
    const names = await this.list?.current();
    return (domain) => names !== undefined && isListedOrBelow(names, domain);
  }
}

interface CreateDomainCommand {
  principal: Principal;
  input: CreateDomainInput;
}

/** Adds a domain to an account (spec 1-platform §11.3). */
@Injectable()
export class CreateDomain {
  constructor(
    private readonly dataSource: DataSource,
    private readonly accounts: AccountSettingsStore,
    private readonly banned: BannedDomains,
    private readonly domains: SendingDomains,
    private readonly newDomains: NewDomains,
  ) {}

  async execute(
    { principal, input }: CreateDomainCommand,
    remember: Remember<DomainResult> = forgetResult,
  ): Promise<DomainResult> {
    const accountId = principal.account_id;
    const [account, isBanned] = await Promise.all([this.accounts.of(accountId), this.banned.current()]);
    const partner = principal.account.platform_partner;
    const draft = draftDomain(input, { partner, account, isBanned });
    requireActive(principal);
    const wanted = { accountId, domain: draft.domain };
    await this.requireFree(this.dataSource.manager, wanted, account);
    const prepared = await this.newDomains.prepare(draft, accountId);
    const result = { domain: prepared.domain, records: account.records };
    await this.dataSource.transaction(async (tx) => {
      // two concurrent creates of one account must not exceed the limit, nor make one domain twice
      await this.domains.lockForCreate(tx, accountId, draft.domain);
      await this.requireFree(tx, wanted, account);
      await this.newDomains.insert(tx, prepared);
      await remember(tx, result);
    });
    this.newDomains.publish(prepared);
    return result;
  }

  /**
   * @throws ApiError 401 when the account is deleted, 409 when it, or the service itself, has the domain, 403
   * when it has reached its limit
   */
  private async requireFree(
    tx: EntityManager,
    { accountId, domain }: Pick<SendingDomain, 'accountId' | 'domain'>,
    { domainLimit }: AccountSettings,
  ): Promise<void> {
    const { accountDeleted, taken, count } = await this.domains.claims(tx, accountId, domain);
    // a request from before the account's end gets the same error as the next one
    if (accountDeleted) throw ApiErrors.invalidKey();
    if (taken) throw DomainErrors.exists();
    if (count >= domainLimit) throw DomainErrors.limitReached();
  }
}
