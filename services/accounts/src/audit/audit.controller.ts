import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { AccountId, ApiErrors, AuditNote, AuditOutcome, type AuditNoteResponse } from '@postmesh/contracts';
import { parsePageQuery, type PageQuery, type Sql } from '@postmesh/pagination';
import { Internal, query, uuidParam } from '@postmesh/service-host';
import { entityPage, presentPage } from '../database/entity-page.js';
import { internalBody } from '../internal-requests/internal-body.js';
import { AuditEntryEntity, AuditLog, operatorActor } from './audit-log.js';
import { auditEntries } from './audit-query.rules.js';

/** The audit in the operator interface, and for services that keep none. */
@Controller()
@Internal()
export class AuditController {
  constructor(
    @InjectRepository(AuditEntryEntity) private readonly entries: Repository<AuditEntryEntity>,
    private readonly audit: AuditLog,
  ) {}

  /** Who did what and when, newest first. */
  @Get('operator/audit')
  async list(@Query(query(parsePageQuery)) page: PageQuery, @Query(query(auditEntries)) list: Sql) {
    const entries = await entityPage(this.entries, { list, page });
    return presentPage(entries, ({ entity }) => auditEntry(entity));
  }

  /** What an operator is about to do in a service that keeps no audit. */
  @Post('internal/audit')
  async begin(@Body(internalBody(AuditNote)) note: AuditNote): Promise<AuditNoteResponse> {
    const id = await this.audit.begin(this.entries.manager, {
      actor: operatorActor(note.operator),
      action: note.action,
      accountId: AccountId.nullable().parse(note.account_id),
      subjectId: note.subject_id,
      details: note.details,
    });
    return { id };
  }

  /** Asked twice (the response was lost), the first outcome stays. */
  @Post('internal/audit/:audit_id/outcome')
  async end(
    @uuidParam('audit_id') id: string,
    @Body(internalBody(AuditOutcome)) { status }: AuditOutcome,
  ): Promise<AuditNoteResponse> {
    if (!(await this.audit.end(this.entries.manager, id, status))) throw ApiErrors.notFound('audit entry');
    return { id };
  }
}

// `operator` is the one whose token the settings name; it was the only one, and without a name, at first.
const FIRST = new Set([null, 'operator']);

function auditEntry(entry: AuditEntryEntity) {
  const isFirst = entry.actorKind === 'operator' && FIRST.has(entry.actorId);
  return {
    id: entry.id,
    at: entry.at.toISOString(),
    actor: isFirst || entry.actorId === null ? entry.actorKind : `${entry.actorKind} ${entry.actorId}`,
    action: entry.action,
    account_id: entry.accountId,
    subject_id: entry.subjectId,
    details: entry.details,
  };
}
