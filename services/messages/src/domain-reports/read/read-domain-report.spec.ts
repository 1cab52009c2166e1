import { describe, expect, it } from 'vitest';
import { UnreadableReport } from '../unpack/unpack-report.js';
import type { AggregateReport } from './domain-report.js';
import { readDomainReport } from './read-domain-report.js';
import { gzipOf, mailWith, sample, zipOf } from './samples.js';

const OF_RFC_9990 = {
  kind: 'dmarc',
  organisation: 'Sample Reporter',
  reportId: '3v98abbp8ya9n3va8yr8oa3ya',
  beginsAt: new Date('1979-08-07T00:00:00Z'),
  endsAt: new Date('1979-08-07T23:59:59Z'),
  policy: { domain: 'example.com', p: 'quarantine' },
  records: [
    {
      source: '192.0.2.123',
      count: 123,
      disposition: 'none',
      dkim: true,
      spf: false,
      override: null,
      headerFrom: 'example.com',
      dkimDomain: 'example.com',
      dkimResult: 'pass',
      spfDomain: 'example.com',
      spfResult: 'fail',
    },
  ],
  skipped: 0,
};

const xml = sample('rfc9990-appendix-b.xml');
const text = xml.toString();
const read = (attachment: Buffer | string, type = 'application/octet-stream') =>
  readDomainReport(mailWith(Buffer.from(attachment), type));
const refused = (attachment: Buffer | string, reason: string | RegExp) =>
  expect(read(attachment)).rejects.toThrow(
    typeof reason === 'string' ? new UnreadableReport(reason) : reason,
  );

describe('an aggregate report of DMARC', () => {
  it.each<[string, Buffer, string]>([
    ['plain', xml, 'text/xml'],
    ['by gzip', gzipOf(xml), 'application/gzip'],
    ['by zip', zipOf([xml]), 'application/zip'],
    ['by zip, stored', zipOf([xml], { method: 0 }), 'application/x-zip-compressed'],
    ['by gzip with the type of zip', gzipOf(xml), 'application/zip'],
    ['with a mark of its byte order', Buffer.concat([Buffer.from('\ufeff'), xml]), 'application/xml'],
  ])('after RFC 9990 Appendix B is read %s', async (_, attachment, type) => {
    expect(await read(attachment, type)).toEqual(OF_RFC_9990);
  });

  it('in the form of RFC 7489 Appendix C is read with namespaces, entities and a bad record', async () => {
    const report = (await read(sample('rfc7489-appendix-c.xml'))) as AggregateReport;
    expect(report).toMatchObject({
      organisation: 'mail.test',
      policy: { domain: 'shop.test', p: 'none' },
      skipped: 1,
    });
    expect(report.records).toEqual([
      expect.objectContaining({
        source: '192.0.2.10',
        count: 88,
        dkim: true,
        spf: true,
        dkimDomain: 'shop.test',
      }),
      {
        source: '2001:db8::9',
        count: 12,
        disposition: 'quarantine',
        dkim: false,
        spf: false,
        override: 'mailing_list',
        headerFrom: 'news.shop.test',
        dkimDomain: null,
        dkimResult: null,
        spfDomain: 'crm.test',
        spfResult: 'softfail',
      },
    ]);
  });

  it('is the whole message, where the writer attaches nothing', async () => {
    const raw = `From: a@mail.test\r\nContent-Type: application/gzip\r\nContent-Transfer-Encoding: base64\r\n\r\n${gzipOf(xml).toString('base64')}`;
    expect(await readDomainReport(Buffer.from(raw))).toEqual(OF_RFC_9990);
  });

  it('has no document type, and no entity of its own', async () => {
    await refused(`<!DOCTYPE feedback [<!ENTITY a "aaaa">]>${text}`, 'a document type');
    const report = (await read(text.replace('Sample Reporter', 'a&lol9;b'))) as AggregateReport;
    expect(report.organisation).toBe('a&lol9;b');
  });

  it('is bounded in depth, elements and records, however small it is packed', async () => {
    await refused(gzipOf(Buffer.from(`<feedback>${'<a>'.repeat(20)}`)), 'nested too deeply');
    await refused(
      gzipOf(Buffer.from(`<feedback>${'<a/>'.repeat(600_001)}`)),
      /too many elements|too large when unpacked/,
    );
    const [record = ''] = /<record>[^]*<\/record>/.exec(text) ?? [];
    const many = record.replaceAll(/\s*\n\s*/g, '').repeat(20_002);
    const report = (await read(gzipOf(Buffer.from(text.replace(record, many))))) as AggregateReport;
    expect([report.records.length, report.skipped]).toEqual([20_000, 2]);
  }, 60_000);

  it('has bounded texts and numbers', async () => {
    await refused(text.replace('302832000', '1e30'), 'an aggregate report without its metadata');
    await refused(text.replace(/<report_id>.*<\/report_id>/, ''), 'an aggregate report without its metadata');
    for (const count of ['-1', '1.5', '99999999999', 'many']) {
      const report = (await read(text.replace('<count>123<', `<count>${count}<`))) as AggregateReport;
      expect([report.records.length, report.skipped], count).toEqual([0, 1]);
    }
    const report = (await read(text.replace('Sample Reporter', 'x'.repeat(900_000)))) as AggregateReport;
    expect(report.organisation).toHaveLength(1_000);
  });
});

