import { Module } from '@nestjs/common';
import { MemberAudit } from './member-audit.js';
import { AuditNotes } from './audit-notes.js';

@Module({ providers: [AuditNotes, MemberAudit], exports: [MemberAudit] })
export class AuditModule {}
