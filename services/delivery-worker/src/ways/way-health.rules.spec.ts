import { expect, it } from 'vitest';
import { CLOSED_MS, isClosed, notReached, tried, type WayTrouble } from './way-health.rules.js';

const after = (...hosts: string[]): WayTrouble | undefined =>
  hosts.reduce<WayTrouble | undefined>((before, host) => notReached(before, host, 0), undefined);

it.each([
  ['one host that is down', ['a', 'a', 'a', 'a'], false],
  ['two hosts that are down', ['a', 'b', 'a', 'b'], false],
  ['three hosts without a reply in between', ['a', 'b', 'c'], true],
])('%s: a way is closed is %o', (_, hosts, closed) => {
  expect(isClosed(after(...hosts), 0)).toBe(closed);
});

it('one message probes a closed way, and the others wait for what it meets', () => {
  const closed = after('a', 'b', 'c')!;
  expect(isClosed(closed, CLOSED_MS - 1)).toBe(true);
  expect(isClosed(closed, CLOSED_MS)).toBe(false);
  const probed = tried(closed, CLOSED_MS);
  expect(isClosed(probed, CLOSED_MS + 1)).toBe(true);
  expect(isClosed(notReached(probed, 'd', CLOSED_MS + 10), 2 * CLOSED_MS)).toBe(true);
  expect(isClosed(undefined, 0)).toBe(false);
});

it('a relay that takes no mail is closed at once', () => {
  expect(isClosed(notReached(undefined, 'relay', 0, 1), 0)).toBe(true);
});
