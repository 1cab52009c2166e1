import { describe, expect, it } from 'vitest';
import { billingPeriod } from './billing-period.rules.js';

describe('§10.5 rule 1 the billing period', () => {
  it.each([
    ['2024-01-01T00:00:00.000Z', '2024-01', '2024-01-01', '2024-02-01'],
    ['2024-01-31T23:59:59.999Z', '2024-01', '2024-01-01', '2024-02-01'],
    ['2024-02-29T12:00:00.000Z', '2024-02', '2024-02-01', '2024-03-01'],
    ['2026-12-31T23:59:59.999Z', '2026-12', '2026-12-01', '2027-01-01'],
    // still December in UTC
    ['2027-01-01T00:30:00.000+01:00', '2026-12', '2026-12-01', '2027-01-01'],
  ])('of %s is %s, from %s to %s', (now, month, start, end) => {
    expect(billingPeriod(new Date(now))).toEqual({
      month,
      start: new Date(`${start}T00:00:00Z`),
      end: new Date(`${end}T00:00:00Z`),
    });
  });
});
