import { expect, it } from 'vitest';
import { isPublished } from './published-record.rules.js';

const WANTED = 'v=spf1 ip4:192.0.2.1 -all';

it.each([
  ['the same', WANTED, true],
  ['with a source of an operator', 'v=spf1 ip4:192.0.2.1  ip4:192.0.2.11 -all', true],
  ['without an address', 'v=spf1 ip4:192.0.2.11 -all', false],
  ['that lets others send', 'v=spf1 ip4:192.0.2.1 ~all', false],
  ['of another kind', `${WANTED}x`, false],
])('an SPF record %s', (_, found, isRight) => {
  expect(isPublished(found, WANTED)).toBe(isRight);
});

it('any other record has no more than is asked for', () => {
  expect(isPublished('10 mx.svc.test', '10 mx.svc.test')).toBe(true);
  expect(isPublished('10 mx.svc.test and more', '10 mx.svc.test')).toBe(false);
});
