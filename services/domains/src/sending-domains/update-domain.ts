import { Injectable } from '@nestjs/common';
import { databaseNow } from '@postmesh/database';
import { DataSource, In, type EntityManager } from 'typeorm';
import type { Principal } from '@postmesh/contracts';
import { DnsRecordVerdict, type SendingDomain } from '../database/entities.js';
import { DkimKeys } from '../dkim-keys/dkim-keys.repository.js';
import type { KeyPair } from '../dkim-keys/key-pairs.js';
import { AccountSettingsStore } from '../domain-store/account-settings.js';
import { SendingDomains } from '../domain-store/sending-domains.repository.js';
import { untilFactsExpire } from '../domain-store/until-facts-expire.js';
import { DomainErrors, requireActive } from './domain-errors.js';
import type { DomainResult } from './domain.resource.js';
import {
  changeDomain,
  forgetChangedRecords,
  readChange,
  type ChangeContext,
  type ChangedDomain,
  type DomainChange,
  type UpdateDomainInput,
} from './update-domain.rules.js';

interface UpdateDomainCommand {
  principal: Principal;
  /** normalised */
  domain: string;
  input: UpdateDomainInput;
}

/** The owner's changes of a domain (spec 1-platform §11.3 PUT). */
@Injectable()
export class UpdateDomain {
  constructor(
    private readonly dataSource: DataSource,
    private readonly accounts: AccountSettingsStore,
    private readonly domains: SendingDomains,
    private readonly keys: DkimKeys,
  ) {}

  /** @throws ApiError 400, 403 or 404; nothing is stored then */
  async execute({ principal, domain: name, input }: UpdateDomainCommand): Promise<DomainResult> {
    const { platform_partner: partner } = principal.account;
    const change = readChange(input, partner);
    const found = await this.domains.find(principal.account_id, name);
    if (!found) throw DomainErrors.notFound();
    requireActive(principal);
    const { records } = await this.accounts.of(principal.account_id);
    const { before, domain } = await this.dataSource.transaction(async (tx) => {
      const locked = await this.domains.lock(tx, found.id);
      if (!locked) throw DomainErrors.notFound();
      const context = { partner, records, now: await databaseNow(tx) };
      return { before: locked, domain: await this.apply(tx, locked, change, context) };
    });
    await untilFactsExpire(before, domain);
    return { domain, records };
  }

  /** @param before locked: the second of two concurrent changes is judged by the result of the first */
  private async apply(
    tx: EntityManager,
    before: SendingDomain,
    change: DomainChange,
    context: ChangeContext,
  ): Promise<SendingDomain> {
    const changed = changeDomain(before, change, context);
    if (!changed) return before;
    const { newKey } = changed;
    const stored = newKey ? await this.storeKey(tx, before, { ...changed, newKey }) : changed.after;
    const { after, forgotten } = forgetChangedRecords(before, stored, context.records);
    if (forgotten.length > 0) await tx.delete(DnsRecordVerdict, { domainId: before.id, kind: In(forgotten) });
    await this.domains.update(tx, before, after);
    return after;
  }

  /** The old key signs until a check has seen the record of the new one, so one is due at once. */
  private async storeKey(
    tx: EntityManager,
    before: SendingDomain,
    { after, newKey }: ChangedDomain & { newKey: KeyPair },
  ): Promise<SendingDomain> {
    const publicKeys = await this.keys.replaceOwn(tx, before, newKey);
    return { ...after, publicKeys, nextCheckAt: after.updatedAt };
  }
}
