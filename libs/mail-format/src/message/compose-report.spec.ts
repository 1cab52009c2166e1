import PostalMime from 'postal-mime';
import { describe, expect, it } from 'vitest';
import { composeReport, reportFields, type ReportContent } from './compose-report.js';

const REPORT: ReportContent = {
  type: 'delivery-status',
  from: { email: 'mailer-daemon@svc.test', name: 'Mail Delivery System' },
  to: { email: 'bounces@shop.test' },
  subject: 'Undelivered: Grüße',
  messageId: '<1@svc.test>',
  date: new Date('2026-01-05T08:00:00Z'),
  autoSubmitted: 'auto-replied',
  text: 'Grüße',
  fields: [
    reportFields({ 'Reporting-MTA': 'dns; mx.svc.test', Missing: undefined }),
    reportFields({
      'Final-Recipient': 'rfc822; gone@mail.test',
      Action: 'failed',
      Status: '5.1.1',
      'Diagnostic-Code': 'smtp; 550 5.1.1 no\r\nBcc: x@y.test ü',
    }),
  ],
  original: { type: 'text/rfc822-headers', bytes: Buffer.from('Subject: Your order\r\n') },
};

describe('a report', () => {
  it('is a report for an independent parser: text, fields, header of the message', async () => {
    const raw = composeReport(REPORT);
    const mail = await PostalMime.parse(raw, { attachmentEncoding: 'utf8', rfc822Attachments: true });
    expect(mail.headers.find(({ key }) => key === 'content-type')?.value).toMatch(
      /^multipart\/report; report-type=delivery-status; boundary="[^"]+"$/,
    );
    expect(mail).toMatchObject({ subject: 'Undelivered: Grüße', text: 'Grüße', messageId: '<1@svc.test>' });
    expect(mail.headers).toContainEqual({
      key: 'auto-submitted',
      value: 'auto-replied',
      originalKey: 'Auto-Submitted',
    });
    const text = raw.toString('latin1');
    expect(text).toContain(
      'Content-Type: message/delivery-status\r\nContent-Transfer-Encoding: 7bit\r\n\r\n' +
        'Reporting-MTA: dns; mx.svc.test\r\n\r\nFinal-Recipient: rfc822; gone@mail.test\r\nAction: failed\r\n' +
        'Status: 5.1.1\r\nDiagnostic-Code: smtp; 550 5.1.1 no Bcc: x@y.test ?\r\n\r\n--',
    );
    expect(text).toContain('Content-Type: text/rfc822-headers\r\n');
    expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
  });

  it('names its recipient in a field that cannot become two', () => {
    expect(reportFields({ A: 'x\r\nB: y', C: 'z'.repeat(2_000) })).toBe(
      `A: x B: y\r\nC: ${'z'.repeat(900)}\r\n`,
    );
  });

  it('holds a message with bytes beyond ASCII as it is', () => {
    const bytes = Buffer.from('Subject: \xfc\r\n\r\n\xe4\r\n', 'latin1');
    const raw = composeReport({ ...REPORT, original: { type: 'message/rfc822', bytes } });
    expect(raw.includes(bytes)).toBe(true);
    expect(raw.toString('latin1')).toContain(
      'Content-Type: message/rfc822\r\nContent-Transfer-Encoding: 8bit\r\n',
    );
  });
});
