import { expect, it } from 'vitest';
import { loadSettings } from '@postmesh/settings';
import { groupKeyOf } from '../queue/webhook-deliveries.table.js';
import { EndpointRooms } from './endpoint-rooms.js';
import type { EndpointStates } from './endpoint-states.js';

const keyOf = (id: string) => groupKeyOf('shop.test', id);

/** Failing endpoints in the order of EndpointStates: a called endpoint moves to the end. */
function roomsWith(
  failing: readonly string[],
  webhookConcurrency: number,
  pausing = new Set<string>(),
  pause: (id: string) => void = () => undefined,
) {
  const known = new Map(failing.map((id) => [id, keyOf(id)]));
  const states: Pick<EndpointStates, 'isFailing' | 'isPausing' | 'limited' | 'called'> = {
    isFailing: (id) => known.has(id),
    isPausing: (id) => pausing.has(id),
    limited: () => [...known, ...[...pausing].map((id) => [id, keyOf(id)] as const)],
    called: (id) => {
      pause(id);
      if (known.delete(id)) known.set(id, keyOf(id));
    },
  };
  return new EndpointRooms(states as EndpointStates, { ...loadSettings({}), webhookConcurrency });
}

const failing = ['a', 'b', 'c', 'd', 'e'];
const roomy = (rooms: EndpointRooms) =>
  [...rooms.entries()].filter(([, room]) => room > 0).map(([key]) => key);

it('failing endpoints have one call each, a quarter of the permits together, in round-robin order', () => {
  const rooms = roomsWith(failing, 8);
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

it('a pausing endpoint has no further call, whether it is failing or requested the pause', () => {
  const pausing = new Set(['a']);
  const rooms = roomsWith(['b'], 8, pausing);
  expect(rooms.of(keyOf('a'))).toBe(0);
  rooms.begin('a');
  expect(rooms.of(keyOf('a'))).toBe(1);
  rooms.end('a');
  pausing.delete('a');
  expect(rooms.of(keyOf('a'))).toBe(16);
  pausing.add('b');
  expect(roomy(rooms)).toEqual([]);
});

it('after a probe longer than the pause the next one waits until the end of the first is recorded', () => {
  const pausing = new Set<string>();
  const rooms = roomsWith(['a'], 8, pausing, (id) => pausing.add(id));
  expect(roomy(rooms)).toEqual([keyOf('a')]);
  rooms.begin('a');
  pausing.clear();
  rooms.end('a');
  expect(roomy(rooms)).toEqual([]);
});

it('a dispatcher with few permits has one for failing endpoints', () => {
  expect(roomy(roomsWith(failing, 1))).toHaveLength(1);
});
