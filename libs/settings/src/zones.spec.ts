import { expect, it } from 'vitest';
import { loadSettings } from './load.js';

const lists = (value: string) => loadSettings({ POSTMESH_ADDRESS_LISTS: value }).addressLists;

it('block lists are names of zones, each once, and off is none', () => {
  expect(lists('Zen.Spamhaus.org., key_1.dq.test ,zen.spamhaus.org')).toEqual([
    'zen.spamhaus.org',
    'key_1.dq.test',
  ]);
  expect(lists('off')).toEqual([]);
  expect(loadSettings({}).domainLists).toContain('dbl.spamhaus.org');
});

it.each([
  'localhost',
  'a b.test',
  'https://bl.test',
  Array.from({ length: 13 }, (_, nth) => `l${nth}.test`).join(),
])('%s is refused with the name of the setting', (value) =>
  expect(() => lists(value)).toThrow('POSTMESH_ADDRESS_LISTS'),
);
