import { describe, expect, it } from 'vitest';
import type { SendingDomain } from '../database/entities.js';
import { dnsRecords } from '../dns-records/dns-records.rules.js';
import { serviceHosts } from '../dns-records/record-names.rules.js';
import { exampleDomain } from '../testing/example-domain.js';
import { applyFindings } from './apply-findings.rules.js';
import type { Findings } from './record-lookups.js';
import type { Verdict } from './text-records.rules.js';

const subdomains = { tracking: null, return_path: null, subscription: null, media: null };
const records = { hosts: serviceHosts('svc.test'), account: { selector: null, subdomains } };
const NOW = new Date('2026-01-05T09:00:00.000Z');
const context = { records, source: 'api', now: NOW, chance: 0 } as const;

const findings = (domain: SendingDomain, verdict: Verdict): Findings => ({
  records: dnsRecords(domain, records).map((record) => ({ ...record, verdict })),
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
    expect(after.records.tracking).toEqual({ propagated: true, lockedLabel: 'click' });
    expect(after.records.spf).toEqual({ propagated: true, lockedLabel: null });
  });

  it('that finds the same again changes nothing but its time', () => {
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

  it('that finds nothing out moves the time alone', () => {
    const before = exampleDomain();
    const { after, judged, changed } = applyFindings(before, findings(before, 'unknown'), context);
    expect([judged, changed]).toEqual([[], false]);
    expect(after).toMatchObject({ state: 'pending', records: {}, revision: 1, lastDnsCheckAt: NOW });
  });

  it('counts for nothing where another record is asked for by now', () => {
    const checked = exampleDomain();
    const { after: valid } = applyFindings(checked, findings(checked, 'pass'), context);
    const swapped = { ...valid, activeSlot: 2 } as const;
    const { after } = applyFindings(swapped, findings(checked, 'fail'), context);
    expect(after.records.dkim?.propagated).toBe(true);
    expect(after.records.dmarc?.propagated).toBe(false);
  });

  it('keeps locks when records disappear', () => {
    const before = exampleDomain();
    const { after: valid } = applyFindings(before, findings(before, 'pass'), context);
    const { after, becameInvalid } = applyFindings(valid, findings(valid, 'fail'), context);
    expect(becameInvalid).toBe(true);
    expect(after).toMatchObject({ state: 'invalid', lockedSelector: 'managed' });
    expect(after.records.tracking).toEqual({ propagated: false, lockedLabel: 'track' });
  });

  it('takes over what the owner publishes as SPF, unless it could not be seen', () => {
    const before = exampleDomain({ publishedSpf: 'v=spf1 a -all' });
    const seen = (publishedSpf: string | null | undefined) =>
      applyFindings(before, { ...findings(before, 'fail'), publishedSpf }, context).after.publishedSpf;
    expect(seen(undefined)).toBe('v=spf1 a -all');
    expect(seen(null)).toBeNull();
    expect(seen('v=spf1 mx -all')).toBe('v=spf1 mx -all');
  });
});
