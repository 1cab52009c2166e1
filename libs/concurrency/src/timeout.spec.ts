import { describe, expect, it } from 'vitest';
import { endsWithin, pause, TimeoutError, withTimeout } from './timeout.js';

const never = () => new Promise<never>(() => undefined);

describe('a timeout', () => {
  it('gives what the work gives', async () => {
    expect(await withTimeout(Promise.resolve(7), 60_000, 'work')).toBe(7);
    await expect(withTimeout(Promise.reject(new Error('away')), 60_000, 'work')).rejects.toThrow('away');
  });

  it('names what took too long, with a code that counts as transient', async () => {
    const late = withTimeout(never(), 5, 'the answer');
    await expect(late).rejects.toThrow(TimeoutError);
    await expect(late).rejects.toMatchObject({
      message: 'the answer took longer than 5 ms',
      code: 'ETIMEDOUT',
    });
  });

  it('ignores a failure that comes after it', async () => {
    let fail: (error: Error) => void = () => undefined;
    const work = new Promise<never>((_resolve, reject) => (fail = reject));
    await expect(withTimeout(work, 1, 'work')).rejects.toThrow(TimeoutError);
    // an unhandled rejection would fail the test run
    fail(new Error('late'));
    await pause(1);
  });
});

describe('work that should end in time', () => {
  it('has ended whether it succeeded or failed', async () => {
    expect(await endsWithin(Promise.resolve(), 60_000)).toBe(true);
    expect(await endsWithin(Promise.reject(new Error('away')), 60_000)).toBe(true);
  });

  it('has not ended after that time', async () => {
    expect(await endsWithin(never(), 1)).toBe(false);
  });
});

describe('a pause', () => {
  it('ends at an abort, before or meanwhile', async () => {
    const abort = new AbortController();
    const pausing = pause(60_000, abort.signal);
    abort.abort();
    await pausing;
    await pause(60_000, abort.signal);
  });
});
