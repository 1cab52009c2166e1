import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditEntryEntity, AuditLog } from './audit-log.js';
import { AuditChain } from './audit-chain.js';
import { AuditController } from './audit.controller.js';
import { ConsoleAuditController } from './console-audit.controller.js';
import { KeyAudit } from './key-audit.js';

@Module({
  imports: [TypeOrmModule.forFeature([AuditEntryEntity])],
  controllers: [AuditController, ConsoleAuditController],
  providers: [AuditChain, AuditLog, KeyAudit],
  exports: [AuditLog],
})
export class AuditModule {}
