import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountModule } from '../account/account.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { KeyLookup, KeyLookupController } from '../key-lookup/key-lookup.js';
import { OwnedDomains } from '../owned-domains/owned-domains.js';
import { RevocationModule } from '../revocation/revocation.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { SystemMailModule } from '../system-mail/system-mail.module.js';
import { ApiKeyEntity } from './api-key.entity.js';
import { ApiKeyAudit } from './api-key-audit.js';
import { ApiKeysController, SubAccountApiKeysController } from './api-keys.controller.js';
import { ApiKeysRepository } from './api-keys.repository.js';
import { CreateApiKey } from './create-api-key.js';
import { DeleteApiKey } from './delete-api-key.js';
import { OwnedScopes } from './owned-scopes.js';
import { UpdateApiKey } from './update-api-key.js';

@Module({
  imports: [
    TypeOrmModule.forFeature([ApiKeyEntity]),
    AccountModule,
    AuditModule,
    RevocationModule,
    SessionsModule,
    SystemMailModule,
  ],
  controllers: [ApiKeysController, SubAccountApiKeysController, KeyLookupController],
  providers: [
    ApiKeysRepository,
    ApiKeyAudit,
    OwnedDomains,
    OwnedScopes,
    CreateApiKey,
    UpdateApiKey,
    DeleteApiKey,
    KeyLookup,
  ],
  exports: [ApiKeysRepository, CreateApiKey, DeleteApiKey, KeyLookup, OwnedDomains],
})
export class ApiKeysModule {}
