import { Controller, Query } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { z } from 'zod';
import { ApiError, apiResponse, pageOf, Timestamp, type ApiResponse } from '@postmesh/contracts';
import { parsePageQuery, type PageQuery } from '@postmesh/http';
import { Call, Operation, query, type ApiCall } from '@postmesh/service-host';
import { entityPage, presentPage } from '../database/entity-page.js';
import { AuditChain } from './audit-chain.js';
import { AuditEntryEntity } from './audit-log.js';
import { auditEntries } from './audit-query.rules.js';

export const ADMINISTRATORS_ONLY = () =>
  new ApiError(403, 'only an Administrator of the account can read its audit');

/** The filters of the list: the same as for operators, without the account. */
export const AuditFilters = z.object({
  actor: z
    .string()
    .optional()
    .meta({ description: 'The id of a user or an API key, `operator` or `system`.' }),
  action: z.string().optional().meta({ description: '`api-key.create`; `api-key.*` = with any ending.' }),
  since: z.string().optional().meta({ description: 'A time, inclusive.' }),
  until: z.string().optional().meta({ description: 'A time, exclusive.' }),
});

export const AuditResource = z
  .object({
    id: z.uuid(),
    created_at: Timestamp,
    actor: z.object({
      type: z.enum(['member', 'api_key', 'operator', 'system']),
      id: z.string().nullable().meta({ description: 'Of the user or the key.' }),
      name: z
        .string()
        .nullable()
        .meta({ description: 'The address of the user or the label of the key; null: not known any more.' }),
    }),
    action: z.string(),
    subject_id: z.string().nullable(),
    details: z.record(z.string(), z.unknown()).meta({ description: 'Empty for actions of operators.' }),
    seq: z.number().int().nullable().meta({ description: 'Its number in the chain; null: not sealed yet.' }),
    hash: z.string().nullable().meta({ description: 'SHA-256 over the hash before it and its fields.' }),
  })
  .meta({ id: 'AuditEntry', description: 'One action on the account, and its author.' });
type AuditResource = z.infer<typeof AuditResource>;
export const AuditPage = pageOf(AuditResource);

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
    @Query(query(parsePageQuery, AuditFilters)) [page, filters]: [PageQuery, z.infer<typeof AuditFilters>],
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

const TYPES = { member: 'member', 'api-key': 'api_key', operator: 'operator', system: 'system' } as const;

function auditResource(entry: AuditEntryEntity, names: ReadonlyMap<string, string>): AuditResource {
  const isOurs = entry.actorKind === 'operator' || entry.actorKind === 'system';
  const id = isOurs ? null : entry.actorId;
  return {
    id: entry.id,
    created_at: entry.at.toISOString(),
    actor: { type: TYPES[entry.actorKind], id, name: (id && names.get(id)) ?? null },
    action: entry.action,
    subject_id: entry.subjectId,
    // operators may have noted what is not meant for the account
    details: entry.actorKind === 'operator' ? {} : entry.details,
    seq: entry.seq,
    hash: entry.hash?.toString('hex') ?? null,
  };
}
