import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { AccountId } from '@postmesh/contracts';
import { otherSlot, type SendingDomain } from '../database/entities.js';
import { effectiveSelector, slotSelector } from '../dns/dns-records.rules.js';
import type { AccountSettings } from '../domain-store/account-settings.js';
import { MANAGED_ZONE, type ManagedZone } from '../managed-zone/managed-zone.port.js';
import type { RotationFacts } from './dkim-rotation.rules.js';

/** Reads the inputs of a rotation in addition to the row of the domain. */
@Injectable()
export class RotationFactsStore {
  constructor(
    private readonly dataSource: DataSource,
    @Inject(MANAGED_ZONE) private readonly zone: ManagedZone,
  ) {}

  /** @param account its settings, read outside the caller's transaction, which holds a connection already */
  async of(
    domain: SendingDomain,
    account: AccountSettings,
    tx = this.dataSource.manager,
  ): Promise<RotationFacts> {
    return this.factsOf(domain, account, await this.keyTimes([domain], tx));
  }

  async ofMany(
    domains: readonly SendingDomain[],
    accountOf: (accountId: AccountId) => AccountSettings,
  ): Promise<{ domain: SendingDomain; facts: RotationFacts }[]> {
    const times = await this.keyTimes(domains, this.dataSource.manager);
    return domains.map((domain) => {
      return { domain, facts: this.factsOf(domain, accountOf(domain.accountId), times) };
    });
  }

  private factsOf(
    domain: SendingDomain,
    account: AccountSettings,
    times: ReadonlyMap<string, KeyTimes>,
  ): RotationFacts {
    const selector = effectiveSelector(domain, account.records.account);
    return {
      activeSince: times.get(domain.id)?.activeSince ?? domain.createdAt,
      standbyPublishedAt: this.zone.isWritten
        ? (times.get(domain.id)?.standbyPublishedAt ?? null)
        : undefined,
      intervalDays: domain.dkimRotationIntervalDays ?? account.dkimRotationDays,
      standbyHost: `${slotSelector(selector, otherSlot(domain.activeSlot))}._domainkey.${domain.domain}`,
    };
  }

  private async keyTimes(
    domains: readonly SendingDomain[],
    tx: EntityManager,
  ): Promise<ReadonlyMap<string, KeyTimes>> {
    const rows: (KeyTimes & { domainId: string })[] = await tx.query(
      `select d.id as "domainId", coalesce(active.activated_at, active.created_at) as "activeSince",
              standby.published_at as "standbyPublishedAt"
         from unnest($1::uuid[], $2::smallint[]) as d(id, slot)
         join dkim_keys active on active.domain_id = d.id and active.slot = d.slot
         left join dkim_keys standby on standby.domain_id = d.id and standby.slot <> d.slot`,
      [domains.map(({ id }) => id), domains.map(({ activeSlot }) => activeSlot)],
    );
    return new Map(rows.map((row) => [row.domainId, row]));
  }
}

type KeyTimes = Pick<RotationFacts, 'activeSince' | 'standbyPublishedAt'>;
