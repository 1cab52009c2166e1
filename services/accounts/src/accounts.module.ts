import { Module } from '@nestjs/common';
import { AccountStatesController } from './account/account-states.controller.js';
import { AccountChangedPublisher } from './account/account-changed.publisher.js';
import { AccountsRepository } from './account/accounts.repository.js';
import { ChangeAccountState } from './account/change-account-state.js';
import { CreateAccount } from './account/create-account.js';
import { DeleteAccount } from './account/delete-account.js';
import { UpdateAccount } from './account/update-account.js';
import { AccountController } from './account/account.controller.js';
import { ApiKeysController } from './api-keys/api-keys.controller.js';
import { ApiKeysRepository } from './api-keys/api-keys.repository.js';
import { CreateApiKey } from './api-keys/create-api-key.js';
import { DeleteApiKey } from './api-keys/delete-api-key.js';
import { UpdateApiKey } from './api-keys/update-api-key.js';
import { ApiKeyDeeds } from './api-keys/api-key-deeds.js';
import { AuditLog } from './audit/audit-log.js';
import { AuditNotesController } from './audit/audit-notes.controller.js';
import { FirstAccount } from './first-account/first-account.js';
import { OnDomainChangedConsumer } from './granted-scopes/on-domain-changed.consumer.js';
import { OwnedScopes } from './granted-scopes/owned-scopes.js';
import { AllowListNotices } from './ip-allow-list/allow-list-notices.js';
import { KeyLookupController } from './key-lookup/key-lookup.controller.js';
import { KeyLookup } from './key-lookup/key-lookup.js';
import { KeyUseRecorder } from './key-lookup/key-uses.js';
import { AddMember } from './members/add-member.js';
import { ChangeMember } from './members/change-member.js';
import { MembersController } from './members/members.controller.js';
import { MembersRepository } from './members/members.repository.js';
import { OPERATOR_PARTS } from './operator/operator.parts.js';
import { CacheLeasesController } from './revocation/cache-leases.controller.js';
import { CacheLeases } from './revocation/cache-leases.js';
import { KeyChangeFeed } from './revocation/key-change-feed.js';
import { KeyChanges } from './revocation/key-changes.js';
import { SUB_ACCOUNTS_PARTS } from './sub-accounts/sub-accounts.parts.js';
import { AccountPeopleFinder } from './system-mail/account-people.js';
import { Notices } from './system-mail/notices.js';
import { OnDomainDnsFailed } from './system-mail/on-domain-dns-failed.consumer.js';
import { OnWebhookDisabled } from './system-mail/on-webhook-disabled.consumer.js';
import { SystemMail } from './system-mail/system-mail.js';

@Module({
  controllers: [
    AccountController,
    MembersController,
    ApiKeysController,
    AccountStatesController,
    KeyLookupController,
    CacheLeasesController,
    ...SUB_ACCOUNTS_PARTS.controllers,
    ...OPERATOR_PARTS.controllers,
    AuditNotesController,
  ],
  providers: [
    OnDomainChangedConsumer,
    OnDomainDnsFailed,
    OnWebhookDisabled,
    AccountsRepository,
    AccountChangedPublisher,
    CreateAccount,
    ChangeAccountState,
    DeleteAccount,
    UpdateAccount,
    MembersRepository,
    AddMember,
    ChangeMember,
    ...SUB_ACCOUNTS_PARTS.providers,
    ApiKeysRepository,
    ApiKeyDeeds,
    CreateApiKey,
    UpdateApiKey,
    DeleteApiKey,
    OwnedScopes,
    AllowListNotices,
    AccountPeopleFinder,
    SystemMail,
    Notices,
    KeyLookup,
    KeyUseRecorder,
    KeyChangeFeed,
    KeyChanges,
    CacheLeases,
    AuditLog,
    ...OPERATOR_PARTS.providers,
    FirstAccount,
  ],
})
export class AccountsModule {}
