import { describe, expect, it } from 'vitest';
import { judgeDkimText } from './dkim-check.rules.js';

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
