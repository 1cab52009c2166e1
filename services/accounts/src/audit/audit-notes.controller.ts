import { Body, Controller, Param, Post } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AuditNote, AuditOutcome, ApiErrors, Uuid, type AuditNoteResponse } from '@postmesh/contracts';
import { Internal } from '@postmesh/service-host';
import { parseInternal } from '../internal-requests/parse-internal.js';
import { AuditLog } from './audit-log.js';

/** Deeds of operators in services that keep no audit: noted before they are done, completed after. */
@Controller('internal/audit')
@Internal()
export class AuditNotesController {
  constructor(
    private readonly dataSource: DataSource,
    private readonly audit: AuditLog,
  ) {}

  @Post()
  async begin(@Body() body: unknown): Promise<AuditNoteResponse> {
    const note = parseInternal(AuditNote, body);
    const id = await this.audit.begin(this.dataSource.manager, {
      actor: { kind: 'operator', id: note.operator },
      action: note.action,
      accountId: note.account_id,
      subjectId: note.subject_id,
      details: note.details,
    });
    return { id };
  }

  /** Asked twice (the answer was lost), the first outcome stays. */
  @Post(':audit_id/outcome')
  async end(@Param('audit_id') id: string, @Body() body: unknown): Promise<AuditNoteResponse> {
    const entry = Uuid.safeParse(id);
    if (!entry.success) throw ApiErrors.invalidParameter('audit_id');
    const { status } = parseInternal(AuditOutcome, body);
    const known = await this.audit.end(this.dataSource.manager, entry.data, status);
    if (!known) throw ApiErrors.notFound('audit entry');
    return { id: entry.data };
  }
}
