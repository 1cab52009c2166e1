import { Module } from '@nestjs/common';
import { AuditLog } from './audit-log.js';
import { AuditController } from './audit.controller.js';

@Module({ controllers: [AuditController], providers: [AuditLog], exports: [AuditLog] })
export class AuditModule {}
