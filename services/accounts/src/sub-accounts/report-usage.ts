import { Inject, Injectable } from '@nestjs/common';
import { FamilyUsage, Transient, type AccountId } from '@postmesh/contracts';
import { InternalClient } from '@postmesh/internal-http';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { SubAccountsRepository } from './sub-accounts.repository.js';
import { billingPeriod, usageReport } from './usage-report.rules.js';
import type { SubAccountUsage } from './sub-account.schema.js';

/** Reports the usage of a parent and its children in the current period. */
@Injectable()
export class ReportUsage {
  constructor(
    private readonly children: SubAccountsRepository,
    private readonly client: InternalClient,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** @throws Transient when the counts cannot be read */
  async execute(parentId: AccountId, now: Date): Promise<SubAccountUsage> {
    const period = billingPeriod(now);
    // first the counts, then the children: a child created in between has sent nothing yet
    const used = await this.askUsage(parentId, period.month);
    const children = await this.children.names(parentId);
    const { pricePerMessage: perMessage, currency } = this.settings;
    return usageReport({ period, parentId, children, used }, { perMessage, currency });
  }

  private async askUsage(parentId: AccountId, month: string): Promise<Map<string, number>> {
    const path = `/internal/accounts/${parentId}/usage?period=${month}`;
    const response = await this.client.request('messages', { method: 'GET', path }, FamilyUsage);
    if (!response) throw new Transient('messages does not know of usage');
    return new Map(response.usage.map((one) => [one.account_id, one.reception_count]));
  }
}
