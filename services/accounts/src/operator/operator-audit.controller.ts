import { Controller, Get, Query } from '@nestjs/common';
import { DataSource, In } from 'typeorm';
import { pageSql, parsePageQuery, toPage, type PageRow } from '@postmesh/pagination';
import { Internal } from '@postmesh/service-host';
import { AuditEntryEntity } from '../database/entities/index.js';
import { auditEntry } from './operator-account.resource.js';
import { readAccountId } from './operator-accounts.controller.js';

/** Who did what, newest first; of one account with `?account_id=`. */
@Controller('operator/audit')
@Internal()
export class OperatorAuditController {
  constructor(private readonly dataSource: DataSource) {}

  @Get()
  async list(@Query() query: Record<string, unknown>) {
    const page = parsePageQuery(query);
    const account =
      query['account_id'] === undefined ? undefined : readAccountId(String(query['account_id']));
    const sql = pageSql(entriesOf(account), page);
    const rows: PageRow[] = await this.dataSource.query(sql.text, [...sql.parameters]);
    const found = await this.dataSource.manager.findBy(AuditEntryEntity, {
      id: In(rows.map((row) => row.id)),
    });
    const byId = new Map(found.map((entry) => [entry.id, entry]));
    return toPage(rows, page, ({ id }) => auditEntry(byId.get(id) as AuditEntryEntity));
  }
}

function entriesOf(account: string | undefined) {
  const all = 'select id, at as created_at from audit_entries';
  return account === undefined
    ? { text: all, parameters: [] }
    : { text: `${all} where account_id = $1`, parameters: [account] };
}
