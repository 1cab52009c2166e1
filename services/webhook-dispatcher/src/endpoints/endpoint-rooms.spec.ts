import { expect, it } from 'vitest';
import { loadSettings } from '@postmesh/settings';
import { groupKeyOf } from '../queue/webhook-deliveries.table.js';
import { EndpointRooms } from './endpoint-rooms.js';
import type { EndpointStates } from './endpoint-states.js';

const keyOf = (id: string) => groupKeyOf('shop.test', id);

/** Open endpoints as EndpointStates keeps them: whoever is called goes to the end. */
function roomsWith(openOnes: readonly string[], webhookConcurrency: number) {
  const open = new Map(openOnes.map((id) => [id, keyOf(id)]));
  const states: Pick<EndpointStates, 'isOpen' | 'openOnes' | 'called'> = {
    isOpen: (id) => open.has(id),
    openOnes: () => open,
    called: (id) => {
      if (open.delete(id)) open.set(id, keyOf(id));
    },
  };
  return new EndpointRooms(states as EndpointStates, { ...loadSettings({}), webhookConcurrency });
}

const open = ['a', 'b', 'c', 'd', 'e'];
const roomy = (rooms: EndpointRooms) =>
  [...rooms.entries()].filter(([, room]) => room > 0).map(([key]) => key);

it('open endpoints have one attempt each, a quarter of the places together, and take turns', () => {
  const rooms = roomsWith(open, 8);
  expect(rooms.of(keyOf('healthy'))).toBe(16);
  expect(roomy(rooms)).toEqual([keyOf('a'), keyOf('b')]);
  rooms.begin('a');
  rooms.begin('b');
  expect(roomy(rooms)).toEqual([keyOf('a'), keyOf('b')]);
  expect(rooms.of(keyOf('c'))).toBe(0);
  rooms.end('a');
  expect(roomy(rooms)).toEqual([keyOf('c'), keyOf('b')]);
  rooms.end('b');
  expect(roomy(rooms)).toEqual([keyOf('c'), keyOf('d')]);
});

it('a dispatcher with few places has one for them', () => {
  expect(roomy(roomsWith(open, 1))).toHaveLength(1);
});
