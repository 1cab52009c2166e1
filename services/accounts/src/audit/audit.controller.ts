import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { AccountId, ApiErrors } from '@postmesh/contracts';
import {
  AuditNote,
  AuditOutcome,
  KeyAuditNote,
  type AuditNoteResponse,
  type KeyAuditNoteResponse,
} from '@postmesh/accounts-contract';
import { parsePageQuery, type PageQuery, type Sql } from '@postmesh/http';
import { Internal, query, uuidParam } from '@postmesh/service-host';
import { entityPage, presentPage } from '../database/entity-page.js';
import { internalBody } from '../internal-requests/internal-body.js';
import { AuditChain, ChainQuery, type ChainReport } from './audit-chain.js';
import { AuditEntryEntity, AuditLog, memberActor, operatorActor } from './audit-log.js';
import { auditEntries } from './audit-query.rules.js';
import { KeyAudit } from './key-audit.js';

/** The audit in the operator interface, and for services without an audit of their own. */
@Controller()
@Internal()
export class AuditController {
  constructor(
    @InjectRepository(AuditEntryEntity) private readonly entries: Repository<AuditEntryEntity>,
    private readonly audit: AuditLog,
    private readonly chain: AuditChain,
    private readonly keys: KeyAudit,
  ) {}

  /** Audit entries, newest first. */
  @Get('operator/audit')
  async list(@Query(query(parsePageQuery, auditEntries)) [page, list]: [PageQuery, Sql]) {
    await this.chain.seal();
    const entries = await entityPage(this.entries, { list, page });
    return presentPage(entries, ({ entity }) => auditEntry(entity));
  }

  /** Recomputes the chain, a part at a time. */
  @Get('operator/audit/chain')
  async verify(@Query(query(ChainQuery)) given: ChainQuery): Promise<ChainReport> {
    if (given.after === 0) await this.chain.seal();
    return this.chain.verify(given);
  }

  /** Begins the entry of an action of an operator or a member in a service without an audit. */
  @Post('internal/audit')
  async begin(@Body(internalBody(AuditNote)) note: AuditNote): Promise<AuditNoteResponse> {
    const id = await this.audit.begin(this.entries.manager, {
      actor: note.member === undefined ? operatorActor(note.operator) : memberActor(note.member),
      action: note.action,
      accountId: AccountId.nullable().parse(note.account_id),
      subjectId: note.subject_id,
      details: note.details,
    });
    return { id };
  }

  /** Begins the entry of a change by an API key there. */
  @Post('internal/audit/keys')
  async beginForKey(@Body(internalBody(KeyAuditNote)) note: KeyAuditNote): Promise<KeyAuditNoteResponse> {
    return { id: await this.keys.begin(note) };
  }

  /** A repeated request (its response was lost) keeps the first outcome. */
  @Post('internal/audit/:audit_id/outcome')
  async end(
    @uuidParam('audit_id') id: string,
    @Body(internalBody(AuditOutcome)) { status }: AuditOutcome,
  ): Promise<AuditNoteResponse> {
    if (!(await this.audit.end(this.entries.manager, id, status))) throw ApiErrors.notFound('audit entry');
    return { id };
  }
}

// `operator` is the holder of POSTMESH_OPERATOR_TOKEN; in early releases it was the only one, and had no name.
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
    seq: entry.seq,
    hash: entry.hash?.toString('hex') ?? null,
  };
}
