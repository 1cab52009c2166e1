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

it('of events of other types only the head of the last one is read; what is no event of ours is read whole', async () => {
  const handled = fact('a', 1);
  const later = { ...fact('a', 2), version: 2 };
  const other = fact('a', 3, { type: 'other-happened' });
  await bus.publish([handled, later, other]);
  const foreign = '{"type":"thing-happened","data":{"data":1}}';
  await client.query('select bus.append($1, $2, true)', [
    ['messages', 'messages'],
    [foreign, 'no JSON'],
  ]);
  await bus.publish([later, other]);
  const log = { id: 'any', schema: 'bus' };
  const read = async (handles?: { type: string; version: number }[], most = 10) =>
    (await readEvents(client, log, new Map([['messages', 0]]), { total: 10, of: () => most }, handles)).map(
      ({ text, passed, place }) => [text, passed, place.after, place.position],
    );
  const whole = [handled, later, other].map((event) => JSON.stringify(event));
  expect(await read()).toEqual(
    [...whole, foreign, 'no JSON', ...whole.slice(1)].map((text, nth) => [text, 0, nth, nth + 1]),
  );
  const { data: _other, ...headOfOther } = other;
  const mine = [{ type: 'thing-happened', version: 1 }];
  expect(await read(mine)).toEqual([
    [whole[0], 0, 0, 1],
    [foreign, 0, 1, 4],
    ['no JSON', 0, 4, 5],
    [JSON.stringify(headOfOther), 3, 5, 7],
  ]);
  const { data: _later, ...headOfLater } = later;
  expect(await read(mine, 2)).toEqual([
    [whole[0], 0, 0, 1],
    [JSON.stringify(headOfLater), 0, 1, 2],
  ]);
});
