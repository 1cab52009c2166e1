import { Module } from '@nestjs/common';
import { DatabaseClockModule } from '@postmesh/work';
import { EndpointsModule } from '../endpoints/endpoints.module.js';
import { AttemptRecorder } from './attempt-recorder.js';
import { EndedDeliveries } from './ended-deliveries.js';
import { KeepByDay } from './keep-by-day.js';

/** Ends of attempts, and ended deliveries as long as they are kept. */
@Module({
  imports: [DatabaseClockModule, EndpointsModule],
  providers: [AttemptRecorder, EndedDeliveries, KeepByDay],
  exports: [AttemptRecorder, EndedDeliveries],
})
export class RecordModule {}
