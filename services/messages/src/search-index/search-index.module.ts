import { Module } from '@nestjs/common';
import { KeepSearchIndex } from './keep-search-index.js';
import { SealSegments } from './seal-segments.js';
import { SegmentStatuses } from './segment-statuses.js';

/** The index for searches of messages. */
@Module({
  providers: [KeepSearchIndex, SealSegments, SegmentStatuses],
})
export class SearchIndexModule {}
