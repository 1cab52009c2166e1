import fc from 'fast-check';
import PostalMime from 'postal-mime';
import { describe, expect, it } from 'vitest';
import { UnsafeMessage } from '../headers/header-field.js';
import type { Attachment } from '../mime/attachment.rules.js';
import { textToCrlf } from '../mime/encodings.js';
import { composeBody, composeMessage, estimateMessageSize, isWithinAtWorst } from './compose-message.js';
import { messageBytes, type MessageContent } from './message.js';

const BASE: MessageContent = {
  from: { email: 'orders@shop.test', name: 'Shop' },
  to: [{ email: 'ann@mail.test', name: 'Ann' }],
  subject: 'Your order',
  text: 'Thanks!',
  messageId: '<01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a01@shop.test>',
  date: new Date('2026-01-05T08:00:00.120Z'),
};
const attachment = (change: Partial<Attachment> = {}): Attachment => ({
  fileName: 'a.txt',
  contentType: 'text/plain',
  disposition: 'attachment',
  content: Buffer.from('file'),
  ...change,
});
const bytes = async (content: MessageContent) => Buffer.concat(messageBytes(await composeMessage(content)));
const source = async (content: MessageContent) => (await bytes(content)).toString('latin1');
const tree = (message: string) =>
  [...message.matchAll(/^Content-Type: ([a-z/-]+)/gim)].map(([, type]) => type?.toLowerCase()).join(' ');

function expectSoundBytes(message: Buffer): void {
  const text = message.toString('latin1');
  expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n\u0000\u0080-\u00ff]/);
  expect(text.endsWith('\r\n')).toBe(true);
  expect(Math.max(...text.split('\r\n').map((line) => line.length))).toBeLessThanOrEqual(998);
}

describe('a composed message', () => {
  it('is, in its simplest form, these bytes', async () => {
    expect((await source(BASE)).split('\r\n')).toEqual([
      'Date: Mon, 05 Jan 2026 08:00:00 +0000',
      'From: Shop <orders@shop.test>',
      'To: Ann <ann@mail.test>',
      'Subject: Your order',
      'Message-ID: <01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a01@shop.test>',
      'MIME-Version: 1.0',
      'Content-Type: text/plain; charset=utf-8',
      'Content-Transfer-Encoding: 7bit',
      '',
      'Thanks!',
      '',
    ]);
  });

  it('shows To and Cc in full, Reply-To, and custom headers in their order', async () => {
    const message = await source({
      ...BASE,
      to: [{ email: 'a@x.test' }, { email: 'b@x.test', name: 'B' }],
      cc: [{ email: 'boss@corp.test', name: 'Boss' }],
      replyTo: { email: 'help@shop.test' },
      headers: [
        { name: 'x-One', value: '1' },
        { name: 'X-Two', value: 'zwei Äpfel' },
        { name: 'x-one', value: '3' },
      ],
    });
    expect(message).toContain(
      '\r\nTo: a@x.test, B <b@x.test>\r\nCc: Boss <boss@corp.test>\r\nReply-To: help@shop.test\r\n',
    );
    expect(message).toContain(
      '\r\nx-One: 1\r\nX-Two: =?UTF-8?B?endlaSDDhHBmZWw=?=\r\nx-one: 3\r\nMIME-Version',
    );
  });

  it('has the same bytes every time', async () => {
    const content = { ...BASE, html: '<p>ö</p>', attachments: [attachment()] };
    expect(await source(content)).toBe(await source({ ...content }));
  });

  it('takes a Date from its headers instead of its own', async () => {
    const message = await source({
      ...BASE,
      headers: [{ name: 'date', value: 'Tue, 06 Jan 2026 00:00:00 +0100' }],
    });
    expect(message.match(/^date:.*$/gim)).toEqual(['date: Tue, 06 Jan 2026 00:00:00 +0100']);
  });

  it('encodes only the names of a Cc header beyond ASCII', async () => {
    const message = await PostalMime.parse(
      await source({ ...BASE, headers: [{ name: 'Cc', value: 'Zoë <zoe@x.test>, b@x.test' }] }),
    );
    expect(message.cc).toEqual([
      { name: 'Zoë', address: 'zoe@x.test' },
      { name: '', address: 'b@x.test' },
    ]);
  });

  it.each([
    ['Bcc', 'x@y.test'],
    ['bcc', 'x@y.test'],
    ['From', 'x@y.test'],
    ['Message-ID', '<a@b.test>'],
    ['Content-Type', 'text/html'],
    ['X-A', 'a\r\nBcc: x@y.test'],
    ['Cc', 'Zoë <a@x.test>\r\nX: y'],
  ])('never carries the custom header %s: %j', async (name, value) => {
    await expect(composeMessage({ ...BASE, headers: [{ name, value }] })).rejects.toThrow(UnsafeMessage);
  });

  it.each([
    { subject: 'a\r\nBcc: x@y.test' },
    { subject: 'a\u0000' },
    { messageId: '<a@b.test>\r\nX: y' },
    { messageId: 'a@b.test' },
    { from: { email: 'a@x.test\r\nBcc: b@y.test' } },
    { to: [{ email: 'a@x.test', name: 'a\nb' }] },
    { replyTo: { email: 'a@x.test>, <b@y.test' } },
  ])('is refused with %j', async (change) => {
    await expect(composeMessage({ ...BASE, ...change })).rejects.toThrow(UnsafeMessage);
  });
});

