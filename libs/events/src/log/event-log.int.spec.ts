import { afterAll, beforeAll, expect, it } from 'vitest';
import { testDatabase } from '@postmesh/testing';
import pg from 'pg';
import { createEmbeddedBus } from '../embedded/embedded-bus.js';
import type { EventBus } from '../event-bus.port.js';
import { fact } from '../../conformance/facts.js';
import { readEvents } from './event-log.js';

const database = testDatabase();
let bus: EventBus;
let client: pg.Client;

beforeAll(async () => {
  bus = await createEmbeddedBus({ url: database.url });
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});
afterAll(async () => {
  await client?.end();
  await bus?.close();
});

it('events of other types are read without their data; what is no event of ours is read whole', async () => {
  const handled = fact('a', 1);
  const later = { ...fact('a', 2), version: 2 };
  const other = fact('a', 3, { type: 'other-happened' });
  await bus.publish([handled, later, other]);
  const foreign = '{"type":"thing-happened","data":{"data":1}}';
  await client.query('select bus.append($1, $2, true)', [
    ['messages', 'messages'],
    [foreign, 'no JSON'],
  ]);
  const log = { id: 'any', schema: 'bus' };
  const read = async (handles?: { type: string; version: number }[]) =>
    (await readEvents(client, log, new Map([['messages', 0]]), { total: 10, of: () => 10 }, handles)).map(
      ({ text }) => text,
    );
  const whole = [handled, later, other].map((event) => JSON.stringify(event));
  expect(await read()).toEqual([...whole, foreign, 'no JSON']);
  const { data: _v2, ...headOfLater } = later;
  const { data: _other, ...headOfOther } = other;
  expect(await read([{ type: 'thing-happened', version: 1 }])).toEqual([
    whole[0],
    JSON.stringify(headOfLater),
    JSON.stringify(headOfOther),
    foreign,
    'no JSON',
  ]);
});
