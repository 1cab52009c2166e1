import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId } from '@postmesh/contracts';
import { startEmbeddedPostgres } from '@postmesh/database';
import pg from 'pg';
import { afterAll, beforeAll } from 'vitest';
import { createEmbeddedBus, type EventBus } from '../src/index.js';
import type { BusWorld } from './bus-driver.js';
import { describeEventBus } from './event-bus.conformance.js';

let serverUrl: string;
let stopServer = (): Promise<void> => Promise.resolve();

beforeAll(async () => {
  const given = process.env['DATABASE_URL'];
  if (given) {
    serverUrl = given;
    return;
  }
  const dataDir = await mkdtemp(join(tmpdir(), 'postmesh-bus-'));
  const server = await startEmbeddedPostgres({ dataDir });
  serverUrl = server.url;
  stopServer = async () => {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
});
afterAll(() => stopServer());

async function onServer(work: (client: pg.Client) => Promise<unknown>, url = serverUrl): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

async function openWorld(): Promise<BusWorld> {
  const database = `bus_${newId().replaceAll('-', '')}`;
  await onServer((client) => client.query(`create database ${database}`));
  const address = new URL(serverUrl);
  address.pathname = `/${database}`;
  const url = address.href;
  const buses: EventBus[] = [];
  return {
    connect: async () => {
      const bus = await createEmbeddedBus({ url });
      buses.push(bus);
      return bus;
    },
    inject: (stream, text) =>
      onServer((client) => client.query('select bus.append($1, $2, $3)', [[stream], [3], [text]]), url),
    forChild: () => ({ factory: 'createEmbeddedBus', options: { url } }),
    close: async () => {
      await Promise.all(buses.map((bus) => bus.close()));
      await onServer((client) => client.query(`drop database ${database} with (force)`));
    },
  };
}

describeEventBus({ name: 'embedded (PostgreSQL)', openWorld });
