import { Inject, Injectable } from '@nestjs/common';
import type { AccountId } from '@postmesh/contracts';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { FiguresForOlderGateways } from './figures-for-older-gateways.js';
import { SubAccountsRepository } from './sub-accounts.repository.js';
import { billingPeriod, usageReport, type BillingPeriod } from './usage-report.rules.js';
import type { SubAccountUsage } from './sub-account.schema.js';

const NOTHING_USED: ReadonlyMap<string, number> = new Map();

/** Reports the usage of a parent and its children in a period. */
@Injectable()
export class ReportUsage {
  constructor(
    private readonly children: SubAccountsRepository,
    private readonly older: FiguresForOlderGateways,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * @param now in the period of the report
   * @param later the gateway counts what was used, and requests the report again with it
   * @throws Transient when the counts cannot be read
   */
  async execute(parentId: AccountId, now: Date, { later }: { later: boolean }): Promise<SubAccountUsage> {
    const period = billingPeriod(now);
    const used = later ? NOTHING_USED : await this.older.usage(parentId, period.month);
    return this.of(parentId, period, used);
  }

  /** @param used by account, counted before the children are read: a child created in between has sent nothing yet */
  async of(
    parentId: AccountId,
    period: BillingPeriod,
    used: ReadonlyMap<string, number>,
  ): Promise<SubAccountUsage> {
    const children = await this.children.names(parentId);
    const { pricePerMessage: perMessage, currency } = this.settings;
    return usageReport({ period, parentId, children, used }, { perMessage, currency });
  }
}