describe('the MIME tree', () => {
  const text = 't';
  const html = '<img src="cid:i">';
  const amp = '<html amp4email></html>';
  const inline = attachment({
    fileName: 'i.png',
    contentType: 'image/png',
    disposition: 'inline',
    contentId: '<i>',
  });
  it.each([
    ['text alone', { text }, 'text/plain'],
    ['HTML alone, no text is invented', { text: undefined, html }, 'text/html'],
    ['text and HTML', { text, html }, 'multipart/alternative text/plain text/html'],
    ['text, AMP, HTML', { text, html, amp }, 'multipart/alternative text/plain text/x-amp-html text/html'],
    ['a file', { text, attachments: [attachment()] }, 'multipart/mixed text/plain text/plain'],
    [
      'an inline image',
      { text: undefined, html, attachments: [inline] },
      'multipart/related text/html image/png',
    ],
    [
      'an inline image with text and HTML',
      { text, html, attachments: [inline] },
      'multipart/related multipart/alternative text/plain text/html image/png',
    ],
    [
      'everything',
      { text, html, amp, attachments: [attachment(), inline] },
      'multipart/mixed multipart/related multipart/alternative text/plain text/x-amp-html text/html image/png text/plain',
    ],
    ['an inline image without HTML', { text, attachments: [inline] }, 'multipart/mixed text/plain image/png'],
    [
      'an image with an id that is to be a file',
      { text, html, attachments: [{ ...inline, disposition: 'attachment' as const }] },
      'multipart/mixed multipart/alternative text/plain text/html image/png',
    ],
  ])('of %s', async (_of, change, expected) => {
    const message = await bytes({ ...BASE, ...change });
    expectSoundBytes(message);
    expect(tree(message.toString('latin1'))).toBe(expected);
  });
});

