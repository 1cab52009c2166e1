import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../audit/audit.module.js';
import { RevocationModule } from '../revocation/revocation.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { PasskeyEntity } from './passkey.entity.js';
import { Passkeys } from './passkeys.js';
import { PasskeysController } from './passkeys.controller.js';

@Module({
  imports: [TypeOrmModule.forFeature([PasskeyEntity]), AuditModule, RevocationModule, SessionsModule],
  controllers: [PasskeysController],
  providers: [Passkeys],
  exports: [Passkeys],
})
export class PasskeysModule {}
