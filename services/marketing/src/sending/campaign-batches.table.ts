import { leasedItem, type LeasedItem, type LeasedTable } from '@postmesh/work';

/** A part of a campaign that this worker has claimed; its key is the campaign. */
export interface CampaignBatch extends LeasedItem {
  readonly campaignId: string;
  readonly firstPosition: number;
  readonly lastPosition: number;
  /** the day of the limit of recipients that an earlier attempt took with an unknown hand-over; null: none */
  readonly reservedDay: string | null;
}

/** Waits for its campaign's window, or until it sends again. The queue ignores it. */
export const PENDING = 'pending';

export const CAMPAIGN_BATCHES: LeasedTable<CampaignBatch> = {
  name: 'campaign_batches',
  columns: {
    campaign_id: 'uuid',
    first_position: 'int',
    last_position: 'int',
    reserved_day: 'text',
  },
  // It hands over the same message ids again: a dead worker's messages do not count twice.
  countsAbandoned: false,
  toItem: (row) => ({
    ...leasedItem(row),
    campaignId: row['campaign_id'] as string,
    firstPosition: row['first_position'] as number,
    lastPosition: row['last_position'] as number,
    reservedDay: row['reserved_day'] as string | null,
  }),
};
