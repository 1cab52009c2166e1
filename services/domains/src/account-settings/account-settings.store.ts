import { Inject, Injectable } from '@nestjs/common';
import { DataSource, In } from 'typeorm';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { AccountSettingsEntity } from '../database/entities/account-settings.entity.js';
import { effectiveSettings, type AccountSettings } from './account-settings.js';

/** What the operator has said about accounts, as far as their domains are concerned. */
@Injectable()
export class AccountSettingsStore {
  constructor(
    private readonly dataSource: DataSource,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async of(accountId: string): Promise<AccountSettings> {
    const row = await this.dataSource.manager.findOneBy(AccountSettingsEntity, { account_id: accountId });
    return effectiveSettings(row ?? undefined, this.defaults);
  }

  /** @param accountIds all accounts when left out */
  async ofMany(accountIds?: readonly string[]): Promise<(accountId: string) => AccountSettings> {
    const where = accountIds === undefined ? {} : { account_id: In([...new Set(accountIds)]) };
    const rows = await this.dataSource.manager.findBy(AccountSettingsEntity, where);
    const known = new Map(rows.map((row) => [row.account_id, effectiveSettings(row, this.defaults)]));
    const usual = effectiveSettings(undefined, this.defaults);
    return (accountId) => known.get(accountId) ?? usual;
  }

  /** @param change fields that are not named stay as they are */
  async change(accountId: string, change: Partial<AccountSettingsEntity>): Promise<AccountSettingsEntity> {
    const { manager } = this.dataSource;
    const values = { account_id: accountId, ...change, updated_at: new Date() };
    await manager.upsert(AccountSettingsEntity, values, ['account_id']);
    return manager.findOneByOrFail(AccountSettingsEntity, { account_id: accountId });
  }

  private get defaults() {
    const { dnsMode, domainLimit, serviceZone } = this.settings;
    return { dnsMode, domainLimit, serviceZone };
  }
}
