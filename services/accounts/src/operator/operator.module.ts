import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountEntity } from '../account/account.entity.js';
import { AccountModule } from '../account/account.module.js';
import { ApiKeysModule } from '../api-keys/api-keys.module.js';
import { UserEntity } from '../members/people.js';
import { SignInModule } from '../sign-in/sign-in.module.js';
import { SubAccountsModule } from '../sub-accounts/sub-accounts.module.js';
import { OperatorAccountsController } from './operator-accounts.controller.js';
import { OperatorAccountsView } from './operator-accounts.view.js';
import { OperatorApiKeysController } from './operator-api-keys.controller.js';
import { OperatorSignInController } from './operator-sign-in.controller.js';

/** The operator interface of the accounts service. */
@Module({
  imports: [
    TypeOrmModule.forFeature([AccountEntity, UserEntity]),
    AccountModule,
    ApiKeysModule,
    SignInModule,
    SubAccountsModule,
  ],
  controllers: [OperatorAccountsController, OperatorApiKeysController, OperatorSignInController],
  providers: [OperatorAccountsView],
})
export class OperatorModule {}
