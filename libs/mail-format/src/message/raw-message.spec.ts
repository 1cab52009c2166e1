import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
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

  it('beyond the nesting of any sane message has the rest of it as a file', async () => {
    let message = 'Content-Type: text/plain\r\n\r\nx';
    for (let depth = 0; depth < 60; depth++) {
      message = `Content-Type: multipart/mixed; boundary=b${depth}\r\n\r\n--b${depth}\r\n${message}\r\n--b${depth}--\r\n`;
    }
    const { parts, attachments } = await parseMessage(Buffer.from(message));
    expect([parts, attachments.map(({ content_type }) => content_type)]).toEqual([[], ['multipart/mixed']]);
  });

  it('beyond the parts of any sane message has the first thousand', async () => {
    const head = 'Content-Type: multipart/mixed; boundary=b\r\n\r\n';
    const { parts } = await parseMessage(Buffer.from(`${head}${'--b\r\n\r\nx\r\n'.repeat(1_001)}--b--`));
    expect(parts).toHaveLength(999);
  });

  it.each([
    ['', 'One \n two.\n\n-- \nAnn\n> a \n> b\n>> c', 'One two.\n\n-- \nAnn\n> a b\n>> c'],
    ['; delsp=yes', 'One \ntwo. \n>x', 'Onetwo.\n> x'],
    ['', ' \n'.repeat(100_001), ' \n'.repeat(100_001)],
  ])('has paragraphs of format=flowed%s in one line', async (more, written, content) => {
    const raw = `Content-Type: text/plain; format=Flowed${more}\n\n${written}`;
    const { parts } = await parseMessage(Buffer.from(raw));
    expect(parts[0]?.content === content).toBe(true);
  });

  it('has the words of others in any charset, raw or encoded', async () => {
    const raw = [
      'Subject: Gr\xfc\xdfe',
      'X-Words: =?utf8mb4?Q?Gr=C3=BC?= =?utf8mb4?B?w58=?=e =?iso-8859-1*de?q?a_b?=',
      'X-words: plain',
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b',
      'Content-Transfer-Encoding: base64 (by hand);',
      '',
      'R3L832U=',
      '--b',
      'Content-Disposition: attachment; filename="Gr\xc3\xbc\xc3\x9fe.txt"',
      'Content-ID: <a+b@x>',
      '',
      'file',
      '--b--',
    ];
    const parsed = await parseMessage(Buffer.from(raw.join('\r\n'), 'latin1'));
    expect(parsed.parts).toEqual([{ content_type: 'text/plain', content: 'Grüße' }]);
    expect(parsed.attachments).toEqual([
      { filename: 'Grüße.txt', content: 'ZmlsZQ==', content_type: 'text/plain', content_id: 'a+b@x' },
    ]);
    expect(parsed.headers).toMatchObject({ Subject: ['Grüße'], 'X-Words': ['Grüße a b', 'plain'] });
  });
});
