import type { ServiceDefinition } from '@postmesh/service-host';
import { AccountEntity } from './account/account.entity.js';
import { AccountsModule } from './accounts.module.js';
import { ApiKeyEntity, ApiKeyScopeEntity } from './api-keys/api-key.entity.js';
import { AuditEntryEntity } from './audit/audit-log.js';
import { CreateAccounts1764000000100 } from './database/migrations/create-accounts.js';
import { CreateSmtpCredentials1764100000600 } from './database/migrations/create-smtp-credentials.js';
import { MemberEntity, UserEntity } from './members/people.js';
import {
  SmtpCredentialDomainEntity,
  SmtpCredentialEntity,
} from './smtp-credentials/smtp-credential.entity.js';

export const ACCOUNTS_SERVICE: ServiceDefinition = {
  name: 'accounts',
  module: AccountsModule,
  database: {
    entities: [
      UserEntity,
      AccountEntity,
      MemberEntity,
      ApiKeyEntity,
      ApiKeyScopeEntity,
      AuditEntryEntity,
      SmtpCredentialEntity,
      SmtpCredentialDomainEntity,
    ],
    migrations: [CreateAccounts1764000000100, CreateSmtpCredentials1764100000600],
  },
};
