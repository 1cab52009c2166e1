import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineJob, type JobHandlers } from './define-job.js';

const common = {
  queue: 'domains',
  attempts: 3,
  backoff: { firstMs: 100, maxMs: 1_000 },
  timeoutMs: 1_000,
  concurrency: 1,
};
const checkDns = defineJob({
  ...common,
  name: 'check-dns',
  payload: z.object({ domain_id: z.string() }),
  dedupeKey: (payload) => payload.domain_id,
});
const rotate = defineJob({ ...common, name: 'rotate', payload: z.object({ day: z.coerce.date() }) });
const catalogue = { checkDns, rotate };

describe('the handlers of a catalogue', () => {
  it('get the payload as its schema gives it', () => {
    const handlers: JobHandlers<typeof catalogue> = {
      checkDns: ({ payload }) => Promise.resolve(void payload.domain_id.length),
      rotate: ({ payload }) => Promise.resolve(void payload.day.getTime()),
    };
    expect(Object.keys(handlers)).toEqual(Object.keys(catalogue));
  });

  it('do not compile when one is missing', () => {
    // @ts-expect-error rotate is missing
    const handlers: JobHandlers<typeof catalogue> = { checkDns: () => Promise.resolve() };
    expect(handlers).not.toHaveProperty('rotate');
  });

  it('do not compile with another payload', () => {
    const handlers: JobHandlers<typeof catalogue> = {
      checkDns: () => Promise.resolve(),
      // @ts-expect-error the day is a Date
      rotate: ({ payload }) => Promise.resolve(void payload.day.length),
    };
    expect(handlers).toBeDefined();
  });
});

describe('a definition', () => {
  it.each([
    ['a name with a colon', { name: 'check:dns' }],
    ['no attempt', { attempts: 0 }],
    ['no end of attempts', { attempts: Infinity }],
    ['no time', { timeoutMs: 0 }],
    ['nobody to run it', { concurrency: 0 }],
    ['no wait between attempts', { backoff: { firstMs: 0, maxMs: 1 } }],
  ])('is refused with %s', (_name, change) => {
    expect(() => defineJob({ ...checkDns, ...change })).toThrow();
  });
});
