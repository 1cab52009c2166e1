import { describe, expect, it } from 'vitest';
import type { DnsState, SendingDomain } from '../database/entities.js';
import { exampleDomain } from '../testing/example-domain.js';
import { dnsRecords, serviceHosts } from './dns-records.rules.js';
import {
  applyFindings,
  isFresh,
  judgeDomain,
  nextCheckAt,
  nextDnsState,
  type CheckSource,
} from './dns-state.rules.js';
import type { Verdict } from './judgement.js';
import type { Findings } from './record-lookups.js';

const subdomains = { tracking: null, return_path: null, subscription: null, media: null };
const records = { hosts: serviceHosts('svc.test'), account: { selector: null, subdomains } };
const NOW = new Date('2026-01-05T09:00:00.000Z');
const context = { records, source: 'api', now: NOW, chance: 0 } as const;

const PROBLEM = { code: 'not_found', found: 'f', wanted: 'w', advice: 'a' };
const findings = (domain: SendingDomain, verdict: Verdict): Findings => ({
  records: dnsRecords(domain, records).map((record) => ({
    ...record,
    verdict,
    problem: verdict === 'pass' ? null : PROBLEM,
  })),
  publishedSpf: undefined,
  alias: 'published',
});

describe('a check', () => {
  it('that passes makes valid, locks names and raises the revision', () => {
    const before = exampleDomain({ subdomains: { ...subdomains, tracking: 'click' } });
    const { after, changed, becameValid } = applyFindings(before, findings(before, 'pass'), context);
    expect([changed, becameValid]).toEqual([true, true]);
    expect(after).toMatchObject({
      state: 'valid',
      stateSince: NOW,
      lastDnsCheckAt: NOW,
      updatedAt: NOW,
      lockedSelector: 'managed',
      revision: 2,
    });
    expect(after.records.tracking).toEqual({ propagated: true, lockedLabel: 'click', problem: null });
    expect(after.records.spf).toEqual({ propagated: true, lockedLabel: null, problem: null });
  });

  it('with the same result changes nothing but its time', () => {
    const before = exampleDomain();
    const { after: valid } = applyFindings(before, findings(before, 'pass'), context);
    const later = new Date(NOW.getTime() + 60_000);
    const again = applyFindings(valid, findings(valid, 'pass'), { ...context, now: later });
    expect(again.changed).toBe(false);
    expect(again.after).toEqual({
      ...valid,
      lastDnsCheckAt: later,
      nextCheckAt: new Date(later.getTime() + 15 * 60_000),
    });
  });

  it('without a result changes only the time, and records why', () => {
    const before = exampleDomain();
    const { after: valid } = applyFindings(before, findings(before, 'pass'), context);
    const { after, looked, changed } = applyFindings(valid, findings(valid, 'unknown'), context);
    expect([looked.length, changed]).toEqual([Object.keys(valid.records).length, false]);
    expect(after).toMatchObject({ state: 'valid', revision: valid.revision, lastDnsCheckAt: NOW });
    expect(after.records.tracking).toEqual({ propagated: true, lockedLabel: 'track', problem: PROBLEM });
    expect(after.lockedSelector).toBe(valid.lockedSelector);
  });

  it('without a result for a new domain changes nothing that the API shows', () => {
    const before = exampleDomain();
    const { after, changed } = applyFindings(before, findings(before, 'unknown'), context);
    expect(changed).toBe(false);
    expect(after).toMatchObject({ state: 'pending', revision: 1, lockedSelector: null });
    expect(after.records.spf).toEqual({ propagated: false, lockedLabel: null, problem: PROBLEM });
  });

  it('clears the problem of a record that is right now', () => {
    const before = exampleDomain();
    const { after: failing } = applyFindings(before, findings(before, 'fail'), context);
    expect(failing.records.spf?.problem).toEqual(PROBLEM);
    const { after } = applyFindings(failing, findings(failing, 'pass'), context);
    expect(after.records.spf?.problem).toBeNull();
  });

  it('does not count where another record is required by now', () => {
    const checked = exampleDomain();
    const { after: valid } = applyFindings(checked, findings(checked, 'pass'), context);
    const swapped = { ...valid, activeSlot: 2 } as const;
    const { after } = applyFindings(swapped, findings(checked, 'fail'), context);
    expect(after.records.dkim?.propagated).toBe(true);
    expect(after.records.dmarc?.propagated).toBe(false);
    expect([after.nextCheckAt, valid.nextCheckAt > NOW]).toEqual([NOW, true]);
  });

  it('keeps locks when records disappear', () => {
    const before = exampleDomain();
    const { after: valid } = applyFindings(before, findings(before, 'pass'), context);
    const { after, becameInvalid } = applyFindings(valid, findings(valid, 'fail'), context);
    expect(becameInvalid).toBe(true);
    expect(after).toMatchObject({ state: 'invalid', lockedSelector: 'managed' });
    expect(after.records.tracking).toEqual({ propagated: false, lockedLabel: 'track', problem: PROBLEM });
  });

  it('stores the owner’s SPF record, unless the look-up failed', () => {
    const before = exampleDomain({ publishedSpf: 'v=spf1 a -all' });
    const seen = (publishedSpf: string | null | undefined) =>
      applyFindings(before, { ...findings(before, 'fail'), publishedSpf }, context).after.publishedSpf;
    expect(seen(undefined)).toBe('v=spf1 a -all');
    expect(seen(null)).toBeNull();
    expect(seen('v=spf1 mx -all')).toBe('v=spf1 mx -all');
  });
});

