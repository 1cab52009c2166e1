import { describe, expect, it } from 'vitest';
import { readMime } from './mime.js';

const mime = (...lines: string[]) => Buffer.from(lines.join('\r\n'));
const to = (...emails: string[]) => emails.map((email) => ({ email }));
const HEAD = ['From: Shop <a@shop.test>', 'To: b@mail.test', 'Cc: Carl <C@mail.test>', 'Subject: Hi'];

describe('a message in MIME', () => {
  it('becomes the fields of a conversation; hidden recipients are those that it does not name', async () => {
    const raw = mime(...HEAD, 'X-Order: 17', 'Message-ID: <x@y>', 'List-Id: <l.shop.test>', '', 'Hello');
    expect(await readMime(raw, to('b@mail.test', 'c@mail.test', 'd@mail.test'))).toEqual({
      from: { email: 'a@shop.test', name: 'Shop' },
      to: [{ email: 'b@mail.test' }],
      cc: [{ email: 'C@mail.test', name: 'Carl' }],
      bcc: [{ email: 'd@mail.test' }],
      subject: 'Hi',
      text_content: 'Hello',
      attachments: [],
      headers: [
        { name: 'X-Order', value: '17' },
        { name: 'List-Id', value: '<l.shop.test>' },
      ],
    });
  });

  it.each([
    ['that names a recipient who is none', HEAD, to('b@mail.test'), 'to must have each recipient'],
    ['without a sender', HEAD.slice(1), to('b@mail.test'), 'message must have a header From'],
    ['without a visible recipient', HEAD.slice(0, 1), to('b@mail.test'), 'message must have a header To'],
    [
      'that is signed',
      [...HEAD, 'Content-Type: multipart/signed; boundary=b; protocol="application/pkcs7-signature"'],
      to('b@mail.test', 'c@mail.test'),
      'message is signed or encrypted as a whole',
    ],
    [
      'with senders that are none',
      ['From: nothing', ...HEAD.slice(1)],
      to('b@mail.test'),
      'message has a header From',
    ],
  ])('%s is refused', async (_, head, recipients, message) => {
    await expect(readMime(mime(...head, '', 'Hello'), recipients)).rejects.toThrow(message);
  });
});