describe('attachments', () => {
  it.each([
    ['plain.txt', 'text/plain; charset=utf-8'],
    ['Größe & "Maß".pdf', 'application/pdf'],
    ['файл-с-очень-длинным-именем-которое-не-влезает-в-строку.docx', 'application/vnd.openxmlformats'],
    [`${'long name '.repeat(20)}.bin`, 'application/octet-stream'],
    ["it's; a=b.txt", 'text/x-thing'],
  ])('keep the file name %j and the type', async (fileName, contentType) => {
    const content = Buffer.from(Array.from({ length: 1_000 }, (_, i) => i % 256));
    const message = await bytes({ ...BASE, attachments: [attachment({ fileName, contentType, content })] });
    expectSoundBytes(message);
    const [read] = (await PostalMime.parse(message)).attachments;
    expect(read).toMatchObject({
      filename: fileName,
      mimeType: contentType.split(';')[0],
      disposition: 'attachment',
    });
    expect(Buffer.from(read?.content as ArrayBuffer).equals(content)).toBe(true);
  });

  it('keep the method of a calendar part', async () => {
    const message = await bytes({
      ...BASE,
      attachments: [attachment({ fileName: 'i.ics', contentType: 'text/calendar; method=REQUEST' })],
    });
    expect((await PostalMime.parse(message)).attachments[0]?.method).toBe('REQUEST');
  });

  it('carry their Content-ID', async () => {
    const message = await bytes({
      ...BASE,
      html: '<img src="cid:logo@shop">',
      attachments: [
        attachment({ disposition: 'inline', contentId: '<logo@shop>', contentType: 'image/png' }),
      ],
    });
    expect((await PostalMime.parse(message)).attachments[0]).toMatchObject({
      contentId: '<logo@shop>',
      disposition: 'inline',
      related: true,
    });
  });

  it('enclose a plain message as it is, and any other bytes of such a type as a file', async () => {
    const enclosed = Buffer.from('Subject: inner\r\n\r\nhello\r\n');
    const send = async (content: Buffer, contentType: string) =>
      (
        await PostalMime.parse(
          await bytes({ ...BASE, attachments: [attachment({ content, contentType })] }),
          {
            forceRfc822Attachments: true,
          },
        )
      ).attachments[0];
    const plain = await send(enclosed, 'message/rfc822');
    expect(plain?.mimeType).toBe('message/rfc822');
    expect(textToCrlf(Buffer.from(plain?.content as ArrayBuffer).toString())).toBe(
      `${enclosed.toString()}\r\n`,
    );
    for (const [content, type] of [
      [Buffer.from('Subject: ü\n\nhello'), 'message/rfc822'],
      [Buffer.from('--x--'), 'multipart/mixed; boundary=x'],
    ] as const) {
      const read = await send(content, type);
      expect(read?.mimeType).toBe('application/octet-stream');
      expect(Buffer.from(read?.content as ArrayBuffer).equals(content)).toBe(true);
    }
  });

  it('of 14 MB come through whole', async () => {
    const content = Buffer.alloc(14_000_000, 'abcdefghij');
    const composed = await composeMessage({ ...BASE, attachments: [attachment({ content })] });
    const message = Buffer.concat(messageBytes(composed));
    expect(message.length).toBe(composed.size);
    const at = message.indexOf('filename=');
    const encoded = message.subarray(message.indexOf('\r\n\r\n', at) + 4, message.lastIndexOf('\r\n--'));
    expect(Buffer.from(encoded.toString('latin1'), 'base64').equals(content)).toBe(true);
  });
});

describe('a body shared by several messages', () => {
  it('is the same bytes in each', async () => {
    const body = await composeBody({ text: 'a', html: '<p>ü</p>' }, 'send-request-1');
    const one = await composeMessage(BASE, body);
    const two = await composeMessage({ ...BASE, messageId: '<other@shop.test>' }, body);
    expect(one.body).toEqual(two.body);
    expect((await PostalMime.parse(Buffer.concat(messageBytes(two)))).html?.trim()).toBe('<p>ü</p>');
  });
});

const anyText = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 2_000 }),
  fc.string({ unit: 'binary', maxLength: 500 }),
  fc
    .array(
      fc.constantFrom('.', '..', '\r\n', '\n', '\r', ' ', '\t', 'From ', '=', '=3D', 'ü', '漢', '--', '--=_'),
      {
        maxLength: 300,
      },
    )
    .map((pieces) => pieces.join('')),
  fc.stringMatching(/^[a-z ]{900,3000}$/),
);
const anyName = fc
  .string({ unit: 'grapheme', maxLength: 80 })
  .map((name) => name.replace(/\p{Cc}|\s+/gu, ' ').trim());
