import { Module } from '@nestjs/common';
import { DecideClicks } from './decide-clicks.js';
import { FetchBudgets } from './fetch-budgets.js';
import { RecordFetches } from './record-fetches.js';
import { TrackedFetchesController } from './tracked-fetches.controller.js';
import { TrackedMessages } from './tracked-messages.js';

/** Fetches of pixels and links in messages. */
@Module({
  controllers: [TrackedFetchesController],
  providers: [DecideClicks, FetchBudgets, RecordFetches, TrackedMessages],
})
export class TrackingModule {}
