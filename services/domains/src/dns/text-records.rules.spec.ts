import { describe, expect, it } from 'vitest';
import { judgeDkimText, judgeDmarc } from './text-records.rules.js';

const found = (...values: string[]) => ({ kind: 'found', values }) as const;

describe('a manual DKIM record', () => {
  it.each([
    ['as asked', ['v=DKIM1; k=rsa; p=KEY']],
    ['without version and type', ['p=KEY']],
    ['with extra and reordered tags', ['v=DKIM1; t=s; p=KEY; h=sha256; k=rsa; s=email;']],
    ['with spaces in the key', ['v=DKIM1;k=rsa;p=K E Y']],
    ['beside other texts', ['hello', 'v=DKIM1; k=rsa; p=KEY']],
  ])('passes %s', (_name, texts) => {
    expect(judgeDkimText(found(...texts), 'KEY')).toBe('pass');
  });

  it.each([
    ['with another key', ['v=DKIM1; k=rsa; p=YEK']],
    ['revoked', ['v=DKIM1; p=']],
    ['of another type', ['v=DKIM1; k=ed25519; p=KEY']],
    ['of another version', ['v=DKIM2; k=rsa; p=KEY']],
    ['with its version not first', ['k=rsa; v=DKIM1; p=KEY']],
    ['with a malformed list', ['v=DKIM1; nonsense; p=KEY']],
    ['with a tag twice', ['v=DKIM1; p=KEY; p=KEY']],
    ['beside a second key', ['v=DKIM1; p=KEY', 'v=DKIM1; p=OTHER']],
    ['without a key tag', ['v=DKIM1; k=rsa']],
  ])('fails %s', (_name, texts) => {
    expect(judgeDkimText(found(...texts), 'KEY')).toBe('fail');
  });

  it('fails when it is missing and is not judged when it cannot be looked up', () => {
    expect(judgeDkimText({ kind: 'none' }, 'KEY')).toBe('fail');
    expect(judgeDkimText({ kind: 'unknown', reason: 'ETIMEOUT' }, 'KEY')).toBe('unknown');
  });
});

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
