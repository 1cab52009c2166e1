import { Module } from '@nestjs/common';
import { UsageModule } from '../usage/usage.module.js';
import { SendingStateController } from './sending-state.controller.js';

/** Obstacles of the mail of an account. */
@Module({ imports: [UsageModule], controllers: [SendingStateController] })
export class SendingStateModule {}
