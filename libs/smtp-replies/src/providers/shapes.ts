import type { ReplyRowInput } from '../reply-rows.schema.js';

type Shape = NonNullable<ReplyRowInput['shape']>;

export const MINUTE = 60;
export const HOUR = 60 * MINUTE;

export const HALVE: Shape = { do: 'halve', scope: 'source' };
export const PER_CONNECTION: Shape = { do: 'perConnection', scope: 'source' };
export const WEAK: Shape = { do: 'weak', scope: 'source' };

export const perHour = (count: number) => ({ count, perSeconds: HOUR });

export const slow = (forSeconds: number, count: number): Shape => ({
  do: 'slow',
  scope: 'source',
  forSeconds,
  after: perHour(count),
});

export const suspend = (scope: Shape['scope'], forSeconds: number, more: Partial<Shape> = {}): Shape => ({
  do: 'suspend',
  scope,
  forSeconds,
  ...more,
});
