import { AccountEntity } from './account.entity.js';
import { ApiKeyEntity } from './api-key.entity.js';
import { ApiKeyScopeEntity } from './api-key-scope.entity.js';
import { AuditEntryEntity } from './audit-entry.entity.js';
import { MemberEntity } from './member.entity.js';
import { UserEntity } from './user.entity.js';

export { AccountEntity, ApiKeyEntity, ApiKeyScopeEntity, AuditEntryEntity, MemberEntity, UserEntity };

export const ACCOUNTS_ENTITIES = [
  UserEntity,
  AccountEntity,
  MemberEntity,
  ApiKeyEntity,
  ApiKeyScopeEntity,
  AuditEntryEntity,
] as const;
