import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { pageSql, type PageQuery, type PageRow } from '@postmesh/http';
import { WebhookEntity } from '../database/webhook.entity.js';
import type { WebhookFilters } from './webhook.schema.js';

export interface WebhookList {
  accountId: string;
  filters: WebhookFilters;
  /** only webhooks that cover one of these; undefined = all */
  domains: string[] | undefined;
}

/** Lists of webhooks. */
@Injectable()
export class WebhooksRepository {
  constructor(@InjectRepository(WebhookEntity) private readonly webhooks: Repository<WebhookEntity>) {}

  /** Newest first. */
  async page(list: WebhookList, page: PageQuery): Promise<(WebhookEntity & PageRow)[]> {
    const parameters: unknown[] = [list.accountId];
    const conditions = ['account_id = $1'];
    const { enabled, ...flags } = list.filters;
    if (enabled !== undefined) conditions.push(`enabled = $${parameters.push(enabled)}`);
    for (const [flag, wanted] of Object.entries(flags)) {
      conditions.push(`($${parameters.push(flag)} = any(events)) = $${parameters.push(wanted)}`);
    }
    if (list.domains) conditions.push(`domains && $${parameters.push(list.domains)}::text[]`);
    const query = pageSql(
      { text: `select * from webhooks where ${conditions.join(' and ')}`, parameters },
      page,
    );
    return this.webhooks.query(query.text, [...query.parameters]);
  }
}
