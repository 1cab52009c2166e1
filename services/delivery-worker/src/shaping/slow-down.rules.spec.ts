import { expect, it } from 'vitest';
import { describeSlowDown, type SlowDown } from './slow-down.rules.js';

const until = new Date('2026-01-05T10:50:00Z');
const cause = {
  code: 421,
  enhanced: '4.7.28',
  text: 'slow down',
  host: 'mx.shop.test',
  address: '198.51.100.7',
};
const domain = { scope: 'source+domain', subject: 'shop.test' } as const;

it.each<[string, SlowDown]>([
  [
    'Google slowed down 198.51.100.7 (421 4.7.28, IP address): nothing before 10:50 UTC',
    { groupKey: 'p:google', cause, until },
  ],
  [
    'mx.shop.test slowed down us (451, IP address): nothing before 10:50 UTC',
    {
      groupKey: 'm:0123456789abcdef',
      cause: { ...cause, code: 451, enhanced: undefined, address: undefined },
      until,
    },
  ],
  [
    'Google slowed down shop.test from 198.51.100.7 (421 4.7.28, sending domain): nothing before 10:50 UTC',
    { groupKey: 'p:google', cause, until, narrowed: domain },
  ],
  [
    'Comcast slowed down account one (421 4.7.28, account): nothing before 10:50 UTC',
    { groupKey: 'p:comcast', cause, until, narrowed: { scope: 'account', subject: 'one' } },
  ],
  [
    'the mail host slowed down us (IP address): nothing before 10:50 UTC',
    { groupKey: 'm:1', cause: null, until },
  ],
])('%s', (text, given) => {
  expect(describeSlowDown(given)).toBe(text);
});