const wellFormed = (text: string) => Buffer.from(text, 'utf8').toString('utf8');
// The parser ends lines its own way: compare line by line, without the newlines at the very end.
const lines = (text: string | undefined) =>
  textToCrlf(wellFormed(text ?? ''))
    .replace(/(?:\r\n)+$/, '')
    .split('\r\n');

/** The parser's decoder takes a first U+FEFF for the mark of the encoding. */
const withoutMark = (text: string) => text.replace(/^\uFEFF/, '');

describe('any message', () => {
  it('reads back as the composed content', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({ text: fc.option(anyText), html: fc.option(anyText), subject: anyName, name: anyName }),
        async ({ text, html, subject, name }) => {
          const content: MessageContent = {
            ...BASE,
            to: [{ email: 'ann@mail.test', name }],
            subject,
            text: text ?? undefined,
            html: html ?? undefined,
          };
          const composed = await composeMessage(content);
          const message = Buffer.concat(messageBytes(composed));
          expectSoundBytes(message);
          expect(message.length).toBe(composed.size);
          const size = estimateMessageSize(content);
          expect(size - composed.size).toBeGreaterThan(1_000);
          expect(size - composed.size).toBeLessThan(2_500);
          const read = await PostalMime.parse(message);
          expect(read.subject ?? '').toBe(wellFormed(subject));
          expect(read.to?.[0]).toEqual({ name: wellFormed(name), address: 'ann@mail.test' });
          if (text) expect(lines(read.text)).toEqual(lines(withoutMark(text)));
          if (html) expect(lines(read.html)).toEqual(lines(withoutMark(html)));
        },
      ),
      { numRuns: 300 },
    );
  });

  it('never counts as fitting by its lengths where it might not fit', () => {
    const worstText = fc
      .constantFrom('\u20ac', '=', '\u{1f600}', ' \r\n')
      .map((piece) => piece.repeat(4_000));
    const worstName = fc.constantFrom('\u20ac', '\u00fc', '\u{1f600}').map((piece) => piece.repeat(20));
    const name = fc.oneof(anyName, worstName);
    const text = fc.option(fc.oneof(anyText, worstText), { nil: undefined });
    fc.assert(
      fc.property(
        fc.record({ text, html: text, amp: text, subject: name, names: fc.array(name, { maxLength: 30 }) }),
        ({ names, ...given }) => {
          const content: MessageContent = {
            ...BASE,
            ...given,
            to: names.map((one) => ({ email: 'ann@mail.test', name: one })),
            cc: names.map((one) => ({ email: 'b@c.test', name: one })),
            replyTo: { email: 'ann@mail.test', name: names[0] },
            headers: names.map((value) => ({ name: 'X-A', value })),
            attachments: names.slice(0, 2).map((fileName) => attachment({ fileName })),
          };
          const size = estimateMessageSize(content);
          expect(isWithinAtWorst(content, size - 1)).toBe(false);
          expect(isWithinAtWorst(content, 100 * size)).toBe(true);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('line ends of a text', () => {
  it.each([
    ['a\r\nb\r\n', 'a\r\nb\r\n'],
    ['a\nb\r\n', 'a\r\nb\r\n'],
    ['\na\r\n', '\r\na\r\n'],
    ['a\r\n\r', 'a\r\n\r\n'],
    ['a\r\r\nb', 'a\r\n\r\nb'],
    ['a\n\rb', 'a\r\n\r\nb'],
    ['a', 'a'],
    ['', ''],
  ])('of %j become %j', (text, expected) => expect(textToCrlf(text)).toBe(expected));
});
