import { expect, it } from 'vitest';
import { poolOf, type PoolRule } from './ways.rules.js';

const facts = {
  ...{ accountId: 'ann', senderDomain: 'shop.test', groupKey: 'p:google', isBulk: true, tags: ['news'] },
};
const rule = (change: Partial<PoolRule>): PoolRule => ({
  ...{ id: 'rule', place: 0, pool: 'vip', accountId: null, sendingDomain: null, provider: null },
  ...{ stream: null, tag: null, ...change },
});

it.each<[string, Partial<PoolRule>, string]>([
  ['its account', { accountId: 'ann' }, 'vip'],
  ['another account, such as a sub-account', { accountId: 'bob' }, 'default'],
  ['its sending domain', { sendingDomain: 'shop.test' }, 'vip'],
  ['another domain', { sendingDomain: 'other.test' }, 'default'],
  ['its provider', { provider: 'google' }, 'vip'],
  ['its MX group', { provider: 'p:google' }, 'vip'],
  ['another provider', { provider: 'yahoo' }, 'default'],
  ['its stream', { stream: 'bulk' }, 'vip'],
  ['the other stream', { stream: 'single' }, 'default'],
  ['a tag of it', { tag: 'news' }, 'vip'],
  ['another tag', { tag: 'bills' }, 'default'],
  ['a condition that holds and one that does not', { tag: 'news', provider: 'yahoo' }, 'default'],
])('a rule of %s: %j gives the message to the pool %s', (_, change, pool) =>
  expect(poolOf([rule(change)], facts)).toBe(pool),
);

it('the first rule that fits decides', () => {
  const rules = [rule({ tag: 'bills', pool: 'a' }), rule({ pool: 'b' }), rule({ pool: 'c' })];
  expect(poolOf(rules, facts)).toBe('b');
});
