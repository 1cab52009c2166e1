import { Module } from '@nestjs/common';
import { AuditNotes } from './audit-notes.js';
import { CallerAudit } from './caller-audit.js';

@Module({ providers: [AuditNotes, CallerAudit], exports: [CallerAudit] })
export class AuditModule {}
