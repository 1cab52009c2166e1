import { Module } from '@nestjs/common';
import { ShapingModule } from '../shaping/shaping.module.js';
import { AccountWaitsController } from './account-waits.controller.js';
import { HeldMail } from './held-mail.js';
import { PutBackMail } from './put-back-mail.js';
import { SlowMailNotices } from './slow-mail-notices.js';

/** Obstacles of the mail of an account. */
@Module({
  imports: [ShapingModule],
  controllers: [AccountWaitsController],
  providers: [HeldMail, PutBackMail, SlowMailNotices],
})
export class AccountWaitsModule {}
