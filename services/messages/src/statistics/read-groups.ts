import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { AccountId } from '@postmesh/contracts';
import { GroupedCounters, MAX_GROUPS, type GroupSums } from './grouped-counters.js';
import type { ProviderFigures, TemplateFigures } from './statistics-groups.resource.js';
import type { StatisticsCommand } from './read-statistics.js';
import { deliverabilityCounts } from './statistics.resource.js';
import { authorisedDomains } from './statistics-query.rules.js';

/** Figures by template and by mailbox provider, for the console. */
@Injectable()
export class ReadGroups {
  constructor(
    private readonly counters: GroupedCounters,
    private readonly dataSource: DataSource,
  ) {}

  /** @throws ApiError 400 or 403 for a sending domain */
  async templates(command: StatisticsCommand): Promise<TemplateFigures> {
    const { shown, isCut } = await this.read('templates', command);
    const names = await this.namesOf(
      command.principal.account_id,
      shown.map(({ subject }) => subject),
    );
    return {
      object: 'list',
      is_cut: isCut,
      data: shown.map((sums) => ({
        template_id: sums.subject,
        name: names.get(sums.subject) ?? null,
        ...deliverabilityCounts(sums),
        complaint_count: sums.complained,
      })),
    };
  }

  /** @throws ApiError 400 or 403 for a sending domain */
  async providers(command: StatisticsCommand): Promise<ProviderFigures> {
    const { shown, isCut } = await this.read('providers', command);
    return {
      object: 'list',
      is_cut: isCut,
      data: shown.map((sums) => ({
        provider: sums.subject,
        delivered_count: sums.delivered,
        deferred_count: sums.deferred,
        bounced_count: sums.bounced,
        failed_count: sums.failed,
        avg_delivery_time: sums.delivered === 0 ? 0 : Math.round(sums.deliveryMs / sums.delivered) / 1_000,
      })),
    };
  }

  private async read(
    detail: 'templates' | 'providers',
    { principal, query: { range, senderDomains } }: StatisticsCommand,
  ): Promise<{ shown: GroupSums[]; isCut: boolean }> {
    const groups = await this.counters.read(detail, {
      accountId: principal.account_id,
      range,
      senderDomains: authorisedDomains(principal, senderDomains),
    });
    return { shown: groups.slice(0, MAX_GROUPS), isCut: groups.length > MAX_GROUPS };
  }

  /** A deleted template has its name until it is purged. */
  private async namesOf(accountId: AccountId, ids: readonly string[]): Promise<Map<string, string>> {
    if (ids.length === 0) return new Map();
    const rows: { id: string; name: string }[] = await this.dataSource.query(
      'select id, name from templates where id = any($1::uuid[]) and account_id = $2',
      [ids, accountId],
    );
    return new Map(rows.map(({ id, name }) => [id, name]));
  }
}
