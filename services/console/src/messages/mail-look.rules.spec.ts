import { expect, it } from 'vitest';
import { hasDarkLook, inLook } from './mail-look.rules';

const MAIL =
  '<meta name="color-scheme" content="light dark"><style>:root{color-scheme:light dark}@media ( prefers-color-scheme:DARK ){a{}}@media (prefers-color-scheme: light) and (max-width: 9px){b{}}</style>';

it('decides the styles of a look', () => {
  expect(inLook(MAIL, 'dark')).toBe(
    '<meta name="color-scheme" content="dark"><style>:root{color-scheme:dark}@media (min-width: 0px){a{}}@media (max-width: 0px) and (max-width: 9px){b{}}</style>',
  );
  expect(inLook(MAIL, 'light')).toContain('@media (max-width: 0px){a{}}@media (min-width: 0px) and');
});

it('leaves a mail without such styles as it is', () => {
  const plain = '<p style="color: #000">light dark, prefers-color-scheme: dark</p>';
  expect(inLook(plain, 'dark')).toBe(plain);
});

it.each([
  [MAIL, true],
  ['<meta name="supported-color-schemes" content="light dark">', true],
  ['<style>@media (prefers-color-scheme: dark) {}</style>', true],
  ['<meta name="color-scheme" content="light only"><p>dark</p>', false],
  ['<p>dark</p>', false],
])('finds whether there is a dark look: %s', (html, has) => expect(hasDarkLook(html)).toBe(has));
