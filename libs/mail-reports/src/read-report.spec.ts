import { verpAddress } from '@postmesh/mail-format';
import { expect, it } from 'vitest';
import { judgeReport, readReport } from './index.js';

const KEY = 'a key of thirty-two characters ok';
const ID = '01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a01';

it('spec 2-messages §15.4: a failed recipient with 5.x is a bounce of the message that the token names', () => {
  const raw = [
    'From: MAILER-DAEMON@mx.mail.test',
    'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
    '',
    '--b',
    '',
    'It could not be delivered.',
    '--b',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; mx.mail.test',
    '',
    'Final-Recipient: rfc822; ann@mail.test',
    'Action: failed',
    'Status: 5.1.1',
    'Diagnostic-Code: smtp; 550 5.1.1 no such user',
    '',
    '--b',
    'Content-Type: message/rfc822',
    '',
    `Return-Path: <${verpAddress(ID, 'rp.shop.test', KEY)}>`,
    'Message-ID: <1@shop.test>',
    '',
    'Hello',
    '--b--',
  ].join('\r\n');
  const report = readReport(Buffer.from(raw), { kind: 'bounce', keys: [KEY], recordId: ID });
  expect(report).toMatchObject({
    kind: 'dsn',
    reportingMta: 'mx.mail.test',
    tokens: [{ kind: 'bounce', recordId: ID }],
    enclosed: { messageId: '<1@shop.test>' },
  });
  expect(judgeReport(report, { recipient: 'ann@mail.test' })).toMatchObject({
    means: 'bounce',
    reply: { smtpCode: 550, enhancedStatusCode: '5.1.1' },
    verdict: { class: 'InvalidRecipient', kind: 'mailbox', suppresses: 'hard' },
  });
});
