import { Module } from '@nestjs/common';
import { SuppressionsModule } from '../suppressions/suppressions.module.js';
import { TemplatesModule } from '../templates/templates.module.js';
import { CancelOpenMessages } from './cancel-open-messages.js';
import { OnAccountChanged } from './on-account-changed.consumer.js';

/** Changes of accounts, and the cancellation of their open messages. */
@Module({
  imports: [SuppressionsModule, TemplatesModule],
  controllers: [OnAccountChanged],
  providers: [CancelOpenMessages],
})
export class AccountChangesModule {}
