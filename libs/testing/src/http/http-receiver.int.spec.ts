import { afterEach, beforeEach, expect, it } from 'vitest';
import { startHttpReceiver, type HttpReceiver } from './http-receiver.js';

let receiver: HttpReceiver;
beforeEach(async () => {
  receiver = await startHttpReceiver();
});
afterEach(() => receiver.close());

const post = (path: string, body: string) => fetch(`${receiver.url}${path}`, { method: 'POST', body });

it('records what it gets', async () => {
  expect((await post('/hook?x=1', 'hello')).status).toBe(200);
  expect(receiver.requests).toHaveLength(1);
  expect(receiver.requests[0]).toMatchObject({ method: 'POST', path: '/hook?x=1' });
  expect(receiver.requests[0]?.body.toString()).toBe('hello');
});

it('answers as the test sets it, per request', async () => {
  receiver.respondWith((_request, nth) =>
    nth === 1 ? { status: 503, headers: { 'retry-after': '7' } } : { body: 'ok' },
  );
  const first = await post('/', '');
  expect([first.status, first.headers.get('retry-after')]).toEqual([503, '7']);
  expect(await (await post('/', '')).text()).toBe('ok');
});

it('cuts the connection on demand', async () => {
  receiver.respondWith({ hangUp: true });
  await expect(post('/', 'x')).rejects.toThrow('fetch failed');
  expect(receiver.requests).toHaveLength(1);
});

it('waits for requests, and reports their number after the timeout', async () => {
  const wanted = receiver.waitFor(2, { where: (request) => request.path === '/b' });
  await Promise.all([post('/a', ''), post('/b', ''), post('/b', '')]);
  expect(await wanted).toHaveLength(2);
  await expect(receiver.waitFor(4, { timeoutMs: 20 })).rejects.toThrow('3 of 4 requests came within 20 ms');
});
