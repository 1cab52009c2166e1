import { expect, it } from 'vitest';
import { t } from '../words/words';
import { healthOf } from './webhook-events';

const counters = {
  enabled: true,
  success_count: 9,
  error_count: 3,
  errors_since_last_success: 0,
  last_request_at: 'x',
};

it.each([
  [{}, t.webhooks.healthy],
  [{ errors_since_last_success: 2 }, t.webhooks.failing],
  [{ errors_since_last_success: 2, success_count: 0 }, t.webhooks.neverWorked],
  [{ last_request_at: null, success_count: 0 }, t.webhooks.unused],
  [{ enabled: false, errors_since_last_success: 40 }, t.webhooks.disabled],
])('counters %j mean %s', (fields, label) => {
  expect(healthOf({ ...counters, ...fields }).label).toBe(label);
});
