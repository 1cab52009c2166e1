import { Controller, Query } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { apiResponse, type ApiResponse } from '@postmesh/contracts';
import { parsePageQuery, type PageQuery } from '@postmesh/http';
import { Call, Operation, query, type ApiCall } from '@postmesh/service-host';
import { entityPage, presentPage } from '../database/entity-page.js';
import { AuditChain } from './audit-chain.js';
import { AuditEntryEntity } from './audit-log.js';
import { auditEntries } from './audit-query.rules.js';
import { ADMINISTRATORS_ONLY, AuditFilters, auditResource } from './audit.schema.js';

/** The audit of an account for its Administrators. */
@Controller()
export class ConsoleAuditController {
  constructor(
    @InjectRepository(AuditEntryEntity) private readonly entries: Repository<AuditEntryEntity>,
    private readonly chain: AuditChain,
  ) {}

  /** Newest first. @throws ApiError 403 */
  @Operation('audit.list')
  async list(
    @Call() { principal }: ApiCall,
    @Query(query(parsePageQuery, AuditFilters)) [page, filters]: [PageQuery, AuditFilters],
  ): Promise<ApiResponse> {
    if (principal.member?.role !== 'Administrator') throw ADMINISTRATORS_ONLY();
    await this.chain.seal();
    const list = auditEntries({ ...filters, account_id: principal.account_id });
    const found = await entityPage(this.entries, { list, page });
    const names = await this.namesOf(found.data.map(({ entity }) => entity));
    return apiResponse(
      200,
      presentPage(found, ({ entity }) => auditResource(entity, names)),
    );
  }

  /** Addresses of users and labels of keys by their ids. */
  private async namesOf(entries: readonly AuditEntryEntity[]): Promise<Map<string, string>> {
    const idsOf = (kind: AuditEntryEntity['actorKind']) =>
      entries.flatMap(({ actorKind, actorId }) => (actorKind === kind && actorId ? [actorId] : []));
    const rows: { id: string; name: string }[] = await this.entries.query(
      `select id, email as name from users where id = any($1::uuid[])
       union all select id, label from api_keys where id = any($2::uuid[])`,
      [idsOf('member'), idsOf('api-key')],
    );
    return new Map(rows.map(({ id, name }) => [id, name]));
  }
}
