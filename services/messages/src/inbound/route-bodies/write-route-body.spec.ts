import { describe, expect, it } from 'vitest';
import { RouteCall } from '@postmesh/webhooks-contract';
import { writeRouteBody } from './write-route-body.js';

const REQUEST = {
  route_id: '7b0a9d51-3a44-4a0e-b6f0-2f7c1d9e8a55',
  message_id: '01980f4a-9c2e-7d00-b1c2-3d4e5f607182',
  to: 'ticket-9@shop.test',
  occurred_at: '2026-01-05T11:00:00.250000Z',
  attachments: true,
  headers: false,
  strip_replies: false,
};

const lines = (...all: string[]): Buffer => Buffer.from(all.join('\r\n'), 'latin1');
const textOf = (raw: Buffer, wanted: Partial<typeof REQUEST> = {}): string =>
  [...writeRouteBody({ request: { ...REQUEST, ...wanted }, raw, size: 2411 })].join('');
// the tests check the shape
// eslint-disable-next-line @typescript-eslint/no-explicit-any
const dataOf = (raw: Buffer, wanted: Partial<typeof REQUEST> = {}): any =>
  JSON.parse(textOf(raw, wanted)).data;

const MAIL = lines(
  'Subject: Re: ticket 9',
  'X-MAILER: M',
  'From: Zoe <zoe@mail.test>',
  'Date: Mon, 05 Jan 2026 11:59:58 +0100',
  'Message-ID: <abc@mail.test>',
  'In-Reply-To: <t9@shop.test>',
  'References: <t9@shop.test>',
  'Content-Type: multipart/mixed; boundary=b',
  '',
  '--b',
  'Content-Type: multipart/alternative; boundary=c',
  '',
  '--c',
  'Content-Type: text/plain',
  '',
  'Works.',
  '',
  '> Does it work?',
  '--c',
  'Content-Type: text/html',
  '',
  '<p>Works.</p>',
  '--c--',
  '--b',
  'Content-Type: image/png; name="shot.png"',
  'Content-Transfer-Encoding: base64',
  'Content-ID: <shot1>',
  '',
  'iVBORw0K',
  'Ggo=',
  '--b--',
);

describe('the body of a route call', () => {
  it('spec 2-messages §19.4: is the example of the contract', () => {
    const given = JSON.parse(textOf(MAIL, { headers: true, strip_replies: true }));
    // the API document names every field of it
    expect(RouteCall.parse(given)).toEqual(given);
    expect(given).toEqual({
      type: 'message.routing',
      timestamp: '2026-01-05T11:00:00.250000Z',
      route_id: '7b0a9d51-3a44-4a0e-b6f0-2f7c1d9e8a55',
      data: {
        id: '01980f4a9c2e7d00b1c23d4e5f607182',
        from: 'Zoe <zoe@mail.test>',
        reply_to: 'zoe@mail.test',
        to: 'ticket-9@shop.test',
        subject: 'Re: ticket 9',
        message_id: '<abc@mail.test>',
        size: 2411,
        spam_score: 0,
        bounce: false,
        cc: '',
        date: 'Mon, 05 Jan 2026 11:59:58 +0100',
        in_reply_to: '<t9@shop.test>',
        references: '<t9@shop.test>',
        auto_submitted: '',
        html_body: '<p>Works.</p>',
        plain_body: 'Works.\r\n\r\n> Does it work?',
        reply_from_plain_body: 'Works.',
        attachments: [
          {
            filename: 'shot.png',
            content_type: 'image/png',
            content_id: 'shot1',
            disposition: '',
            data: 'iVBORw0KGgo=',
          },
        ],
        headers: {
          Subject: 'Re: ticket 9',
          'X-Mailer': 'M',
          From: 'Zoe <zoe@mail.test>',
          Date: 'Mon, 05 Jan 2026 11:59:58 +0100',
          'Message-Id': '<abc@mail.test>',
          'In-Reply-To': '<t9@shop.test>',
          References: '<t9@shop.test>',
          'Content-Type': 'multipart/mixed; boundary=b',
        },
      },
    });
  });

  it('is the same bytes each time, and JSON as JSON.stringify writes it', () => {
    const text = textOf(MAIL);
    expect(textOf(MAIL)).toBe(text);
    expect(text).toBe(JSON.stringify(JSON.parse(text)));
  });

  it('spec 2-messages §19.4: has all keys always, but headers', () => {
    const data = dataOf(Buffer.from('no header at all'));
    expect(Object.values(data).filter((value) => value === undefined)).toEqual([]);
    expect(data).toMatchObject({
      from: '',
      reply_to: '',
      subject: '',
      cc: '',
      attachments: [],
      html_body: '',
    });
    expect(Object.keys(data)).not.toContain('headers');
    expect(Object.keys(data)).toHaveLength(18);
  });

  it('spec 2-messages §16 rule 6: has attachments only when they are requested', () => {
    expect(dataOf(MAIL, { attachments: false }).attachments).toEqual([]);
  });

  it('spec 2-messages §16 rule 5: has a stripped reply only when it is requested', () => {
    expect(dataOf(MAIL).reply_from_plain_body).toBe('');
    expect(dataOf(MAIL).plain_body).toBe('Works.\r\n\r\n> Does it work?');
  });

  it('takes the first mailbox of Reply-To', () => {
    const raw = lines(
      'From: a@mail.test',
      'Reply-To: "B, b" <b@mail.test>, c@mail.test',
      'Cc: d@x.test,',
      '\te@x.test',
      '',
      'x',
    );
    expect(dataOf(raw)).toMatchObject({
      from: 'a@mail.test',
      reply_to: 'b@mail.test',
      cc: 'd@x.test, e@x.test',
    });
    expect(dataOf(lines('From: f@mail.test', 'Reply-To: nobody', '', 'x')).reply_to).toBe('f@mail.test');
  });

  it('has a mark for a delivery report', () => {
    const report = 'Content-Type: multipart/report; report-type=Delivery-Status; boundary=b';
    expect(dataOf(lines(report, '', '--b', '', 'x', '--b--')).bounce).toBe(true);
    expect(dataOf(lines(report.replace('Delivery-Status', 'feedback-report'), '', '--b--')).bounce).toBe(
      false,
    );
  });
});

