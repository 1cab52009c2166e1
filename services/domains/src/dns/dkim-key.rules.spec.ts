import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { judgeDkimKey } from './dkim-key.rules.js';

const make = () => generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey;
const base64 = (key: ReturnType<typeof make>, type: 'spki' | 'pkcs1') =>
  key.export({ type, format: 'der' }).toString('base64');
const own = make();
const KEY = base64(own, 'spki');
const OTHER = base64(make(), 'spki');

const judge = (...values: string[]) => judgeDkimKey({ kind: 'found', values }, KEY);
const folded = (KEY.match(/.{1,64}/g) ?? []).join(' \r\n\t');

describe('a DKIM key record passes', () => {
  it.each([
    ['as asked', [`v=DKIM1; k=rsa; p=${KEY}`]],
    ['without version and type', [`p=${KEY}`]],
    ['with extra and reordered tags', [`v=DKIM1; t=s; p=${KEY}; h=sha256; k=rsa; s=email; n=note; x=1;`]],
    ['with other hashes and services, which are not checked', [`v=DKIM1; h=sha1; s=other; t=y; p=${KEY}`]],
    ['with a folded key', [`v=DKIM1;k=rsa;p= ${folded}`]],
    ['with the type in capitals', [`v=DKIM1; k=RSA; p=${KEY}`]],
    ['next to other texts', ['hello', `v=DKIM1; k=rsa; p=${KEY}`]],
  ])('%s', (_name, texts) => {
    expect(judge(...texts)).toEqual({ verdict: 'pass', cause: null });
  });
});

describe('a DKIM key record fails with a reason', () => {
  it.each([
    ['with another key', [`v=DKIM1; k=rsa; p=${OTHER}`], 'dkim_other_key'],
    ['revoked', ['v=DKIM1; p='], 'dkim_revoked'],
    ['cut off at 255 characters', [`v=DKIM1; k=rsa; p=${KEY}`.slice(0, 200)], 'dkim_key_cut'],
    ['with a character lost', [`v=DKIM1; p=${KEY.slice(0, 50)}${KEY.slice(51)}`], 'dkim_key_unreadable'],
    ['that is not a key', ['v=DKIM1; p=AAAA'], 'dkim_key_unreadable'],
    ['that is not base64', ['v=DKIM1; p=a-b_'], 'dkim_key_unreadable'],
    ['of another type', [`v=DKIM1; k=ed25519; p=${KEY}`], 'dkim_wrong_type'],
    ['of another version', [`v=DKIM2; k=rsa; p=${KEY}`], 'dkim_malformed'],
    ['with its version not first', [`k=rsa; v=DKIM1; p=${KEY}`], 'dkim_malformed'],
    ['with a malformed list', [`v=DKIM1; nonsense; p=${KEY}`], 'dkim_malformed'],
    ['with a tag twice', [`v=DKIM1; p=${KEY}; p=${KEY}`], 'dkim_malformed'],
    ['with a tag in capitals', [`v=DKIM1; P=${KEY}`], 'dkim_malformed'],
    ['in quotation marks', [`"v=DKIM1; k=rsa; p=${KEY}"`], 'quoted'],
    ['next to a second key', [`v=DKIM1; p=${KEY}`, `v=DKIM1; p=${OTHER}`], 'dkim_several'],
    ['without a key tag', ['v=DKIM1; k=rsa'], 'dkim_no_key'],
    ['without any text', [], 'not_found'],
  ])('%s', (_name, texts, code) => {
    expect(judge(...texts)).toMatchObject({ verdict: 'fail', cause: { code } });
  });

  it('with our key in the form of PKCS#1, which verifiers do not read', () => {
    const cause = { code: 'dkim_key_unreadable', isBare: true };
    expect(judge(`v=DKIM1; p=${base64(own, 'pkcs1')}`)).toMatchObject({ verdict: 'fail', cause });
  });
});

it('a DKIM key record is not judged when it cannot be looked up', () => {
  const judgement = judgeDkimKey({ kind: 'unknown', reason: 'no answer in time' }, KEY);
  expect(judgement).toEqual({
    verdict: 'unknown',
    cause: { code: 'inconclusive', reason: 'no answer in time' },
  });
});
