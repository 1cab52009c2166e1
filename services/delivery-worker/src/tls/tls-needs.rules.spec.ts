import { describe, expect, it } from 'vitest';
import { covers, daneProof, meets, type DaneRecords, type PeerProof } from './host-need.rules.js';
import { ruleHost, type HostDane } from './tls-needs.rules.js';

const HOST = 'mx.a.test';
const records: HostDane = { kind: 'records', dane: { key: 'k', records: [], base: HOST } };
const unusable: HostDane = { kind: 'unusable' };
const none: HostDane = { kind: 'none' };
const unnamed: HostDane = { kind: 'unnamed' };
const failed: HostDane = { kind: 'failed', reason: 'SERVFAIL' };
const enforce = { mode: 'enforce', mx: [HOST] } as const;
const other = { mode: 'enforce', mx: ['mx.b.test'] } as const;
const testing = { mode: 'testing', mx: ['mx.b.test'] } as const;
const off = { mode: 'none', mx: [] } as const;

describe('the proof that a host needs', () => {
  it.each([
    ['DANE', records, undefined, { kind: 'used', need: 'dane', policy: 'dane' }],
    ['DANE, MTA-STS or not', records, other, { kind: 'used', need: 'dane', policy: 'dane' }],
    ['TLSA without a usable one', unusable, undefined, { kind: 'used', need: 'starttls', policy: 'dane' }],
    ['the same and MTA-STS', unusable, enforce, { kind: 'used', need: 'pkix', policy: 'sts' }],
    ['the same, not named by MTA-STS', unusable, other, { kind: 'passed-over', because: 'policy' }],
    ['no answer about TLSA', failed, undefined, { kind: 'passed-over', because: 'dns' }],
    ['no answer about TLSA, MTA-STS or not', failed, enforce, { kind: 'passed-over', because: 'dns' }],
    ['MX records that do not name it', unnamed, enforce, { kind: 'passed-over', because: 'dns' }],
    ['MTA-STS', none, enforce, { kind: 'used', need: 'pkix', policy: 'sts' }],
    ['MTA-STS that names others', none, other, { kind: 'passed-over', because: 'policy' }],
    ['MTA-STS that tests', none, testing, { kind: 'used' }],
    ['MTA-STS that was taken back', none, off, { kind: 'used' }],
    ['nothing', none, undefined, { kind: 'used' }],
  ] as const)('with %s', (_what, dane, sts, ruling) => {
    const given = { host: HOST, destination: 'a.test', dane, sts };
    expect(ruleHost({ ...given, required: false })).toMatchObject(ruling);
    if (ruling.kind === 'used' && !('need' in ruling)) {
      expect(ruleHost({ ...given, required: false })).toEqual({ kind: 'used' });
      expect(ruleHost({ ...given, required: true })).toEqual({ kind: 'used', need: 'starttls' });
    } else {
      expect(ruleHost({ ...given, required: true })).toMatchObject(ruling);
    }
  });
});

const dane: DaneRecords = { key: 'k', records: [], base: HOST, destination: 'a.test' };
const needs = {
  none: {},
  starttls: { need: 'starttls' },
  pkix: { need: 'pkix' },
  dane: { need: 'dane', dane },
} as const;
const proofs: Record<string, PeerProof> = {
  clear: { verdict: 'clear', pkix: false },
  untrusted: { verdict: 'untrusted', pkix: false },
  pkix: { verdict: 'pkix', pkix: true },
  dane: { verdict: 'dane', pkix: false, dane: daneProof(dane, 'base') },
  'dane by its own name': { verdict: 'dane', pkix: false, dane: daneProof(dane, 'destination') },
  'dane and pkix': { verdict: 'dane', pkix: true, dane: daneProof(dane, 'base') },
  'dane of other records': { verdict: 'dane', pkix: false, dane: 'other' },
  'dane by the name of another': {
    verdict: 'dane',
    pkix: false,
    dane: daneProof({ ...dane, destination: 'b.test' }, 'destination'),
  },
};

describe('a session', () => {
  it.each([
    ['clear', ['none']],
    ['untrusted', ['none', 'starttls']],
    ['pkix', ['none', 'starttls', 'pkix']],
    ['dane', ['none', 'starttls', 'dane']],
    ['dane by its own name', ['none', 'starttls', 'dane']],
    ['dane and pkix', ['none', 'starttls', 'pkix', 'dane']],
    ['dane of other records', ['none', 'starttls']],
    ['dane by the name of another', ['none', 'starttls']],
  ])('that is %s meets %j', (proof, met) => {
    const entries = Object.entries(needs).filter(([, need]) => meets(proofs[proof]!, need));
    expect(entries.map(([name]) => name)).toEqual(met);
  });

  it('that is opened for one need may serve another', () => {
    const served = (opened: keyof typeof needs) =>
      Object.entries(needs).flatMap(([name, need]) => (covers(needs[opened], need) ? [name] : []));
    expect(served('none')).toEqual(['none']);
    expect(served('starttls')).toEqual(['none', 'starttls']);
    expect(served('pkix')).toEqual(['none', 'starttls', 'pkix']);
    expect(served('dane')).toEqual(['none', 'starttls', 'dane']);
    expect(covers(needs.dane, { need: 'dane', dane: { ...dane, key: 'other' } })).toBe(false);
  });
});