describe('the verdict on a domain', () => {
  it.each<[Verdict[], Verdict]>([
    [['pass', 'pass', 'pass'], 'pass'],
    [['pass', 'unknown', 'pass'], 'unknown'],
    [['unknown', 'fail', 'pass'], 'fail'],
    [['unknown', 'unknown', 'unknown'], 'unknown'],
  ])('%j: %s', (required, expected) => {
    expect(judgeDomain(required)).toBe(expected);
  });
});

describe('the DNS state of a domain', () => {
  type Row = [
    from: DnsState,
    failures: number,
    verdict: Verdict,
    source: CheckSource,
    to: DnsState,
    left: number,
  ];

  it.each<Row>([
    ['pending', 0, 'pass', 'api', 'valid', 0],
    ['pending', 0, 'pass', 'background', 'valid', 0],
    ['pending', 0, 'fail', 'api', 'pending', 0],
    ['pending', 0, 'fail', 'background', 'pending', 0],
    ['valid', 0, 'pass', 'background', 'valid', 0],
    ['valid', 0, 'fail', 'background', 'suspect', 1],
    ['suspect', 1, 'fail', 'background', 'suspect', 2],
    ['suspect', 2, 'fail', 'background', 'invalid', 0],
    ['suspect', 2, 'pass', 'background', 'valid', 0],
    ['suspect', 1, 'pass', 'api', 'valid', 0],
    ['valid', 0, 'fail', 'api', 'invalid', 0],
    ['suspect', 1, 'fail', 'api', 'invalid', 0],
    ['invalid', 0, 'fail', 'api', 'invalid', 0],
    ['invalid', 0, 'fail', 'background', 'invalid', 0],
    ['invalid', 0, 'pass', 'background', 'valid', 0],
    ['pending', 0, 'unknown', 'api', 'pending', 0],
    ['valid', 0, 'unknown', 'api', 'valid', 0],
    ['suspect', 2, 'unknown', 'background', 'suspect', 2],
    ['invalid', 0, 'unknown', 'background', 'invalid', 0],
  ])('(%s, %i failures) and %s from %s: %s, %i', (from, failures, verdict, source, to, left) => {
    const after = nextDnsState({ state: from, failures, contested: false }, verdict, source);
    expect(after).toMatchObject({ state: to, failures: left });
    expect(after.becameInvalid).toBe(to === 'invalid' && from !== 'invalid');
    expect(after.becameValid).toBe(to === 'valid' && (from === 'pending' || from === 'invalid'));
  });

  it('is lost at once by a contested domain that fails a background check', () => {
    const before = { state: 'valid', failures: 0, contested: true } as const;
    expect(nextDnsState(before, 'fail', 'background')).toMatchObject({
      state: 'invalid',
      becameInvalid: true,
    });
    expect(nextDnsState(before, 'pass', 'background')).toMatchObject({ state: 'valid', contested: false });
    expect(nextDnsState(before, 'unknown', 'background')).toMatchObject({ state: 'valid', contested: true });
  });
});

const SINCE = new Date('2026-01-05T08:00:00.000Z');
const MINUTE = 60_000;
const later = (minutes: number) => new Date(SINCE.getTime() + minutes * MINUTE);

describe('the time of the next background check', () => {
  it.each<[DnsState, age: number, chance: number, wait: number]>([
    ['valid', 500, 0, 15],
    ['valid', 500, 1, 30],
    ['suspect', 0, 0.5, 5],
    ['pending', 0, 0, 1],
    ['pending', 1, 0, 4],
    ['pending', 5, 0, 10],
    ['pending', 15, 0, 15],
    ['pending', 29, 0, 1],
    ['pending', 30, 0, 60],
    ['pending', 14 * 24 * 60 - 1, 0, 60],
    ['pending', 14 * 24 * 60, 0, 24 * 60],
    ['invalid', 0, 0, 1],
    ['invalid', 100, 0, 60],
  ])('%s for %i minutes, chance %d: in %i minutes', (state, age, chance, wait) => {
    const next = nextCheckAt({ state, since: SINCE, now: later(age), chance });
    expect(next).toEqual(later(age + wait));
  });
});

describe('a stored result', () => {
  it('is fresh for less than 60 seconds', () => {
    expect(isFresh(null, SINCE)).toBe(false);
    expect(isFresh(SINCE, new Date(SINCE.getTime() + 59_999))).toBe(true);
    expect(isFresh(SINCE, later(1))).toBe(false);
  });
});
