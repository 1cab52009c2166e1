import { Module } from '@nestjs/common';
import { ForwardModule } from '../forward/forward.module.js';
import { RateLimitsModule } from '../rate-limits/rate-limits.module.js';
import { AccountStreams } from './account-streams.js';
import { CONSOLE_FOLDER_PROVIDER, ConsolePages } from './console-pages.js';
import { Console } from './console.js';

@Module({
  imports: [ForwardModule, RateLimitsModule],
  providers: [AccountStreams, Console, CONSOLE_FOLDER_PROVIDER, ConsolePages],
  exports: [AccountStreams, Console, ConsolePages],
})
export class ConsoleModule {}
