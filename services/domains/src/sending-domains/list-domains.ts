import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { BooleanParameter, type AccountId } from '@postmesh/contracts';
import { pageSql, toPage, type Page, type PageQuery, type PageRow, type Sql } from '@postmesh/http';
import { AccountSettingsStore } from '../domain-store/account-settings.js';
import { SendingDomains } from '../domain-store/sending-domains.repository.js';
import { domainResource, type DomainResource } from './domain.resource.js';

/** Filters of the list of domains in the query (spec 1-platform §11.3). */
export const ListDomainsQuery = z.object({
  dns_valid: BooleanParameter.optional().meta({
    description: 'Only domains whose required records are right, or are not.',
  }),
  sending_type: z
    .enum(['transactional', 'marketing'])
    .optional()
    .meta({ description: 'Only domains for this kind of mail.' }),
});
type Filters = z.infer<typeof ListDomainsQuery>;

interface ListDomainsCommand {
  accountId: AccountId;
  page: PageQuery;
  filters: Filters;
}

@Injectable()
export class ListDomains {
  constructor(
    private readonly dataSource: DataSource,
    private readonly domains: SendingDomains,
    private readonly accounts: AccountSettingsStore,
  ) {}

  async execute({ accountId, page, filters }: ListDomainsCommand): Promise<Page<DomainResource>> {
    const sql = pageSql(domainList(accountId, filters), page);
    const rows: PageRow[] = await this.dataSource.query(sql.text, [...sql.parameters]);
    const [found, { records }] = await Promise.all([
      this.domains.findMany(rows.map((row) => row.id)),
      this.accounts.of(accountId),
    ]);
    const byId = new Map<string, (typeof found)[number]>(found.map((domain) => [domain.id, domain]));
    const list = toPage(rows, page, (row) => byId.get(row.id));
    // one that was deleted between the two reads is left out, but counts for the end of the page
    const data = list.data.flatMap((domain) => (domain ? [domainResource({ domain, records })] : []));
    return { ...list, data };
  }
}

function domainList(accountId: AccountId, filters: Filters): Sql {
  const parameters: unknown[] = [accountId];
  let text = 'select id, created_at from domains where account_id = $1';
  if (filters.dns_valid !== undefined) {
    text += ` and state ${filters.dns_valid ? 'in' : 'not in'} ('valid', 'suspect')`;
  }
  if (filters.sending_type !== undefined) {
    parameters.push(filters.sending_type);
    text += ` and sending_type = $${parameters.length}`;
  }
  return { text, parameters };
}
