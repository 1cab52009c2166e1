import { expect, it } from 'vitest';
import { returnPath, wayBack } from './return-path.rules';

const ORIGIN = 'https://mail.example';

it.each([
  '/console/messages',
  '/console/messages?recipient=ann%40mail.test&status=Bounced',
  '/console/audience/contacts/7',
])('a sign-in leads back to %s', (page) => {
  expect(returnPath(wayBack(page).to, ORIGIN)).toBe(page);
});

it('a sign-in from the first page leads to it', () => {
  expect([wayBack('/console/'), returnPath(undefined, ORIGIN)]).toEqual([{}, '/console/']);
});

it.each([
  'https://evil.test',
  '@evil.test/',
  '.evil.test/',
  '//evil.test/',
  '/../../evil',
  '/..//evil.test',
  '/%2e%2e//evil.test',
  '/\\..\\..\\\\evil.test',
  'x',
  '/api/session',
  '/sign-in?to=/sign-in',
  `/${'x'.repeat(500)}`,
])('%s is no page of the console', (to) => expect(returnPath(to, ORIGIN)).toBe('/console/'));

it.each(['/https://evil.test', '/javascript:alert(1)'])('%s stays on this host', (to) =>
  expect(returnPath(to, ORIGIN)).toBe(`/console${to}`),
);
