import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { UnreadableReport } from '../unpack/unpack-report.js';
import type { AggregateReport, DomainReport, FailureReport, TlsReport } from './domain-report.js';
import { readDomainReport } from './read-domain-report.js';
import { DMARC_RECEIVERS, type Sample } from './receivers.table.js';
import { gzipOf, mailWith, sample, zipOf } from './samples.js';
import { TLS_RECEIVERS } from './tls-receivers.table.js';

const RECEIVERS = [...DMARC_RECEIVERS, ...TLS_RECEIVERS];

function mailOf({ file, sent }: Sample): Buffer {
  const bytes = sample(join('receivers', file));
  if (sent === undefined) return bytes;
  const { packed, type, fileName } = sent;
  const attached = packed === 'gzip' ? gzipOf(bytes) : packed === 'zip' ? zipOf([bytes]) : bytes;
  return mailWith(attached, `${type}; charset=us-ascii`, { fileName });
}

const named = (...parts: (string | null | undefined)[]): string =>
  parts.filter((part) => part !== null && part !== undefined).join(' ') || '-';

const ofDmarc = ({ organisation, policy, records }: AggregateReport): string[] => [
  `${organisation}, ${policy.domain} p=${policy.p}`,
  ...records.map((one) => {
    const passed = (is: boolean) => (is ? 'pass' : 'fail');
    const result = (domain: string | null, said: string | null) =>
      said === null ? '-' : named(domain ?? '-', said);
    return (
      `${one.source} ${one.count} ${one.disposition} dkim=${passed(one.dkim)} spf=${passed(one.spf)} from ${one.headerFrom}, ` +
      `signed ${result(one.dkimDomain, one.dkimResult)}, path ${result(one.spfDomain, one.spfResult)}` +
      (one.override === null ? '' : `, ${one.override}`)
    );
  }),
];

const ofTls = ({ organisation, policies }: TlsReport): string[] => [
  organisation,
  ...policies.flatMap(({ policyType, policyDomain, succeeded, failed, failures }) => [
    `${policyType} ${policyDomain || '-'} ${succeeded} sent, ${failed} failed`,
    ...failures.map(({ resultType, mxHost, sessions }) => `${resultType} at ${mxHost || '-'} ${sessions}`),
  ]),
];

const ofFailure = (one: FailureReport): string[] => [
  `failure ${one.failure} of ${one.reportedDomain} from ${one.source}, ${one.deliveryResult}, alignment ${named(one.alignment)}, ` +
    `signed ${named(one.dkimDomain)}, ${one.arrivedAt?.toISOString()}, ${named(one.messageIdHeader)}`,
];

function figuresOf(report: DomainReport | undefined): string[] {
  if (report === undefined) return [];
  if (report.kind === 'dmarc') return ofDmarc(report);
  return report.kind === 'tls' ? ofTls(report) : ofFailure(report);
}

it.each(RECEIVERS.map((one) => [one.receiver, one.quirk, one] as const))(
  'a report of %s is read whole, or refused with its reason: %s',
  async (_, __, one) => {
    const reading = readDomainReport(mailOf(one));
    if (one.refused !== undefined) {
      await expect(reading).rejects.toThrow(new UnreadableReport(one.refused));
      return;
    }
    const report = await reading;
    expect(figuresOf(report)).toEqual(one.figures);
    if (report?.kind === 'dmarc') expect(report.skipped).toBe(0);
    if (report && report.kind !== 'failure')
      expect([report.reportId, report.beginsAt < new Date('2026-01-02')]).toEqual([
        expect.stringMatching(/./),
        true,
      ]);
  },
);

it('each sample is in the table once, and says what it is for', () => {
  const files = readdirSync(join(import.meta.dirname, 'samples', 'receivers')).sort();
  expect(RECEIVERS.map(({ file }) => file).sort()).toEqual(files);
  for (const { source, figures, refused } of RECEIVERS) {
    expect(source ?? 'https://').toMatch(/^https:\/\//);
    expect(figures === undefined).toBe(refused !== undefined);
  }
});
