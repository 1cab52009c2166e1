import { expect, it } from 'vitest';
import { newId, type RecentChange } from '@postmesh/contracts';
import { freshChanges, type SentChanges } from './recent-changes.rules.js';

const change = (state: string, at: number): RecentChange => ({
  kind: 'message',
  id: newId(),
  state,
  at: new Date(at).toISOString(),
});

it('a change is sent once, each state of a message apart, and nothing is remembered for good', () => {
  const sent: SentChanges = new Map();
  const accepted = change('Received', 1_000);
  const delivered = { ...accepted, state: 'Delivered', at: new Date(2_000).toISOString() };
  expect(freshChanges(sent, [accepted], 0)).toEqual([accepted]);
  expect(freshChanges(sent, [accepted, delivered], 0)).toEqual([delivered]);
  expect(freshChanges(sent, [delivered], 0)).toEqual([]);
  expect(freshChanges(sent, [], 1_500)).toEqual([]);
  expect(sent.size).toBe(1);
});
