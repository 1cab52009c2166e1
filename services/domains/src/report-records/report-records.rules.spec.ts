import { describe, expect, it } from 'vitest';
import type { Lookup } from '../dns/dns-resolver.port.js';
import { dmarcRecord, tlsRecord } from './report-records.rules.js';

const TO = 'reports+x@rp.svc.test';
const NONE: Lookup<string> = { kind: 'none' };
const UNKNOWN: Lookup<string> = { kind: 'unknown', reason: 'no answer' };
const found = (...values: string[]): Lookup<string> => ({ kind: 'found', values });
const dmarc = (own: Lookup<string>, inherited?: Lookup<string>) =>
  dmarcRecord('shop.test', TO, own, inherited);
const tls = (own: Lookup<string>) => tlsRecord('shop.test', TO, own);

describe('the DMARC record that brings reports', () => {
  it('is our policy with the address, where there is none', () => {
    expect(dmarc(NONE)).toEqual({
      kind: 'dmarc',
      type: 'TXT',
      host: '_dmarc.shop.test',
      content: `v=DMARC1; p=quarantine; sp=none; adkim=r; aspf=r; rua=mailto:${TO}; ruf=mailto:${TO}`,
      state: 'missing',
      found: [],
    });
  });

  it('is the policy in force, where the domain inherits it', () => {
    const above = found('v=DMARC1; p=reject; sp=none; rua=mailto:a@corp.test');
    expect(dmarc(NONE, above).content).toBe(`v=DMARC1; p=none; rua=mailto:${TO}; ruf=mailto:${TO}`);
  });

  it.each([
    ['v=DMARC1; p=none', `v=DMARC1; p=none; rua=mailto:${TO}; ruf=mailto:${TO}`],
    ['v=DMARC1; p=none;', `v=DMARC1; p=none; rua=mailto:${TO}; ruf=mailto:${TO}`],
    [
      'v=DMARC1; p=reject; rua=mailto:a@corp.test!10m , mailto:b@corp.test; pct=20',
      `v=DMARC1; p=reject; rua=mailto:a@corp.test!10m , mailto:b@corp.test,mailto:${TO}; pct=20; ruf=mailto:${TO}`,
    ],
    ['v=DMARC1; p=none; rua=', `v=DMARC1; p=none; rua=mailto:${TO}; ruf=mailto:${TO}`],
  ])('keeps what its owner has: %s', (text, content) => {
    expect(dmarc(found(text))).toMatchObject({ content, state: 'changed', found: [text] });
  });

  it('is present with our address, in any letter case and with a size', () => {
    const text = `v=DMARC1; p=none; RUA=mailto:${TO.toUpperCase()}!5m; ruf=mailto:${TO};`;
    expect(dmarc(found(text))).toMatchObject({ content: text, state: 'present' });
  });

  it('is left to its owner, or not known', () => {
    expect(dmarc(found('v=DMARC1; p=none', 'v=DMARC1; p=reject')).state).toBe('left');
    expect(dmarc(found('v=DMARC1; p=maybe')).state).toBe('left');
    expect(dmarc(UNKNOWN).state).toBe('unknown');
    expect(dmarc(NONE, UNKNOWN).state).toBe('unknown');
  });
});

describe('the record that brings reports about TLS', () => {
  it.each<[Lookup<string>, string, string]>([
    [NONE, 'missing', `v=TLSRPTv1; rua=mailto:${TO}`],
    [found('v=spf1 -all'), 'missing', `v=TLSRPTv1; rua=mailto:${TO}`],
    [
      found('v=TLSRPTv1;rua=https://corp.test/tls'),
      'changed',
      `v=TLSRPTv1;rua=https://corp.test/tls,mailto:${TO}`,
    ],
    [found(`v=TLSRPTv1; rua=mailto:${TO};`), 'present', `v=TLSRPTv1; rua=mailto:${TO};`],
    [found('v=TLSRPTv1', 'v=TLSRPTv1;'), 'left', `v=TLSRPTv1; rua=mailto:${TO}`],
    [UNKNOWN, 'unknown', `v=TLSRPTv1; rua=mailto:${TO}`],
  ])('%o: %s', (own, state, content) => expect(tls(own)).toMatchObject({ state, content }));
});
