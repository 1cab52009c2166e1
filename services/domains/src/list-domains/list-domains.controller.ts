import { Controller } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { apiResponse, type ApiResponse } from '@postmesh/contracts';
import { pageSql, parsePageQuery, toPage, type PageRow } from '@postmesh/pagination';
import { ApiCall, Call, Operation } from '@postmesh/service-host';
import { AccountSettingsStore } from '../account-settings/account-settings.store.js';
import { domainResource } from '../sending-domain/domain.resource.js';
import { SendingDomains } from '../sending-domain/sending-domains.repository.js';
import { domainList } from './list-domains.rules.js';

@Controller()
export class ListDomainsController {
  constructor(
    private readonly dataSource: DataSource,
    private readonly domains: SendingDomains,
    private readonly accounts: AccountSettingsStore,
  ) {}

  @Operation('domains.list')
  async list(@Call() call: ApiCall): Promise<ApiResponse> {
    const page = parsePageQuery(call.query);
    const sql = pageSql(domainList(call.accountId, call.query), page);
    const rows: PageRow[] = await this.dataSource.query(sql.text, [...sql.parameters]);
    const [found, { records }] = await Promise.all([
      this.domains.findMany(rows.map((row) => row.id)),
      this.accounts.of(call.accountId),
    ]);
    const byId = new Map(found.map((domain) => [domain.id, domain]));
    const list = toPage(rows, page, (row) => byId.get(row.id));
    // one that was deleted between the two reads is left out, but counts for where the page ends
    const data = list.data.flatMap((domain) => (domain ? [domainResource(domain, records)] : []));
    return apiResponse(200, { ...list, data });
  }
}