describe('a packed report', () => {
  it('is no bomb: the ratio and the size of its content are bounded', async () => {
    await refused(gzipOf(Buffer.alloc(32 * 1024 * 1024)), 'too large when unpacked');
    await refused(zipOf([Buffer.alloc(32 * 1024 * 1024)]), 'too large when unpacked');
    await refused(Buffer.alloc(5 * 1024 * 1024, 'x'), 'too many bytes');
  });

  it('is one file', async () => {
    await refused(zipOf([xml, xml]), 'an archive without its one report');
    await refused(zipOf([xml], { name: 'report.exe' }), 'an archive without its one report');
    await refused(zipOf(Array<Buffer>(11).fill(xml)), 'an archive of 11 files');
    await refused(gzipOf(gzipOf(xml)), 'neither XML nor JSON');
    await refused(zipOf([zipOf([xml])]), 'neither XML nor JSON');
  });

  it('is whole and open', async () => {
    const archive = zipOf([xml]);
    await refused(gzipOf(xml).subarray(0, 200), 'broken compression');
    await refused(archive.subarray(0, 200), 'an archive without a directory');
    await refused(zipOf([xml], { flags: 1 }), 'an encrypted archive');
    await refused('PK', 'an archive without a directory');
  });

  it('is never an exception of another kind, whichever byte is wrong', async () => {
    const archive = zipOf([xml]);
    for (let at = 0; at < archive.length; at += 1) {
      const broken = Buffer.from(archive);
      broken[at] = (broken[at] ?? 0) ^ 0xff;
      await read(broken).catch((error: unknown) => expect(error).toBeInstanceOf(UnreadableReport));
    }
  }, 60_000);
});

describe('a report about SMTP TLS', () => {
  const json = sample('rfc8460-appendix-b.json');

  it.each([json, gzipOf(json), zipOf([json], { name: 'report.json' })])(
    'after RFC 8460 Appendix B is read',
    async (given) => {
      expect(await read(given, 'application/tlsrpt+gzip')).toEqual({
        kind: 'tls',
        organisation: 'Company-X',
        reportId: '5065427c-23d3-47ca-b6e0-946ea0e8c4be',
        beginsAt: new Date('2016-04-01T00:00:00Z'),
        endsAt: new Date('2016-04-01T23:59:59Z'),
        policies: [
          {
            policyType: 'sts',
            policyDomain: 'company-y.example',
            succeeded: 5326,
            failed: 303,
            failures: [
              { resultType: 'certificate-expired', mxHost: 'mx1.mail.company-y.example', sessions: 100 },
              { resultType: 'starttls-not-supported', mxHost: 'mx2.mail.company-y.example', sessions: 200 },
              { resultType: 'validation-failure', mxHost: 'mx-backup.mail.company-y.example', sessions: 3 },
            ],
          },
        ],
      });
    },
  );

  it('is bounded in depth and values, and is one', async () => {
    await refused(
      gzipOf(Buffer.from(`${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`)),
      'is nested too deeply',
    );
    await refused(`{"policies":[${'1,'.repeat(200_000)}1]}`, 'has too many values');
    await refused('{"a":', 'broken JSON');
    await refused('{"report-id":"1"}', 'no report about TLS');
  });
});

describe('a failure report', () => {
  it('after RFC 6591 Appendix B is read', async () => {
    expect(await readDomainReport(sample('rfc6591-appendix-b.eml'))).toEqual({
      kind: 'failure',
      reportedDomain: 'a.sender.example',
      source: '192.0.2.1',
      failure: 'bodyhash',
      alignment: null,
      deliveryResult: null,
      dkimDomain: 'sender.example',
      arrivedAt: new Date('2011-10-08T20:15:58Z'),
      messageIdHeader: '<87913910.1318094604546@out.sender.example>',
      incidents: 1,
    });
  });

  it('of DMARC (RFC 9991) is read with its alignment', async () => {
    expect(await readDomainReport(sample('rfc9991-form.eml'))).toMatchObject({
      source: '192.0.2.2',
      failure: 'dmarc',
      alignment: 'dkim',
      deliveryResult: 'delivered',
      arrivedAt: null,
      messageIdHeader: '<first@consumer.example>',
      incidents: 4,
    });
  });
});

it('mail with other files is no report', async () => {
  const file = mailWith(zipOf([xml], { name: 'word.xml' }), 'application/msword', {
    fileName: 'order.docx',
  });
  const page = mailWith(Buffer.from('<html><p>feedback</p></html>'), 'text/html', { fileName: 'page.html' });
  for (const raw of [file, page]) expect(await readDomainReport(raw)).toBeUndefined();
});

it.each(['', 'Hello', 'Content-Type: text/plain\r\n\r\nI am away.'])(
  'mail that is no report is none: %j',
  async (raw) => expect(await readDomainReport(Buffer.from(raw))).toBeUndefined(),
);
