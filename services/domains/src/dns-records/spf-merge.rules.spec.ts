import { describe, expect, it } from 'vitest';
import { recommendedSpf } from './spf-merge.rules.js';

const HOST = 'spf.svc.test';

describe('the SPF record an owner is asked for keeps what is published already', () => {
  it.each([
    [null, 'v=spf1 include:spf.svc.test ~all'],
    ['v=spf1 -all', 'v=spf1 include:spf.svc.test -all'],
    ['v=spf1 a mx ip4:192.0.2.1 ?all', 'v=spf1 a mx ip4:192.0.2.1 include:spf.svc.test ?all'],
    ['v=spf1 include:other.test ALL', 'v=spf1 include:other.test include:spf.svc.test ALL'],
    ['v=spf1 mx', 'v=spf1 mx include:spf.svc.test'],
    ['v=spf1 a redirect=other.test', 'v=spf1 a include:spf.svc.test redirect=other.test'],
    ['v=spf1', 'v=spf1 include:spf.svc.test'],
    ['v=spf1  a   -all ', 'v=spf1 a include:spf.svc.test -all'],
    ['v=spf1 include:spf.svc.test -all', 'v=spf1 include:spf.svc.test -all'],
    ['v=spf1 a +include:SPF.svc.test. -all', 'v=spf1 a +include:SPF.svc.test. -all'],
    ['v=spf1 -all include:spf.svc.test', 'v=spf1 include:spf.svc.test -all include:spf.svc.test'],
    ['v=spf1 ?include:spf.svc.test a -all', 'v=spf1 a include:spf.svc.test -all'],
    ['v=spf1 include:xspf.svc.test -all', 'v=spf1 include:xspf.svc.test include:spf.svc.test -all'],
  ])('%j becomes %j', (published, expected) => {
    expect(recommendedSpf(published, HOST)).toBe(expected);
  });
});
