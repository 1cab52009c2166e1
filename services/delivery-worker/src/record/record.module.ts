import { Module } from '@nestjs/common';
import { AttemptModule } from '../attempt/attempt.module.js';
import { AttemptRecorder } from './attempt-recorder.js';

@Module({
  imports: [AttemptModule],
  providers: [AttemptRecorder],
  exports: [AttemptRecorder],
})
export class RecordModule {}
