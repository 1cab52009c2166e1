import { expect, it } from 'vitest';
import type { Schemas } from '../api/client';
import { periodOf, shareText, totalsOf } from './deliverability.rules';

it('adds up each column', () => {
  const bucket = {
    reception_count: 3,
    delivered_count: 2,
    bounced_count: 1,
  } as Schemas['DeliverabilityBucket'];
  const totals = totalsOf([bucket, bucket].map((one) => ({ ...EMPTY, ...one })));
  expect([totals.reception_count, totals.delivered_count, totals.opened_count]).toEqual([6, 4, 0]);
});

const EMPTY = {
  ...{ deferred_count: 0, failed_count: 0, suppressed_count: 0, opened_count: 0, clicked_count: 0 },
} as Schemas['DeliverabilityBucket'];

it.each([
  [0, 0, '–'],
  [0, 10, '0 %'],
  [1, 10_000, '< 0.1 %'],
  [1, 8, '12.5 %'],
  [10, 10, '100 %'],
])('%i of %i is %s', (part, whole, text) => expect(shareText(part, whole)).toBe(text));

it('begins a period with a whole bucket', () => {
  const now = Date.parse('2026-11-27T10:20:30Z');
  expect(periodOf(1, now)).toEqual({ from_time: '2026-11-26T10:00:00.000Z', group_by: 'hour' });
  expect(periodOf(30, now)).toEqual({ from_time: '2026-10-28T00:00:00.000Z', group_by: 'day' });
});
