import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { watchRedis, type RedisConnection } from './watch-redis.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

class Client implements RedisConnection {
  status = 'ready';
  answers = true;
  disconnects = 0;

  ping(): Promise<unknown> {
    return this.answers ? Promise.resolve() : new Promise(() => undefined);
  }
  disconnect(reconnect: boolean): void {
    expect(reconnect).toBe(true);
    this.disconnects += 1;
  }
}

const A_WHILE_MS = 30_000;

it('connects again when nothing is answered for some seconds, and not while all is', async () => {
  const client = new Client();
  const end = watchRedis(client);
  await vi.advanceTimersByTimeAsync(A_WHILE_MS);
  expect(client.disconnects).toBe(0);
  client.answers = false;
  await vi.advanceTimersByTimeAsync(A_WHILE_MS);
  expect(client.disconnects).toBeGreaterThan(1);
  end();
  client.disconnects = 0;
  await vi.advanceTimersByTimeAsync(A_WHILE_MS);
  expect(client.disconnects).toBe(0);
});

it('leaves a client alone that is connecting, and not one that is never ready', async () => {
  const client = new Client();
  client.answers = false;
  client.status = 'connecting';
  const end = watchRedis(client);
  await vi.advanceTimersByTimeAsync(A_WHILE_MS);
  expect(client.disconnects).toBe(0);
  client.status = 'connect';
  await vi.advanceTimersByTimeAsync(A_WHILE_MS);
  expect(client.disconnects).toBeGreaterThan(0);
  end();
});
