import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { AIRMAIL, COLOURS, FONT } from './look.js';

const STYLES = readFileSync(new URL('../../../services/console/src/styles.css', import.meta.url), 'utf8');
const close = (css: string): string => css.replaceAll(/\s+/g, '').toLowerCase();

it.each(Object.entries(COLOURS))('%s is the colour of the console', (name, [light, dark]) =>
  expect(STYLES).toContain(`  --${name}: light-dark(${light}, ${dark});`),
);

it('the border and the font are those of the console', () => {
  for (const part of [AIRMAIL, FONT]) expect(close(STYLES)).toContain(close(part));
});
