import { Module } from '@nestjs/common';
import { RequestCallsModule } from '../request-calls/request-calls.module.js';
import { FanOutMetrics } from './fan-out-metrics.js';
import { FanOutTurns } from './fan-out-turns.js';
import { FanOuts } from './fan-outs.js';
import { IntakePressure } from './intake-pressure.js';

/** Events with too many calls for their batch. */
@Module({
  imports: [RequestCallsModule],
  providers: [FanOuts, FanOutTurns, FanOutMetrics, IntakePressure],
  exports: [FanOuts, FanOutTurns],
})
export class FanOutsModule {}
