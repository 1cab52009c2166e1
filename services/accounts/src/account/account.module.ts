import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../audit/audit.module.js';
import { RevocationModule } from '../revocation/revocation.module.js';
import { AccountEntity } from './account.entity.js';
import { AccountController } from './account.controller.js';
import { AccountsRepository } from './accounts.repository.js';
import { ChangeAccount } from './change-account.js';
import { CreateAccount } from './create-account.js';
import { InternalAccountsController } from './internal-accounts.controller.js';

@Module({
  imports: [TypeOrmModule.forFeature([AccountEntity]), AuditModule, RevocationModule],
  controllers: [AccountController, InternalAccountsController],
  providers: [AccountsRepository, CreateAccount, ChangeAccount],
  exports: [AccountsRepository, CreateAccount, ChangeAccount],
})
export class AccountModule {}
