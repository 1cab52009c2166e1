import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Periodic } from '@postmesh/work';
import { CONTACT_COUNTS } from '../lists/lists.repository.js';
import { CAMPAIGN_COUNTS } from './campaign-counts.js';

/** Folds the counters of lists and campaigns. They are exact without it: this keeps reading them cheap. */
@Injectable()
export class FoldCounts {
  constructor(private readonly dataSource: DataSource) {}

  @Periodic({ name: 'fold-counts', everyMs: 5_000, timeoutMs: 60_000 })
  async fold(signal: AbortSignal): Promise<void> {
    for (const counters of [CONTACT_COUNTS, CAMPAIGN_COUNTS]) await counters.fold(this.dataSource, signal);
  }
}
