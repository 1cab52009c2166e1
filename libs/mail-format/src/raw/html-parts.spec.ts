import { describe, expect, it } from 'vitest';
import { messageBytes, splitMessage } from '../message/message.js';
import { editHtml, hasHtml } from './html-parts.js';

const lines = (...text: string[]) => `${text.join('\r\n')}\r\n`;
const messageOf = (text: string, encoding: BufferEncoding = 'utf8') =>
  splitMessage(Buffer.from(text, encoding));
const textOf = (message: ReturnType<typeof splitMessage>) =>
  Buffer.concat(messageBytes(message)).toString('latin1');
/** Marks the end of each HTML, and its place. */
const marked = (text: string, encoding: BufferEncoding = 'utf8') => {
  const edited = editHtml(
    messageOf(text, encoding),
    (html, { nth, count }) => `${html}[${nth + 1}/${count}]`,
  );
  expect(edited.size).toBe(Buffer.concat(messageBytes(edited)).length);
  return textOf(edited);
};

const HEAD = ['From: a@shop.test', 'Subject: x'];
const html = (body: string, ...headers: string[]) =>
  lines(...HEAD, 'Content-Type: text/html; charset=utf-8', ...headers, '', body);

describe('the HTML of a raw message', () => {
  it('is changed in place, and nothing else of the message', () => {
    const text = (end: string) =>
      lines(
        ...HEAD,
        'Content-Type: multipart/mixed;',
        '\tboundary="out er"',
        '',
        'preamble',
        '--out er  ',
        'Content-Type: multipart/alternative; boundary=inner',
        '',
        '--inner',
        'Content-Type: text/plain; charset=utf-8',
        '',
        '<b>text</b>',
        '--inner',
        'Content-Type: text/html; charset=utf-8',
        '',
        `<b>--inner-not</b>${end}`,
        '--inner--',
        '--out er',
        'Content-Type: text/html',
        'Content-Disposition: attachment; filename=a.html',
        '',
        '<b>file</b>',
        '--out er--',
        'epilogue',
      );
    expect(marked(text(''))).toBe(text('[1/1]'));
  });

  it.each([
    ['quoted-printable', '<b>gr=C3=BC=C3=9Fe</b> =', '<b>gr=C3=BC=C3=9Fe</b> [1/1]'],
    [
      'base64',
      Buffer.from('<b>grüße</b>').toString('base64'),
      Buffer.from('<b>grüße</b>[1/1]').toString('base64'),
    ],
    ['7bit', '<b>x</b>', '<b>x</b>\r\n[1/1]'],
  ])('is written in its encoding again: %s', (encoding, before, after) => {
    const made = marked(html(before, `Content-Transfer-Encoding: ${encoding}`));
    expect(made).toContain(`Content-Transfer-Encoding: ${encoding}\r\n`);
    expect(made.slice(made.indexOf('\r\n\r\n') + 4).trim()).toBe(after);
  });

  it('becomes quoted-printable when a line gets too long, and UTF-8 when it was something else', () => {
    const long = editHtml(messageOf(html('<b>x</b>')), (text) => `${text}${'y'.repeat(1_000)}`);
    expect(textOf(long)).toContain('Content-Transfer-Encoding: quoted-printable\r\n');
    expect(
      Math.max(
        ...textOf(long)
          .split('\r\n')
          .map(({ length }) => length),
      ),
    ).toBeLessThan(998);
    const latin = lines(...HEAD, 'Content-Type: text/html; charset="ISO-8859-1"; x=y', '', '<b>grüße</b>');
    const made = marked(latin, 'latin1');
    expect(made).toContain('Content-Type: text/html; charset=utf-8; x=y\r\n');
    expect(made).toContain('<b>gr=C3=BC=C3=9Fe</b>');
    const japanese = lines(...HEAD, 'Content-Type: text/html; charset=iso-2022-jp', '', '\u001b$B$3\u001b(B');
    expect(marked(japanese)).toContain('=E3=81=93');
  });

  it.each([
    ['is signed', 'multipart/signed; protocol="application/pkcs7-signature"; boundary=b'],
    ['is encrypted', 'multipart/encrypted; boundary=b'],
    ['is PKCS #7', 'application/pkcs7-mime; smime-type=signed-data; boundary=b'],
    ['encloses another message', 'message/rfc822; boundary=b'],
    ['is text', 'text/plain; boundary=b'],
  ])('is left alone where the message %s', (_, type) => {
    const text = lines(
      ...HEAD,
      `Content-Type: ${type}`,
      '',
      '--b',
      'Content-Type: text/html',
      '',
      '<b>x</b>',
      '--b--',
    );
    expect(hasHtml(messageOf(text))).toBe(false);
    expect(marked(text)).toBe(text);
  });

  it.each([
    ['is not text of its charset', html('<b>\u00ff</b>'), 'latin1' as const],
    ['is in an unknown charset', lines(...HEAD, 'Content-Type: text/html; charset=x-odd', '', 'é')],
    ['is in an unknown encoding', html('<b>x</b>', 'Content-Transfer-Encoding: x-uuencode')],
  ])('is left alone when it %s', (_, text, encoding: BufferEncoding = 'utf8') => {
    expect(marked(text, encoding)).toBe(
      messageOf(text, encoding) && Buffer.from(text, encoding).toString('latin1'),
    );
  });

  it('is found within bounds, however hostile the message is', () => {
    const nested = Array.from({ length: 200 }, (_, nth) =>
      lines(`Content-Type: multipart/mixed; boundary=b${nth}`, '', `--b${nth}`),
    ).join('');
    const deep = `${nested}${lines('Content-Type: text/html', '', 'x')}`;
    expect(hasHtml(messageOf(deep))).toBe(false);
    const part = lines('--b', 'Content-Type: text/html', '', 'x');
    const many = `${lines('Content-Type: multipart/mixed; boundary=b', '')}${part.repeat(20_000)}`;
    expect(marked(many)).toContain('x[1/499]');
    const cut = lines('Content-Type: multipart/mixed; boundary=b', '', '--b', 'Content-Type: text/html');
    expect(marked(cut)).toBe(cut);
  });
});
