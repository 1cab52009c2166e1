import { describe, expect, it } from 'vitest';
import { SingleFlight } from './single-flight.js';

/** Calls that last until the test ends them. */
function heldCalls() {
  const calls: { resolve: (value: string) => void; reject: (error: Error) => void }[] = [];
  const call = () =>
    new Promise<string>((resolve, reject) => {
      calls.push({ resolve, reject });
    });
  return { calls, call, flights: new SingleFlight<string, string>() };
}

describe('single flight', () => {
  it('shares one call among all who ask for the same key', async () => {
    const { calls, call, flights } = heldCalls();
    const asked = [flights.run('a', call), flights.run('a', call), flights.run('b', call)];
    expect(calls).toHaveLength(2);
    calls[0]!.resolve('A');
    calls[1]!.resolve('B');
    expect(await Promise.all(asked)).toEqual(['A', 'A', 'B']);
    expect(flights.size).toBe(0);
  });

  it('shares a failure and calls again after it', async () => {
    const { calls, call, flights } = heldCalls();
    const asked = [flights.run('a', call), flights.run('a', call)];
    calls[0]!.reject(new Error('away'));
    for (const result of await Promise.allSettled(asked)) expect(result.status).toBe('rejected');
    void flights.run('a', call);
    expect(calls).toHaveLength(2);
  });

  it('calls anew after a change, and the older call does not end the newer one', async () => {
    const { calls, call, flights } = heldCalls();
    const before = flights.run('a', call);
    flights.forget('a');
    const after = flights.run('a', call);
    calls[0]!.resolve('old');
    expect(await before).toBe('old');
    const joined = flights.run('a', call);
    calls[1]!.resolve('new');
    expect(await Promise.all([after, joined])).toEqual(['new', 'new']);
    expect(calls).toHaveLength(2);
  });
});
