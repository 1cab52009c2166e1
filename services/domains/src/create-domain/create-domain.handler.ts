import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { answer, newId, parseBody, type Answer } from '@postmesh/contracts';
import { Outbox } from '@postmesh/outbox';
import { randomText } from '@postmesh/secrets';
import type { ApiCall } from '@postmesh/service-host';
import type { AccountSettings } from '../account-settings/account-settings.js';
import { AccountSettingsStore } from '../account-settings/account-settings.store.js';
import { DomainChecker } from '../check-dns/domain-checker.js';
import { DomainEntity } from '../database/entities/domain.entity.js';
import { DkimKeys, type NewDkimKey } from '../dkim-keys/dkim-keys.repository.js';
import { KeyGeneration } from '../dkim-keys/key-generation.js';
import { domainChanged, domainFacts } from '../sending-domain/domain-facts.rules.js';
import { DomainRefusals, refuseSuspended } from '../sending-domain/domain-refusals.js';
import { domainResource, READ_ONLY_FIELDS } from '../sending-domain/domain.resource.js';
import type { SendingDomain } from '../sending-domain/sending-domain.js';
import { BannedDomains } from './banned-domains.js';
import { draftDomain, newDomain, type DomainDraft } from './create-domain.rules.js';
import { CreateDomainBody } from './create-domain.schema.js';

// 80 bits: no token is ever guessed or met twice.
const TOKEN = { length: 16, alphabet: 'abcdefghijklmnopqrstuvwxyz234567' };
const READ_ONLY = [...READ_ONLY_FIELDS, 'dsn_recipient'];

interface NewDomain {
  domain: SendingDomain;
  keys: readonly NewDkimKey[];
  limit: number;
}

@Injectable()
export class CreateDomainHandler {
  constructor(
    private readonly dataSource: DataSource,
    private readonly outbox: Outbox,
    private readonly accounts: AccountSettingsStore,
    private readonly banned: BannedDomains,
    private readonly generation: KeyGeneration,
    private readonly keys: DkimKeys,
    private readonly checker: DomainChecker,
  ) {}

  async execute(call: ApiCall): Promise<Answer> {
    const body = parseBody(CreateDomainBody, call.body(), { readOnly: READ_ONLY });
    const [account, isBanned] = await Promise.all([this.accounts.of(call.accountId), this.banned.current()]);
    const partner = call.principal.account.platform_partner;
    const draft = draftDomain(body, { partner, account, isBanned });
    refuseSuspended(call.principal);
    await this.refuseBefore(this.dataSource.manager, { ...draft, accountId: call.accountId, account });
    const made = await this.prepare(call, draft, account);
    return this.dataSource.transaction(async (manager) => {
      await this.insert(manager, made);
      const given = answer(201, domainResource(made.domain, account.records));
      await call.remember(manager, given);
      return given;
    });
  }

  /** What takes long is done before the transaction: the key pairs and a look at the owner's SPF. */
  private async prepare(call: ApiCall, draft: DomainDraft, account: AccountSettings): Promise<NewDomain> {
    const [keys, publishedSpf] = await Promise.all([
      this.makeKeys(draft),
      this.checker.findPublishedSpf(draft.domain),
    ]);
    const token = randomText(TOKEN.length, TOKEN.alphabet);
    const about = { id: newId(), accountId: call.accountId, token, publishedSpf, now: new Date() };
    const public_keys = Object.fromEntries(keys.map((key) => [key.slot, key.publicKey]));
    return { domain: { ...newDomain(draft, about), public_keys }, keys, limit: account.domainLimit };
  }

  private async makeKeys(draft: DomainDraft): Promise<NewDkimKey[]> {
    if (draft.ownKey) return [{ ...draft.ownKey, slot: 1, own: true }];
    const slots = draft.dns_mode === 'managed' ? ([1, 2] as const) : ([1] as const);
    return Promise.all(slots.map(async (slot) => ({ ...(await this.generation.make()), slot, own: false })));
  }

  private async insert(manager: EntityManager, { domain, keys, limit }: NewDomain): Promise<void> {
    // two creates of one account at once must not pass the limit, nor make one domain twice
    await manager.query(`select pg_advisory_xact_lock(hashtext('domains of an account'), hashtext($1))`, [
      domain.account_id,
    ]);
    await this.refuseBefore(manager, {
      domain: domain.domain,
      accountId: domain.account_id,
      account: { domainLimit: limit },
    });
    const { records: _none, public_keys: _with_keys, ...row } = domain;
    await manager.insert(DomainEntity, row);
    await this.keys.insert(
      manager,
      { domainId: domain.id, activeSlot: domain.active_slot, now: domain.created_at },
      keys,
    );
    await this.outbox.add(manager, domainChanged(domainFacts(domain), domain.created_at));
  }

  /** @throws ApiError 409 when the account has the domain, 403 when it has as many as it may */
  private async refuseBefore(
    manager: EntityManager,
    about: { domain: string; accountId: string; account: Pick<AccountSettings, 'domainLimit'> },
  ): Promise<void> {
    const [state]: { taken: boolean; count: number }[] = await manager.query(
      `select exists(select from domains where account_id = $1 and domain = $2) as taken,
              (select count(*)::int from domains where account_id = $1) as count`,
      [about.accountId, about.domain],
    );
    if (state?.taken) throw DomainRefusals.exists();
    if ((state?.count ?? 0) >= about.account.domainLimit) throw DomainRefusals.limitReached();
  }
}
