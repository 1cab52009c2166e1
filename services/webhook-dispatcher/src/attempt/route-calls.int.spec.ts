import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '@postmesh/contracts';
import type { RouteBodyRequest } from '@postmesh/messages-contract';
import { startHttpReceiver, testDatabase, type HttpReceiver } from '@postmesh/testing';
import { isSigned, startDispatcher, type DispatcherUnderTest } from '../testing/dispatcher-under-test.js';
import { RouteBodies } from './route-bodies.js';

const database = testDatabase();
let under: DispatcherUnderTest;
let receiver: HttpReceiver;

beforeAll(async () => {
  under = await startDispatcher(database.url, {
    logLevel: 'silent',
    routeRetries: Array.from({ length: 11 }, () => 1),
  });
  receiver = await startHttpReceiver();
});
afterAll(async () => {
  await under.stop();
  await receiver.close();
});
afterEach(() => {
  receiver.clear();
  receiver.respondWith({});
  under.attempts.length = 0;
});

const MESSAGE = {
  message_id: '01980f4a-9c2e-7d00-b1c2-3d4e5f607182',
  to: 'ticket-9@shop.test',
  occurred_at: '2026-01-05T11:00:00.250000Z',
};
const payload = (request: RouteBodyRequest) => ({ type: 'message.routing', route_id: request.route_id });

describe('a call of a route', () => {
  it('§13.5 rule 1 posts the body made by the messages service, signed with the secret of the route', async () => {
    const asked: RouteBodyRequest[] = [];
    under.bodies.of = (request) => {
      asked.push(request);
      return payload(request);
    };
    receiver.respondWith(() => ({ status: receiver.requests.length === 1 ? 500 : 204 }));
    const event = under.request(`${receiver.url}/in`, { route: MESSAGE });
    await under.bus.publish([event]);
    const story = await under.ended(event.data.delivery_id);
    expect(story).toMatchObject([
      { attempt: 1, target: 'route', webhook_id: event.data.webhook_id, success: false },
      { attempt: 2, target: 'route', webhook_id: event.data.webhook_id, success: true },
    ]);
    expect(asked).toEqual([
      {
        route_id: event.data.webhook_id,
        ...MESSAGE,
        attachments: true,
        headers: false,
        strip_replies: false,
      },
      asked[0],
    ]);
    expect(receiver.requests.every((request) => isSigned(request))).toBe(true);
    expect(new Set(receiver.requests.map(({ headers }) => headers['webhook-id']))).toEqual(
      new Set([event.data.webhook_message_id]),
    );
    expect(JSON.parse(receiver.requests[0]!.body.toString())).toEqual(payload(asked[0]!));
  });

  it('§13.5 rule 2 is tried 12 times in all', async () => {
    under.bodies.of = payload;
    receiver.respondWith({ status: 503 });
    const event = under.request(receiver.url, { route: MESSAGE });
    await under.bus.publish([event]);
    expect(await under.ended(event.data.delivery_id)).toHaveLength(12);
  });

  it('§13.5 rule 2 waits n⁴ seconds by default, 11 hours in all', async () => {
    const { routeRetries } = (await import('@postmesh/settings')).loadSettings({});
    expect(routeRetries).toEqual([1, 16, 81, 256, 625, 1296, 2401, 4096, 6561, 10_000, 14_641]);
  });

  it('§13.5 rule 1 follows a redirect like a webhook', async () => {
    under.bodies.of = payload;
    receiver.respondWith(({ path }) =>
      path === '/in' ? { status: 308, headers: { location: '/new' } } : { status: 200 },
    );
    const event = under.request(`${receiver.url}/in`, { route: MESSAGE });
    await under.bus.publish([event]);
    expect(await under.ended(event.data.delivery_id)).toMatchObject([{ success: true, status: 200 }]);
    expect(receiver.requests.map(({ path }) => path)).toEqual(['/in', '/new']);
  });

  it('§13.5 rule 4 refuses private targets that are not allowed', async () => {
    under.bodies.of = payload;
    const event = under.request('http://10.0.0.1/', { route: MESSAGE });
    await under.bus.publish([event]);
    const story = await under.ended(event.data.delivery_id);
    expect(story[0]).toMatchObject({ success: false, reason: 'address-refused (Error)' });
  });

  it('ends when the content of its message is gone', async () => {
    under.bodies.of = () => undefined;
    const event = under.request(receiver.url, { route: MESSAGE });
    await under.bus.publish([event]);
    await expect
      .poll(async () => (await under.internal('GET', `/operator/deliveries/${event.data.delivery_id}`)).body)
      .toMatchObject({ waiting: null, ended: { outcome: 'stopped', target: 'route' }, attempts: [] });
    expect(receiver.requests).toEqual([]);
  });

  it('holds no more than its budget, and leaves room for the route of another account', async () => {
    const text = 'x'.repeat(20_000_000);
    under.bodies.of = (request) => ({ ...payload(request), text });
    receiver.respondWith({ delayMs: 100 });
    const bodies = under.service.get(RouteBodies);
    let most = 0;
    const watch = setInterval(() => (most = Math.max(most, bodies.bytes)), 5);
    const accounts = [newId(), newId()];
    const events = Array.from({ length: 6 }, (_, nth) =>
      under.request(receiver.url, { route: MESSAGE, accountId: accounts[nth % 5 === 4 ? 1 : 0]! }),
    );
    await under.bus.publish(events);
    for (const { data } of events) await under.ended(data.delivery_id);
    clearInterval(watch);
    expect(most).toBeLessThanOrEqual(67_108_864);
    expect(bodies.bytes).toBe(0);
    expect(receiver.requests).toHaveLength(6);
  });
});
