import { leasedItem, type LeasedItem, type LeasedTable } from '@postmesh/leased-queue';

/** A piece of a campaign that this worker has claimed; its key is the campaign. */
export interface CampaignBatch extends LeasedItem {
  readonly campaignId: string;
  readonly firstPosition: number;
  readonly lastPosition: number;
  /** an earlier attempt took recipients, and nobody knows whether they were handed over; of the limit of this day */
  readonly reservedDay: string | null;
}

/** Waits until its campaign has room, or sends again. The queue does not see it. */
export const PENDING = 'pending';

export const CAMPAIGN_BATCHES: LeasedTable<CampaignBatch> = {
  name: 'campaign_batches',
  columns: {
    campaign_id: 'uuid',
    first_position: 'int',
    last_position: 'int',
    reserved_day: 'text',
  },
  // It hands over the same message ids again: nothing of what a dead worker did counts twice.
  countsAbandoned: false,
  toItem: (row) => ({
    ...leasedItem(row),
    campaignId: row['campaign_id'] as string,
    firstPosition: row['first_position'] as number,
    lastPosition: row['last_position'] as number,
    reservedDay: row['reserved_day'] as string | null,
  }),
};
