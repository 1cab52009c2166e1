import { expect, it } from 'vitest';
import { judgeName, judgePort, judgePresence, judgePtr, judgeRelay } from './egress-checks.rules.js';

const [ADDRESS, NAME] = ['192.0.2.10', 'mta.shop.test'];

it.each([
  [judgePtr(ADDRESS, NAME, ['MTA.shop.test.']), true, 'yes'],
  [
    judgePtr(ADDRESS, NAME, ['host-10.hosting.test']),
    false,
    'it is host-10.hosting.test; the owner of the address',
  ],
  [judgePtr(ADDRESS, NAME, []), false, 'it has none; the owner of the address sets it'],
  [judgePtr(ADDRESS, NAME, { trouble: 'ETIMEOUT' }), false, 'DNS gave no answer: ETIMEOUT'],
  [judgeName(ADDRESS, NAME, ['192.0.2.9', ADDRESS]), true, 'yes'],
  [judgeName(ADDRESS, NAME, ['192.0.2.9']), false, `it leads to 192.0.2.9; publish ${NAME} A ${ADDRESS}`],
  [judgeName('2001:db8::a', NAME, ['2001:DB8:0:0::A']), true, 'yes'],
  [judgeName('2001:db8::a', NAME, []), false, `it has no such address; publish ${NAME} AAAA 2001:db8::a`],
  [judgePort('192.0.2.10', 'mx.test', { banner: '220 mx.test' }), true, 'mx.test answers 220 mx.test'],
  [judgePort('192.0.2.10', 'mx.test', { banner: '554 no' }), true, 'mx.test answers 554 no'],
  [
    judgePort('192.0.2.10', 'mx.test', { trouble: 'no connection within 8 s' }),
    false,
    'mx.test: no connection within 8 s; ask your hosting provider to open outgoing port 25, or set POSTMESH_EGRESS_RELAY',
  ],
  [
    judgePort('192.0.2.10', 'mx.test', { unresolved: 'it has no IPv4 address' }),
    false,
    'mx.test: it has no IPv4 address, so it was not tried; repair DNS first',
  ],
  [judgePresence(ADDRESS, false), false, 'nothing leaves from it'],
  [
    judgeRelay('relay.test:587', undefined, true),
    true,
    'it shows a valid certificate and takes the password',
  ],
  [judgeRelay('relay.test:587', 'no TLS', true), false, 'no TLS'],
])('%j', (check, ok, detail) => {
  expect(check.ok).toBe(ok);
  expect(check.detail).toContain(detail);
});
