import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountModule } from '../account/account.module.js';
import { ApiKeysModule } from '../api-keys/api-keys.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { OidcModule } from '../oidc/oidc.module.js';
import { RevocationModule } from '../revocation/revocation.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { SignInModule } from '../sign-in/sign-in.module.js';
import { SystemMailModule } from '../system-mail/system-mail.module.js';
import { AddMember } from './add-member.js';
import { ChangeMember } from './change-member.js';
import { MembersController } from './members.controller.js';
import { MemberEntity, UserEntity } from './people.js';

@Module({
  imports: [
    TypeOrmModule.forFeature([MemberEntity, UserEntity]),
    AccountModule,
    ApiKeysModule,
    AuditModule,
    OidcModule,
    RevocationModule,
    SessionsModule,
    SignInModule,
    SystemMailModule,
  ],
  controllers: [MembersController],
  providers: [AddMember, ChangeMember],
})
export class MembersModule {}
