import { Module } from '@nestjs/common';
import { DatabaseClockModule } from '@postmesh/work';
import { AccountStatesModule } from '../account-states/account-states.module.js';
import { MxModule } from '../mx/mx.module.js';
import { QueueModule } from '../queue/queue.module.js';
import { OnMessageAccepted } from './on-message-accepted.consumer.js';

@Module({
  imports: [DatabaseClockModule, AccountStatesModule, MxModule, QueueModule],
  controllers: [OnMessageAccepted],
})
export class IntakeModule {}
