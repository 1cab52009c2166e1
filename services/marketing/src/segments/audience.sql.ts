import type { EntityManager } from 'typeorm';
import { mailableMembers } from '../lists/mailable-members.sql.js';
import type { SegmentFilter } from './segment-filter.schema.js';
import { filterSql, placesIn, segmentMembers } from './segment-filter.sql.js';

/** The position of all segments: after the lists of a campaign, which has fifty at most. */
export const SEGMENT_POSITION = 1_000;

export interface Audience {
  /** rows as those of `mailableMembers`; `$1` is the campaign, the next free parameter follows the last one */
  readonly text: string;
  readonly parameters: readonly unknown[];
}

const LISTS = `array(select list_id from campaign_lists where campaign_id = $1 order by position)`;

/** The recipients of a campaign, before suppressions: of its lists, and of its segments (decision 162). */
export async function audienceOf(
  database: Pick<EntityManager, 'query'>,
  campaignId: string,
): Promise<Audience> {
  const segments: { accountId: string; filter: SegmentFilter }[] = await database.query(
    `select account_id as "accountId", filter from campaign_segments join segments on id = segment_id
     where campaign_id = $1 order by segment_id`,
    [campaignId],
  );
  const parameters: unknown[] = [campaignId];
  const [first] = segments;
  if (!first) return { text: mailableMembers(LISTS), parameters };
  const place = placesIn(parameters);
  const accountId = `${place(first.accountId)}::uuid`;
  const filters = segments.map(({ filter }) => filterSql(filter, accountId, place));
  const matched = segmentMembers(`(${filters.join(' or ')})`, accountId, SEGMENT_POSITION);
  return { text: `${mailableMembers(LISTS)} union all ${matched}`, parameters };
}
