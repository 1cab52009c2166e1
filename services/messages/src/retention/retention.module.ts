import { Module } from '@nestjs/common';
import { DropContent } from './drop-content.js';
import { PurgeContent } from './purge-content.js';
import { SweepContent } from './sweep-content.js';

/** Deletion of contents: after their time, or at once where none are to be kept. */
@Module({
  providers: [DropContent, PurgeContent, SweepContent],
  exports: [DropContent],
})
export class RetentionModule {}
