import { Controller, Get, Query } from '@nestjs/common';
import { DataSource, In } from 'typeorm';
import { pageSql, parsePageQuery, toPage, type PageRow } from '@postmesh/pagination';
import { Internal } from '@postmesh/service-host';
import { AuditEntryEntity } from '../database/entities/index.js';
import { auditEntries } from './audit-query.rules.js';
import { auditEntry } from './audit-entry.resource.js';

/** Who did what and when, newest first. */
@Controller('operator/audit')
@Internal()
export class OperatorAuditController {
  constructor(private readonly dataSource: DataSource) {}

  @Get()
  async list(@Query() query: Record<string, unknown>) {
    const page = parsePageQuery(query);
    const sql = pageSql(auditEntries(query), page);
    const rows: PageRow[] = await this.dataSource.query(sql.text, [...sql.parameters]);
    const found = await this.dataSource.manager.findBy(AuditEntryEntity, {
      id: In(rows.map((row) => row.id)),
    });
    const byId = new Map(found.map((entry) => [entry.id, entry]));
    return toPage(rows, page, ({ id }) => auditEntry(byId.get(id) as AuditEntryEntity));
  }
}
