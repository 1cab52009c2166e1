import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { bytesToCrlf } from '../mime/encodings.js';
import { composeMessage } from './compose-message.js';
import { messageBytes, splitMessage } from './message.js';
import { parseMessage } from './parse-message.js';

describe('a raw message', () => {
  it.each([
    ['A: b\r\n\r\nbody\r\n', 'A: b\r\n', 'body\r\n'],
    ['A: b\n\nbody', 'A: b\r\n', 'body\r\n'],
    ['A: b\r\n', 'A: b\r\n', ''],
    ['A: b', 'A: b\r\n', ''],
    ['\r\nbody', '', 'body\r\n'],
    ['A: b\r\n\r\n', 'A: b\r\n', ''],
    ['A: b\r\n\r\na\rb\nc\r\n', 'A: b\r\n', 'a\r\nb\r\nc\r\n'],
    ['', '', ''],
  ])('%j has the headers %j and the body %j', (raw, headers, body) => {
    const message = splitMessage(Buffer.from(raw));
    expect([message.headers.toString(), Buffer.concat(message.body).toString()]).toEqual([headers, body]);
    expect(message.size).toBe(Buffer.concat(messageBytes(message)).length);
  });

  it('says whether it has bytes beyond ASCII', () => {
    expect(splitMessage(Buffer.from('A: b\r\n\r\nü')).eightBit).toBe(true);
    expect(splitMessage(Buffer.from('A: b\r\n\r\nu')).eightBit).toBe(false);
  });

  it('has CRLF everywhere and nothing else changed', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('a', '\r', '\n', '\r\n', '.')).map((parts) => parts.join('')),
        (text) => {
          const mended = bytesToCrlf(Buffer.from(text)).toString();
          expect(mended).toBe(text.replace(/\r\n|\r|\n/g, '\r\n'));
        },
      ),
    );
  });
});

describe('a message that is made to cost much', () => {
  const head = (type: string, encoding: string) =>
    `From: a@x.test\r\nContent-Type: ${type}\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n`;
  const parse = (text: string) => parseMessage(Buffer.from(text));

  // two pieces a line took seconds for this one, and 42 s for four times as much
  it('by its number of lines is put together from few pieces', async () => {
    const pieces: number[] = [];
    const { Blob: Real } = globalThis;
    vi.stubGlobal(
      'Blob',
      class extends Real {
        constructor(
          parts: ConstructorParameters<typeof Real>[0] & object[],
          options?: ConstructorParameters<typeof Real>[1],
        ) {
          pieces.push(parts.length);
          super(parts, options);
        }
      },
    );
    const lines = Array.from({ length: 200_000 }, (_, nth) => `${nth % 7}`.repeat(nth % 5));
    const { parts } = await parse(`${head('text/plain', '8bit')}${lines.join('\r\n')}\r\n`);
    vi.unstubAllGlobals();
    expect(parts[0]?.content === `${lines.join('\n')}\n`).toBe(true);
    expect(Math.max(...pieces)).toBeLessThan(10_000);
  });

  it.each([
    ['lines', `${head('text/plain', '8bit')}${'\n'.repeat(2_000_001)}`, '2000000 lines'],
    [
      'parts',
      `${head('multipart/mixed; boundary=b', '7bit')}${'--b\r\n\r\n'.repeat(10_001)}--b--`,
      '10000 parts',
    ],
    ['ends of base64', `${head('text/plain', 'base64')}${'QQ=='.repeat(10_002)}\r\n`, '10000 times'],
  ])('by its number of %s is not taken apart', async (_, text, reason) => {
    await expect(parse(text)).rejects.toThrow(`more than ${reason}`);
  });
});

describe('content_parsed', () => {
  it('has the texts, the files and the headers of a message', async () => {
    const message = await composeMessage({
      from: { email: 'hr@corp.test', name: 'Zoë' },
      to: [{ email: 'a@x.test' }],
      subject: 'Grüße',
      text: 'Hallo ü',
      amp: '<html amp4email>⚡</html>',
      html: '<p>ü <img src="cid:logo"></p>',
      attachments: [
        {
          fileName: 'Ü.txt',
          contentType: 'text/plain',
          disposition: 'attachment',
          content: Buffer.from('file'),
        },
        {
          fileName: 'l.png',
          contentType: 'image/png',
          disposition: 'inline',
          contentId: '<logo>',
          content: Buffer.from([1, 2]),
        },
      ],
      messageId: '<a@corp.test>',
      date: new Date('2026-01-05T08:00:00Z'),
      headers: [
        { name: 'X-Two', value: '1' },
        { name: 'x-two', value: 'zwölf' },
      ],
    });
    const parsed = await parseMessage(Buffer.concat(messageBytes(message)));
    expect(parsed.parts.map(({ content_type, content }) => [content_type, content.trim()])).toEqual([
      ['text/plain', 'Hallo ü'],
      ['text/x-amp-html', '<html amp4email>⚡</html>'],
      ['text/html', '<p>ü <img src="cid:logo"></p>'],
    ]);
    expect(parsed.attachments).toEqual([
      { filename: 'l.png', content: 'AQI=', content_type: 'image/png', content_id: 'logo' },
      { filename: 'Ü.txt', content: 'ZmlsZQ==', content_type: 'text/plain', content_id: '' },
    ]);
    expect(parsed.headers).toMatchObject({
      Subject: ['Grüße'],
      From: ['Zoë <hr@corp.test>'],
      'X-Two': ['1', 'zwölf'],
    });
  });

  it('of garbage is empty rather than an error', async () => {
    expect(await parseMessage(Buffer.alloc(0))).toEqual({ parts: [], attachments: [], headers: {} });
    expect((await parseMessage(Buffer.from('\u0000\u0001nonsense'))).attachments).toEqual([]);
  });

  it('is refused beyond the nesting of any sane message', async () => {
    let message = 'Content-Type: text/plain\r\n\r\nx';
    for (let depth = 0; depth < 60; depth++) {
      message = `Content-Type: multipart/mixed; boundary=b${depth}\r\n\r\n--b${depth}\r\n${message}\r\n--b${depth}--\r\n`;
    }
    await expect(parseMessage(Buffer.from(message))).rejects.toThrow(/nesting/i);
  });
});
