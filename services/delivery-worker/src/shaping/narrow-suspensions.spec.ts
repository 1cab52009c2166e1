import { expect, it } from 'vitest';
import { NarrowSuspensions, placeOf } from './narrow-suspensions.js';

const NOW = Date.UTC(2026, 0, 5, 8);
const [MINUTE, HOUR] = [60_000, 3_600_000];
const sender = { senderDomain: 'shop.test', accountId: 'one' };
const at = { groupKey: 'p:google', source: 'a', ...sender };
const signal = {
  do: 'suspend',
  scope: 'source+domain',
  forSeconds: 600,
  longestSeconds: 1_800,
  rule: 'google-spf',
} as const;
const cause = (now: number) => ({ code: 421, text: 'too much', at: now });

it('concerns the sending domain from one source, or the account from all', () => {
  const known = new NarrowSuspensions();
  known.next(placeOf('source+domain', at), signal, cause(NOW));
  const find = (source: string, of = sender) => known.find('p:google', source, of, NOW)?.scope;
  expect(find('a')).toBe('source+domain');
  expect(find('b')).toBeUndefined();
  expect(find('a', { ...sender, senderDomain: 'other.test' })).toBeUndefined();
  known.next(placeOf('account', at), { ...signal, forSeconds: 1_200 }, cause(NOW));
  expect(find('b')).toBe('account');
  expect(find('a')).toBe('account');
  expect(find('b', { ...sender, accountId: 'two' })).toBeUndefined();
  expect(known.find('p:yahoo', 'b', sender, NOW)).toBeUndefined();
  expect(known.find('p:google', 'b', sender, NOW + HOUR)).toBeUndefined();
});

it('is one event with replies that were on their way; soon after it is twice as long, up to the longest', () => {
  const known = new NarrowSuspensions();
  const place = placeOf('source+domain', at);
  const suspend = (now: number) => {
    const until = known.next(place, signal, cause(now))?.until;
    return until === undefined ? undefined : (until - now) / MINUTE;
  };
  expect(suspend(NOW)).toBe(10);
  expect(suspend(NOW + MINUTE)).toBeUndefined();
  expect(suspend(NOW + 11 * MINUTE)).toBe(20);
  expect(suspend(NOW + 32 * MINUTE)).toBe(30);
  expect(suspend(NOW + 24 * HOUR)).toBe(10);
});

it('of one group is replaced by the stored rows', () => {
  const known = new NarrowSuspensions();
  const one = known.next(placeOf('source+domain', at), signal, cause(NOW))!;
  const other = known.next(placeOf('account', { ...at, groupKey: 'p:yahoo' }), signal, cause(NOW))!;
  known.replace([], ['p:google']);
  expect(known.find('p:google', 'a', sender, NOW)).toBeUndefined();
  expect(known.find('p:yahoo', 'a', sender, NOW)).toBe(other);
  known.replace([one]);
  expect(known.find('p:google', 'a', sender, NOW)).toBe(one);
  expect(known.find('p:yahoo', 'a', sender, NOW)).toBeUndefined();
});
