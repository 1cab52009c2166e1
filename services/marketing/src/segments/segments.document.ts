import { MessageResponse, type ServiceDocument } from '@postmesh/contracts';
import {
  AudienceBody,
  AudienceResource,
  SegmentBody,
  SegmentCountBody,
  SegmentCountResource,
  SegmentList,
  SegmentResource,
} from './segment.schema.js';

const noSegment = { status: 404, when: 'The account has no such segment.' } as const;
const badFilter = { status: 400, when: 'A field is invalid, or the account has no such list.' } as const;
const noCampaign = { status: 404, when: '`campaign not found`' } as const;

const FILTER = {
  match: 'all',
  groups: [{ match: 'any', conditions: [{ kind: 'attribute', key: 'plan', is: 'equal', value: 'pro' }] }],
} as const;
const SEGMENT = {
  object: 'segment',
  id: '01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a01',
  created_at: '2026-09-09T10:04:56.000Z',
  updated_at: '2026-09-09T10:04:56.000Z',
  name: 'Customers with the large plan',
  filter: FILTER,
  contacts: 1204,
  counted_at: '2026-09-09T10:04:56.000Z',
};
const AUDIENCE = {
  object: 'campaign_audience',
  campaign_id: '01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a02',
  segment_ids: [SEGMENT.id],
};
const segment = (status: 200 | 201) => ({
  status,
  description: 'The segment, counted now.',
  schema: SegmentResource,
  example: SEGMENT,
});
const audience = {
  status: 200,
  description: 'Its segments.',
  schema: AudienceResource,
  example: AUDIENCE,
} as const;

/** Operations of the console (decision 162). */
export const SEGMENTS_DOCUMENT: ServiceDocument = {
  'segments.list': {
    summary: 'List segments',
    description: 'All of the account, by name, with their last counts.',
    response: {
      status: 200,
      description: 'The segments.',
      schema: SegmentList,
      example: { object: 'list', data: [SEGMENT] },
    },
  },
  'segments.create': {
    summary: 'Create a segment',
    body: SegmentBody,
    response: segment(201),
    apiErrors: [badFilter, { status: 409, when: 'The account has 100 segments.' }],
  },
  'segments.get': { summary: 'Get a segment', response: segment(200), apiErrors: [noSegment] },
  'segments.update': {
    summary: 'Replace the name and the filter of a segment',
    body: SegmentBody,
    response: segment(200),
    apiErrors: [
      badFilter,
      noSegment,
      { status: 409, when: 'A campaign that waits to be sent uses the filter.' },
    ],
  },
  'segments.delete': {
    summary: 'Delete a segment',
    response: {
      status: 200,
      description: 'It is deleted.',
      schema: MessageResponse,
      example: { message: `segment ${SEGMENT.id} (${SEGMENT.name}) deleted successfully` },
    },
    apiErrors: [noSegment, { status: 409, when: 'A campaign that is not finished uses the segment.' }],
  },
  'segment-counts.create': {
    summary: 'Count the contacts of a filter',
    description: 'Mailable contacts that match and are confirmed on a list. Nothing is saved.',
    body: SegmentCountBody,
    response: {
      status: 200,
      description: 'Their number.',
      schema: SegmentCountResource,
      example: { object: 'segment_count', contacts: 1204 },
    },
    apiErrors: [badFilter],
  },
  'campaign-audiences.get': {
    summary: 'Get the segments of a campaign',
    response: audience,
    apiErrors: [noCampaign],
  },
  'campaign-audiences.put': {
    summary: 'Set the segments of a draft',
    description: 'Recipients are the contacts of its lists and of its segments, each once.',
    body: AudienceBody,
    response: audience,
    apiErrors: [
      { status: 400, when: 'The account has no such segment.' },
      noCampaign,
      { status: 409, when: '`campaign is not a draft`' },
    ],
  },
};
