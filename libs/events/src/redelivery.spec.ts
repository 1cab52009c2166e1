import { expect, test } from 'vitest';
import { redeliveryPauseMs } from './redelivery.js';

test.each([
  { failures: 0, asked: undefined, pause: 200 },
  { failures: 1, asked: undefined, pause: 200 },
  { failures: 2, asked: undefined, pause: 400 },
  { failures: 5, asked: undefined, pause: 3_200 },
  { failures: 6, asked: undefined, pause: 5_000 },
  { failures: 1_000_000, asked: undefined, pause: 5_000 },
  { failures: 1, asked: 100, pause: 200 },
  { failures: 1, asked: 7_000, pause: 7_000 },
  { failures: 6, asked: 86_400_000, pause: 30_000 },
])(
  'after $failures failures, with retryAfter $asked ms, a batch waits $pause ms',
  ({ failures, asked, pause }) => {
    expect(redeliveryPauseMs(failures, asked)).toBe(pause);
  },
);
