import { describe, expect, it } from 'vitest';
import { isRaw, rawBytes, type StoredContent } from './request-content.js';
import {
  headLength,
  readContentHead,
  readRequestContent as readStored,
  writeRequestContent,
  type RequestContent,
} from './request-content.js';

const readRequestContent = (bytes: Buffer): RequestContent => {
  const content: StoredContent = readStored(bytes);
  if (isRaw(content)) throw new Error('it is a raw message');
  return content;
};

const CONTENT = {
  from: { email: 'a@shop.test', name: 'Añn' },
  to: [{ email: 'b@mail.test' }],
  subject: 'Grüße',
  messageId: '<1@shop.test>',
  date: new Date('2026-01-05T08:00:00Z'),
  text: 'Hello',
  attachments: [
    {
      fileName: 'a.bin',
      contentType: 'application/pdf',
      disposition: 'attachment' as const,
      content: Buffer.from([0, 1, 255]),
    },
    {
      fileName: 'b.txt',
      contentType: 'text/plain',
      disposition: 'inline' as const,
      contentId: '<b>',
      content: Buffer.alloc(0),
    },
  ],
};

describe('a stored content', () => {
  it('reads back as it was written, attachments byte for byte', () => {
    const read = readRequestContent(writeRequestContent(CONTENT));
    expect(read).toMatchObject({ from: CONTENT.from, subject: 'Grüße', date: CONTENT.date, text: 'Hello' });
    expect(read.attachments?.map(({ content }) => content)).toEqual([
      Buffer.from([0, 1, 255]),
      Buffer.alloc(0),
    ]);
  });

  it('throws when it is truncated', () => {
    const bytes = writeRequestContent(CONTENT);
    expect(() => readRequestContent(bytes.subarray(0, -1))).toThrow(/cut short/);
  });

  it('keeps sources and values as they are, without their recipients', () => {
    const values = JSON.parse('{"__proto__": {"a": 1}, "list": [1, null]}') as Record<string, unknown>;
    const { to: _to, messageId: _messageId, ...shared } = CONTENT;
    const content = {
      ...shared,
      preheader: 'Soon {{ x }}',
      rendering: { escapeHtml: true, values: { x: 1 } },
      recipients: { 'a-1': { name: 'Ann', values }, 'b-2': {} },
    };
    const read = readRequestContent(writeRequestContent(content));
    expect(read).toMatchObject({ preheader: content.preheader, rendering: content.rendering });
    expect(JSON.stringify(read.recipients)).toBe(JSON.stringify(content.recipients));
    expect([read.to, read.messageId]).toEqual([undefined, undefined]);
  });

  it('keeps the digits of the numbers among its values (spec 2-messages §1.5)', () => {
    const values = { order: JSON.rawJSON('1267890123456789012'), price: [JSON.rawJSON('19.90')], count: 3 };
    const content = {
      ...CONTENT,
      rendering: { escapeHtml: true, values },
      recipients: { 'a-1': { values } },
    };
    for (const rawTexts of [false, true]) {
      const { rendering, recipients } = readRequestContent(writeRequestContent(content, { rawTexts }));
      expect(JSON.stringify([rendering?.values, recipients?.['a-1']?.values])).toBe(
        JSON.stringify([values, values]),
      );
    }
  });

  it('reads back the same with its texts after the JSON, and without its attachments', () => {
    const awkward = '\ufeff"\\\u0000\r\n\u20ac\u{1f600}';
    const request = { ...CONTENT, text: awkward, html: `<p>${awkward}</p>`, amp: '', preheader: 'x' };
    const bytes = writeRequestContent(request, { rawTexts: true });
    expect(readRequestContent(bytes)).toEqual(readRequestContent(writeRequestContent(request)));
    expect(bytes.includes(awkward)).toBe(true);
    const head = readContentHead(bytes.subarray(0, headLength(bytes.subarray(0, 4))));
    expect(head?.files.map(({ start, size }) => bytes.subarray(start, start + size))).toEqual([
      Buffer.from([0, 1, 255]),
      Buffer.alloc(0),
    ]);
    expect(head?.withFiles([])).toMatchObject({ text: awkward, html: request.html, amp: '' });
    const only = writeRequestContent({ ...CONTENT, attachments: undefined }, { rawTexts: true });
    expect(readRequestContent(only)).toMatchObject({ text: 'Hello', html: undefined });
  });

  it('with its texts after the JSON throws when it is truncated', () => {
    const bytes = writeRequestContent({ ...CONTENT, attachments: undefined }, { rawTexts: true });
    expect(() => readRequestContent(bytes.subarray(0, -1))).toThrow(/cut short/);
  });

  it('with its texts after the JSON is rejected by releases that read the JSON only', () => {
    const bytes = writeRequestContent(CONTENT, { rawTexts: true });
    expect(() => JSON.parse(bytes.toString('utf8', 4, headLength(bytes)))).toThrow(SyntaxError);
  });

  it('is of version 1 where all recipients share a literal message, as earlier releases wrote it', () => {
    const versionOf = (bytes: Buffer) => /"v":(\d)/.exec(bytes.toString('latin1'))?.[1];
    expect(versionOf(writeRequestContent(CONTENT))).toBe('1');
    expect(versionOf(writeRequestContent({ ...CONTENT, to: undefined }))).toBe('2');
    expect(versionOf(writeRequestContent({ ...CONTENT, rendering: { escapeHtml: false } }))).toBe('2');
    const head = JSON.stringify({ ...CONTENT, v: 1, attachments: undefined });
    const length = Buffer.alloc(4);
    length.writeUInt32BE(Buffer.byteLength(head));
    expect(readRequestContent(Buffer.concat([length, Buffer.from(head)]))).toMatchObject({
      to: CONTENT.to,
      messageId: CONTENT.messageId,
      text: 'Hello',
    });
  });

  it('may be a raw message, whose pieces become one', () => {
    const pieces = [Buffer.from('A: b\r\n\r\n'), Buffer.from([0x80, 0xff, 0x0d, 0x0a])];
    const bytes = writeRequestContent({ raw: pieces });
    const read = readStored(bytes);
    if (!isRaw(read)) throw new Error('it is no raw message');
    expect(rawBytes(read)).toEqual(Buffer.concat(pieces));
    expect(read.raw).toHaveLength(1);
    expect(() => readStored(bytes.subarray(0, -1))).toThrow(/cut short/);
  });
});
