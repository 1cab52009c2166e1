import { Module } from '@nestjs/common';
import { DropContent } from './drop-content.js';
import { PurgeContent } from './purge-content.js';
import { SweepContent } from './sweep-content.js';

/** Deletion of contents: after their retention, or at once without one. */
@Module({
  providers: [DropContent, PurgeContent, SweepContent],
  exports: [DropContent],
})
export class RetentionModule {}
