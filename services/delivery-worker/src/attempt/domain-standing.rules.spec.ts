import { expect, it } from 'vitest';
import { domainObstacle } from './domain-standing.rules.js';

const PAUSED = 'sending from the domain shop.test is paused';
const INVALID = 'the DNS records of the domain shop.test are not valid';

it.each([
  // paused, dnsValid, scheduled, sandbox, why it waits
  [false, true, false, null, undefined],
  [false, true, true, null, undefined],
  [true, true, false, null, PAUSED],
  [true, false, true, null, PAUSED],
  [false, false, true, null, INVALID],
  [false, false, false, null, undefined],
  [true, true, true, 'deliver', undefined],
  [false, false, true, 'deliver', undefined],
] as const)(
  'paused %s, valid DNS %s, scheduled %s, sandbox %s',
  (paused, dnsValid, scheduled, sandbox, why) => {
    const delivery = { domain: 'shop.test', sandbox, ...(scheduled ? { scheduled } : {}) };
    expect(domainObstacle(delivery, { dnsValid, paused })).toBe(why);
  },
);
