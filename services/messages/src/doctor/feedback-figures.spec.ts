import { expect, it } from 'vitest';
import { feedbackOf } from './feedback-figures.js';

const NOW = new Date('2026-03-31T12:00:00Z');
const day = (date: string, delivered: number, complained: number) => ({ day: date, delivered, complained });

it('complaints of a provider are counted by day, with their share of what it took', () => {
  const days = [day('2026-01-20', 5_000, 9), day('2026-03-02', 1_500, 2), day('2026-03-30', 500, 1)];
  expect(feedbackOf(days, NOW)).toEqual({
    ...{ provider: 'yahoo', source: 'Yahoo Complaint Feedback Loop', read_at: '2026-03-31T12:00:00.000Z' },
    ...{ days_shown: 30, delivered: 2_000, complained: 3, share: 0.0015, last_report_day: '2026-03-30' },
    days: [
      { day: '2026-03-02', reports: 2 },
      { day: '2026-03-30', reports: 1 },
    ],
  });
});

it('complaints of a provider are unknown, and not zero, when no report came in the period', () => {
  const unknown = { complained: null, share: null, days: [] };
  expect(feedbackOf([day('2026-03-30', 500, 0)], NOW)).toMatchObject({
    ...unknown,
    delivered: 500,
    last_report_day: null,
  });
  expect(feedbackOf([day('2026-03-01', 10, 4)], NOW)).toMatchObject({
    ...unknown,
    delivered: null,
    last_report_day: '2026-03-01',
  });
});

it('complaints of a provider have no share of fewer deliveries', () => {
  expect(feedbackOf([day('2026-03-30', 0, 2)], NOW)).toMatchObject({
    ...{ delivered: null, complained: 2, share: null },
  });
});
