import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { apiResponse, parseBody, ApiErrors, SYSTEM_ACCOUNT_ID, type ApiResponse } from '@postmesh/contracts';
import type { ApiCall } from '@postmesh/service-host';
import type { AccountSettings } from '../account-settings/account-settings.js';
import { AccountSettingsStore } from '../account-settings/account-settings.store.js';
import { lockForCreate } from '../sending-domain/domain-locks.js';
import { DomainErrors, refuseSuspended } from '../sending-domain/domain-errors.js';
import { domainResource, READ_ONLY_FIELDS } from '../sending-domain/domain.resource.js';
import { BannedDomains } from './banned-domains.js';
import { draftDomain } from './create-domain.rules.js';
import { CreateDomainBody } from './create-domain.schema.js';
import { DomainMaker } from './domain-maker.js';

const READ_ONLY = [...READ_ONLY_FIELDS, 'dsn_recipient'];

interface Wish {
  accountId: string;
  domain: string;
  account: Pick<AccountSettings, 'domainLimit'>;
}

@Injectable()
export class CreateDomainHandler {
  constructor(
    private readonly dataSource: DataSource,
    private readonly accounts: AccountSettingsStore,
    private readonly banned: BannedDomains,
    private readonly maker: DomainMaker,
  ) {}

  async execute(call: ApiCall): Promise<ApiResponse> {
    const body = parseBody(CreateDomainBody, call.body(), { readOnly: READ_ONLY });
    const { accountId } = call;
    const [account, isBanned] = await Promise.all([this.accounts.of(accountId), this.banned.current()]);
    const partner = call.principal.account.platform_partner;
    const draft = draftDomain(body, { partner, account, isBanned });
    refuseSuspended(call.principal);
    const wish = { accountId, domain: draft.domain, account };
    await refuseBefore(this.dataSource.manager, wish);
    const made = await this.maker.prepare(draft, accountId);
    return this.dataSource.transaction(async (manager) => {
      // two creates of one account at once must not pass the limit, nor make one domain twice
      await lockForCreate(manager, wish);
      await refuseBefore(manager, wish);
      await this.maker.insert(manager, made);
      const given = apiResponse(201, domainResource(made.domain, account.records));
      await call.remember(manager, given);
      return given;
    });
  }
}

interface Claims {
  taken: boolean;
  count: number;
  gone: boolean;
}

/**
 * @throws ApiError 401 when the account is deleted, 409 when it, or the service itself, has the domain, 403
 * when it has as many as it may
 */
async function refuseBefore(manager: EntityManager, { accountId, domain, account }: Wish): Promise<void> {
  const [claims]: Claims[] = await manager.query(
    `select exists(select from domains where domain = $2 and account_id in ($1, $3)) as taken,
            (select count(*)::int from domains where account_id = $1) as count,
            exists(select from deleted_accounts where account_id = $1) as gone`,
    [accountId, domain, SYSTEM_ACCOUNT_ID],
  );
  // a request that was let in before the account's end is answered like the next one will be
  if (claims?.gone) throw ApiErrors.invalidKey();
  if (claims?.taken) throw DomainErrors.exists();
  if ((claims?.count ?? 0) >= account.domainLimit) throw DomainErrors.limitReached();
}
