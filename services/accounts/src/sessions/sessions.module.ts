import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../audit/audit.module.js';
import { RevocationModule } from '../revocation/revocation.module.js';
import { ChangeSession } from './change-session.js';
import { ForgetSessions } from './forget-sessions.js';
import { SessionChanges } from './session-changes.js';
import { SessionEntity } from './session.entity.js';
import { SessionLookup, SessionLookupController } from './session-lookup.js';
import { SessionsController } from './sessions.controller.js';
import { ShowSession } from './show-session.js';

@Module({
  imports: [TypeOrmModule.forFeature([SessionEntity]), AuditModule, RevocationModule],
  controllers: [SessionsController, SessionLookupController],
  providers: [ChangeSession, ForgetSessions, SessionChanges, SessionLookup, ShowSession],
  exports: [SessionChanges, SessionLookup],
})
export class SessionsModule {}
