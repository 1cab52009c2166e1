import { Module } from '@nestjs/common';
import { ShapingModule } from '../shaping/shaping.module.js';
import { WaysModule } from '../ways/ways.module.js';
import { ForgetGroups } from './forget-groups.js';
import { MailHostsController } from './mail-hosts.controller.js';
import { MxGroups } from './mx-groups.js';
import { MX_RESOLVER, MxResolver } from './mx-resolver.js';

/** Mail hosts and MX groups of domains. */
@Module({
  imports: [ShapingModule, WaysModule],
  controllers: [MailHostsController],
  providers: [MX_RESOLVER, MxGroups, ForgetGroups],
  exports: [MxGroups, MxResolver],
})
export class MxModule {}
