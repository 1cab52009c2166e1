import { Module } from '@nestjs/common';
import { MxModule } from '../mx/mx.module.js';
import { QueueModule } from '../queue/queue.module.js';
import { ResolveGroups } from './resolve-groups.js';
import { UnknownGroups } from './unknown-groups.js';

/** Look-ups of domains that deliveries wait for. They wake the queue, whose attempts need the MX groups (`MxModule`). */
@Module({
  imports: [MxModule, QueueModule],
  providers: [UnknownGroups, ResolveGroups],
})
export class UnknownGroupsModule {}
