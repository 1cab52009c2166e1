import type { ServiceDefinition } from '@postmesh/service-host';
import { AccountEntity } from './account/account.entity.js';
import { AccountsModule } from './accounts.module.js';
import { ApiKeyEntity, ApiKeyScopeEntity, PEPPERED_API_KEYS } from './api-keys/api-key.entity.js';
import { AuditEntryEntity } from './audit/audit-log.js';
import { CreateAuditDays1764200000734 } from './database/migrations/create-audit-days.js';
import { CreateAccounts1764000000100 } from './database/migrations/create-accounts.js';
import { AddPepperIds1764100000402 } from './database/migrations/add-pepper-ids.js';
import { CreateSmtpCredentials1764100000600 } from './database/migrations/create-smtp-credentials.js';
import { CreateOidcFlows1764200000702 } from './database/migrations/create-oidc-flows.js';
import { CreatePasskeys1764200000701 } from './database/migrations/create-passkeys.js';
import { CreateRefusedRequests1764200000703 } from './database/migrations/create-refused-requests.js';
import { CreateSessions1764200000700 } from './database/migrations/create-sessions.js';
import { CreateSesCredentials1764400000021 } from './database/migrations/create-ses-credentials.js';
import { SES_SECRETS, SesCredentialEntity } from './ses-credentials/ses-credential.entity.js';
import { MemberEntity, UserEntity } from './members/people.js';
import { PasskeyEntity } from './passkeys/passkey.entity.js';
import { PEPPERED_SESSIONS, PEPPERED_SIGN_IN_LINKS, SessionEntity } from './sessions/session.entity.js';
import {
  PEPPERED_SMTP_CREDENTIALS,
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
      SessionEntity,
      PasskeyEntity,
      SesCredentialEntity,
    ],
    migrations: [
      CreateAccounts1764000000100,
      AddPepperIds1764100000402,
      CreateSmtpCredentials1764100000600,
      CreateSessions1764200000700,
      CreatePasskeys1764200000701,
      CreateOidcFlows1764200000702,
      CreateRefusedRequests1764200000703,
      CreateAuditDays1764200000734,
      CreateSesCredentials1764400000021,
    ],
    secrets: {
      peppered: [PEPPERED_API_KEYS, PEPPERED_SMTP_CREDENTIALS, PEPPERED_SESSIONS, PEPPERED_SIGN_IN_LINKS],
      sealed: [SES_SECRETS],
    },
  },
};
