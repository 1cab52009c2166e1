import { describe, expect, it } from 'vitest';
import { judgeDmarc, readDmarc } from './dmarc.rules.js';

const usual = { host: '_dmarc.a.test', isInherited: false, isReturnPathSeen: true, isSigned: true };
const judge = (texts: readonly string[], context: Partial<typeof usual> = {}) => {
  const lookup = texts.length > 0 ? ({ kind: 'found', values: texts } as const) : ({ kind: 'none' } as const);
  return judgeDmarc(readDmarc(lookup), { ...usual, ...context });
};

describe('DMARC passes', () => {
  it.each([
    ['as asked', ['v=DMARC1; p=quarantine; sp=none; adkim=r; aspf=r;']],
    ['with another policy', ['v=DMARC1;p=none']],
    ['with spaces', ['v = DMARC1 ; p = Reject ; rua=mailto:x@a.test']],
    ['with unknown tags', ['v=DMARC1; np=reject; p=reject; x=1']],
    ['with strict DKIM alignment, which our signatures meet', ['v=DMARC1; p=reject; adkim=s']],
    ['next to other texts', ['hello', 'v=DMARC1; p=reject']],
  ])('%s', (_name, texts) => {
    expect(judge(texts)).toEqual({ verdict: 'pass', cause: null });
  });
});

describe('DMARC fails with a reason', () => {
  it.each([
    ['with two records', ['v=DMARC1; p=reject', 'v=DMARC1; p=none'], 'dmarc_several'],
    ['without a policy', ['v=DMARC1; rua=mailto:x@a.test'], 'dmarc_malformed'],
    ['with an unknown policy', ['v=DMARC1; p=maybe'], 'dmarc_malformed'],
    ['with an unknown policy for subdomains', ['v=DMARC1; p=none; sp=maybe'], 'dmarc_malformed'],
    ['with a tag twice', ['v=DMARC1; p=none; p=reject'], 'dmarc_malformed'],
    ['with another version', ['v=DMARC2; p=none'], 'dmarc_malformed'],
    ['with its version not first', ['p=none; v=DMARC1'], 'dmarc_malformed'],
    ['without its version', ['p=reject'], 'dmarc_malformed'],
    ['with other texts only', ['hello'], 'not_found'],
    ['without a record', [], 'not_found'],
  ])('%s', (_name, texts, code) => {
    expect(judge(texts)).toMatchObject({ verdict: 'fail', cause: { code } });
  });
});

describe('DMARC that quarantines or rejects what SPF alone would pass is right, with advice', () => {
  it.each([
    ['strict SPF alignment', 'v=DMARC1; p=reject; aspf=s', {}, 'dmarc_strict_spf'],
    ['strict alignment without consequence', 'v=DMARC1; p=none; aspf=s', {}, undefined],
    [
      'no signature and a foreign envelope',
      'v=DMARC1; p=quarantine',
      { isReturnPathSeen: false, isSigned: false },
      'dmarc_unaligned',
    ],
    ['a signature and a foreign envelope', 'v=DMARC1; p=quarantine', { isReturnPathSeen: false }, undefined],
    ['an envelope of its own and no signature', 'v=DMARC1; p=quarantine', { isSigned: false }, undefined],
    ['an inherited policy', 'v=DMARC1; p=none; sp=reject; aspf=s', { isInherited: true }, 'dmarc_strict_spf'],
    [
      'an inherited policy that exempts subdomains',
      'v=DMARC1; p=reject; sp=none; aspf=s',
      { isInherited: true },
      undefined,
    ],
  ])('%s', (_name, text, context, code) => {
    const judgement = judge([text], context);
    expect(judgement.verdict).toBe('pass');
    expect(judgement.cause?.code).toBe(code);
  });
});

it('DMARC is not judged when it cannot be looked up', () => {
  expect(judgeDmarc(readDmarc({ kind: 'unknown', reason: 'ETIMEOUT' }), usual).verdict).toBe('unknown');
});
