import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditEntryEntity, AuditLog } from './audit-log.js';
import { AuditChain } from './audit-chain.js';
import { AuditController } from './audit.controller.js';
import { ConsoleAuditController } from './console-audit.controller.js';

@Module({
  imports: [TypeOrmModule.forFeature([AuditEntryEntity])],
  controllers: [AuditController, ConsoleAuditController],
  providers: [AuditChain, AuditLog],
  exports: [AuditLog],
})
export class AuditModule {}
