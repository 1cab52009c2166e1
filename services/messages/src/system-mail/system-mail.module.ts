import { Module } from '@nestjs/common';
import { AcceptModule } from '../accept/accept.module.js';
import { OnSystemMailRequested } from './on-system-mail-requested.consumer.js';
import { SystemDomain } from './system-domain.js';
import { SystemMailer } from './system-mailer.js';

/** Mail of Postmesh itself, and its sending domain. */
@Module({
  imports: [AcceptModule],
  controllers: [OnSystemMailRequested],
  providers: [SystemDomain, SystemMailer],
  exports: [SystemDomain],
})
export class SystemMailModule {}
