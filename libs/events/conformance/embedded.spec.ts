import { afterAll, beforeAll } from 'vitest';
import { createEmbeddedBus } from '../src/embedded/embedded-bus.js';
import type { EventBus } from '../src/event-bus.port.js';
import type { BusWorld } from './bus-driver.js';
import { describeEventBus } from './event-bus.conformance.js';
import { anyPostgres, newDatabase, query, type TestServer } from './postgres.js';

let server: TestServer;
beforeAll(async () => {
  server = await anyPostgres();
});
afterAll(() => server.stop());

async function openWorld(): Promise<BusWorld> {
  const { url, drop } = await newDatabase(server.url);
  const buses: EventBus[] = [];
  return {
    connect: async () => {
      const bus = await createEmbeddedBus({ url });
      buses.push(bus);
      return bus;
    },
    inject: async (stream, text) =>
      void (await query(url, 'select bus.append($1, $2, true)', [[stream], [text]])),
    forChild: () => ({ factory: 'createEmbeddedBus', options: { url } }),
    close: async () => {
      await Promise.all(buses.map((bus) => bus.close()));
      await drop();
    },
  };
}

describeEventBus({ name: 'embedded (PostgreSQL)', members: 'take turns', openWorld });
