import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { HouseScript } from './house-script.js';
import { HOUSES } from './houses.table.js';

test('docs/local-internet.md lists every house with its line', () => {
  const text = readFileSync(new URL('../../../../docs/local-internet.md', import.meta.url), 'utf8');
  const section = text.slice(text.indexOf('## Houses'), text.indexOf('### Events and behaviour of a house'));
  const rows = [...section.matchAll(/^\| `([^`]+)` +\| (.+?) +\|$/gm)].map(([, name, about]) => ({
    name,
    about,
  }));
  expect(rows).toEqual(HOUSES.map(({ name, about }) => ({ name, about })));
});

test('houses have names that are labels, each its own, and scripts that can be read', () => {
  expect(new Set(HOUSES.map(({ name }) => name)).size).toBe(HOUSES.length);
  // each has an address 127.25.0.1 to 127.25.0.250
  expect(HOUSES.length).toBeLessThan(250);
  for (const { name, about: _, ...script } of HOUSES) {
    expect(name).toMatch(/^[a-z][a-z-]{1,30}$/);
    expect(() => HouseScript.parse(script)).not.toThrow();
  }
});
