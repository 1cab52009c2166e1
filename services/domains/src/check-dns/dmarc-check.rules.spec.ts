import { describe, expect, it } from 'vitest';
import { judgeDmarc } from './dmarc-check.rules.js';

describe('DMARC', () => {
  it.each([
    ['passes as asked', ['v=DMARC1; p=quarantine; sp=none; adkim=r; aspf=r;'], 'pass'],
    ['passes with another policy', ['v=DMARC1;p=none'], 'pass'],
    ['passes with spaces', ['v = DMARC1 ; p = Reject ; rua=mailto:x@a.test'], 'pass'],
    ['passes beside other texts', ['hello', 'v=DMARC1; p=reject'], 'pass'],
    ['fails with two records', ['v=DMARC1; p=reject', 'v=DMARC1; p=none'], 'fail'],
    ['fails without a policy', ['v=DMARC1; rua=mailto:x@a.test'], 'fail'],
    ['fails with an unknown policy', ['v=DMARC1; p=maybe'], 'fail'],
    ['fails when malformed', ['v=DMARC1; p=none; p=reject'], 'fail'],
    ['is absent where only other texts are', ['v=DMARC2; p=none', 'p=none; v=DMARC1'], 'absent'],
  ])('%s', (_name, values, expected) => {
    expect(judgeDmarc({ kind: 'found', values })).toBe(expected);
  });

  it('is absent without records, and not judged when it cannot be looked up', () => {
    expect(judgeDmarc({ kind: 'none' })).toBe('absent');
    expect(judgeDmarc({ kind: 'unknown', reason: 'ETIMEOUT' })).toBe('unknown');
  });
});