describe('attachments', () => {
  const part = (...header: string[]) => ['--b', ...header, '', 'eA=='];
  const mixed = (...parts: string[][]) =>
    lines('Content-Type: multipart/mixed; boundary=b', '', ...parts.flat(), '--b--');
  const base64 = 'Content-Transfer-Encoding: base64';

  it('spec 2-messages §16 rule 6: are in the order of their dispositions', () => {
    const raw = mixed(
      part('Content-Type: image/png; name=none.png', base64),
      part('Content-Type: image/png', base64, 'Content-Disposition: INLINE; filename=inline.png'),
      part('Content-Type: text/plain; name=notes.txt', base64),
      part('Content-Type: application/pdf', base64, 'Content-Disposition: attachment; filename=a.pdf'),
      part('Content-Type: text/html', base64, 'Content-Disposition: x-other; filename=odd.html'),
    );
    const found = dataOf(raw).attachments.map((one: Record<string, string>) => [
      one['filename'],
      one['disposition'],
      one['data'],
    ]);
    expect(found).toEqual([
      ['a.pdf', 'attachment', 'eA=='],
      ['inline.png', 'inline', 'eA=='],
      ['odd.html', 'x-other', 'eA=='],
      ['none.png', '', 'eA=='],
      ['notes.txt', '', 'eA=='],
    ]);
  });

  it.each([
    ['filename="r\\"1.txt"', 'r"1.txt'],
    ["filename*=UTF-8''%E2%82%AC%20rates.txt", '€ rates.txt'],
    ["filename*=UTF-8''cod.%E2%80%AEexe", 'cod.exe'],
    ["filename*=iso-8859-1'de'%FCber.txt", 'über.txt'],
    ['filename*0*=UTF-8\'\'a%E2%82; filename*1*=%AC; filename*2=".txt"', 'a€.txt'],
    ['filename="=?UTF-8?Q?=E2=82=AC.txt?="', '€.txt'],
  ])('have the file name of %s', (parameter, name) => {
    const [attachment] = dataOf(
      mixed(part('Content-Type: a/b', `Content-Disposition: attachment; ${parameter}`)),
    ).attachments;
    expect(attachment.filename).toBe(name);
  });

  it.each([
    ['<a%40b+c>', 'a@b c'],
    ['plain', 'plain'],
    ['<100%>', '100%'],
  ])('spec 2-messages §19.4: have the Content-ID %s percent-decoded', (given, id) => {
    const [attachment] = dataOf(mixed(part('Content-Type: a/b', `Content-ID: ${given}`))).attachments;
    expect(attachment.content_id).toBe(id);
  });

  it('are complete in every encoding', () => {
    const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, at) => (at * 7 + (at >> 8)) & 0xff));
    const encoded = bytes.toString('base64').replace(/.{75}/g, '$&\r\n');
    const raw = mixed(['--b', 'Content-Type: a/b', base64, '', encoded]);
    expect(Buffer.from(dataOf(raw).attachments[0].data, 'base64').equals(bytes)).toBe(true);
    const quoted = mixed([
      '--b',
      'Content-Type: a/b',
      'Content-Transfer-Encoding: quoted-printable',
      '',
      '=00=FFx=',
      'y',
    ]);
    expect(Buffer.from(dataOf(quoted).attachments[0].data, 'base64')).toEqual(
      Buffer.from([0, 255, 120, 121]),
    );
  });

  it('include messages that are enclosed', () => {
    const raw = mixed(['--b', 'Content-Type: message/rfc822', '', 'Subject: inner', '', 'text']);
    const [attachment] = dataOf(raw).attachments;
    expect(Buffer.from(attachment.data, 'base64').toString()).toBe('Subject: inner\r\n\r\ntext');
  });
});

describe('texts', () => {
  it.each([
    ['iso-8859-1', '', 'caf\xe9', 'café'],
    ['windows-1252', '', '\x80 5', '€ 5'],
    ['utf-8', 'quoted-printable', 'caf=C3=A9 =\r\nau lait', 'café au lait'],
    ['iso-2022-jp', '', '\x1b$B$O$$\x1b(B', 'はい'],
    ['gb18030', '', '\xba\xc3', '好'],
    ['koi8-r', 'base64', Buffer.from('\xe4\xc1', 'latin1').toString('base64'), 'Да'],
    ['', '', 'caf\xc3\xa9', 'café'],
    ['us-ascii', '', 'caf\xc3\xa9', 'café'],
    ['nobody-knows', '', 'caf\xe9', 'café'],
  ])('in %s %s are decoded', (charset, encoding, body, text) => {
    const type = charset === '' ? 'text/plain' : `text/plain; charset="${charset}"`;
    const raw = lines(`Content-Type: ${type}`, `Content-Transfer-Encoding: ${encoding}`, '', body);
    expect(dataOf(raw).plain_body).toBe(text);
  });

  it('that are long are complete, also where a character has two units', () => {
    const text = 'x' + '𝄞'.repeat(100_000);
    const raw = Buffer.concat([lines('Content-Type: text/html; charset=utf-8', '', ''), Buffer.from(text)]);
    expect(dataOf(raw).html_body).toBe(text);
  });
});
