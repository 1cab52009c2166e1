import { z } from 'zod';
import { ApiError, ApiErrors, nameField, Timestamp, Uuid } from '@postmesh/contracts';
import { SegmentFilter } from './segment-filter.schema.js';

export const MAX_SEGMENTS = 100;
/** Segments in a campaign. */
const MAX_USED = 10;

/** Body of a new segment and of a change, which replaces both fields. */
export const SegmentBody = z.object({ name: nameField(), filter: SegmentFilter });
export type SegmentBody = z.infer<typeof SegmentBody>;

/** The number of contacts of a filter that is not saved yet. */
export const SegmentCountBody = z.object({ filter: SegmentFilter });
export type SegmentCountBody = z.infer<typeof SegmentCountBody>;

const contacts = z.int().nullable().meta({
  description:
    'Contacts that a campaign to it would take now, before suppressions; null: counting takes too long.',
});

export const SegmentCountResource = z
  .object({ object: z.literal('segment_count'), contacts })
  .meta({ id: 'SegmentCount', description: 'The contacts of a filter.' });
export type SegmentCountResource = z.infer<typeof SegmentCountResource>;

export const SegmentResource = z
  .object({
    object: z.literal('segment'),
    id: z.uuid(),
    created_at: Timestamp,
    updated_at: Timestamp,
    name: z.string(),
    filter: SegmentFilter,
    contacts: contacts.meta({ description: 'Their number at `counted_at`; null: not counted.' }),
    counted_at: Timestamp.nullable(),
  })
  .meta({ id: 'Segment', description: 'A saved filter over contacts, which a campaign can be sent to.' });
export type SegmentResource = z.infer<typeof SegmentResource>;

export const SegmentList = z.object({ object: z.literal('list'), data: z.array(SegmentResource) });

export const AudienceBody = z.object({
  segment_ids: z
    .array(Uuid)
    .transform((ids) => [...new Set(ids)])
    .refine((ids) => ids.length <= MAX_USED, { message: `segment_ids must have at most ${MAX_USED} items` })
    .meta({ maxItems: MAX_USED, description: 'In addition to the lists of the campaign. Each once.' }),
});
export type AudienceBody = z.infer<typeof AudienceBody>;

export const AudienceResource = z
  .object({
    object: z.literal('campaign_audience'),
    campaign_id: z.uuid(),
    segment_ids: z.array(z.uuid()),
  })
  .meta({ id: 'CampaignAudience', description: 'The segments of a campaign, in addition to its lists.' });
export type AudienceResource = z.infer<typeof AudienceResource>;

/** A row of `segments`. */
export interface SegmentRow {
  readonly id: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly name: string;
  readonly filter: SegmentFilter;
  readonly contacts: number | null;
  readonly countedAt: Date | null;
}

export const segmentResource = (row: SegmentRow): SegmentResource => ({
  object: 'segment',
  id: row.id,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
  name: row.name,
  filter: row.filter,
  contacts: row.contacts,
  counted_at: row.countedAt?.toISOString() ?? null,
});

export const SegmentErrors = {
  notFound: () => ApiErrors.notFound('segment'),
  missing: (id: string) => new ApiError(400, `segment ${id} not found`),
  tooMany: () => new ApiError(409, `an account has at most ${MAX_SEGMENTS} segments`),
  inUse: () => new ApiError(409, 'a campaign that is not finished uses the segment'),
  waits: () => new ApiError(409, 'a campaign that waits to be sent uses the segment'),
} as const;
