import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { readAttachment } from './attachment.rules.js';
import type { AttachmentInput } from './attachment.rules.js';

const INPUT: AttachmentInput = { data: 'hello', content_type: 'text/plain', file_name: 'a.txt' };
const read = (change: Partial<AttachmentInput>) => readAttachment({ ...INPUT, ...change });

describe('an attachment of a request', () => {
  it('is text unless it says base64', () => {
    const result = read({ data: 'aGk=' });
    expect(result).toMatchObject({ ok: true, attachment: { size: 4, disposition: 'attachment' } });
    expect(read({ data: 'aGk=', base64: true })).toMatchObject({ ok: true, attachment: { size: 2 } });
    expect(read({ data: 'ü' })).toMatchObject({ ok: true, attachment: { content: Buffer.from('ü') } });
  });

  it.each([
    ['aGVsbG8=', 'hello'],
    ['aGVsbG8', 'hello'],
    ['aGVs\r\nbG8=\n', 'hello'],
    ['', ''],
  ])('takes the base64 %j', (data, text) => {
    expect(read({ data, base64: true })).toMatchObject({
      ok: true,
      attachment: { content: Buffer.from(text) },
    });
  });

  it.each([
    ['invoice\u202ecod.exe', 'invoicecod.exe'],
    ['\u2066a\u2069\u200e\u200f\u061c\u200b\u2060\ufeff\u0085.txt', 'a.txt'],
    ['نامه\u200cها 👩\u200d💻 é.txt', 'نامه\u200cها 👩\u200d💻 é.txt'],
  ])('loses what hides how its name is written: %j', (given, fileName) => {
    expect(read({ file_name: given })).toMatchObject({ ok: true, attachment: { fileName } });
  });

  it('needs a name that is seen', () => {
    const message = 'file_name must be 1 to 255 characters';
    expect(read({ file_name: '\u202e\u200b' })).toEqual({ ok: false, message });
  });

  it('takes megabytes of base64, and finds one wrong character in them', () => {
    const content = randomBytes(3_000_001);
    const data = content.toString('base64');
    const result = read({ data, base64: true });
    expect(result.ok && content.equals(result.attachment.content as Buffer)).toBe(true);
    for (const at of [0, 1_048_576, 2_500_000, data.length - 4]) {
      const wrong = `${data.slice(0, at)}!${data.slice(at + 1)}`;
      expect(read({ data: wrong, base64: true })).toMatchObject({ ok: false });
    }
    const lines = data.replace(/.{76}/g, '$&\r\n');
    expect(read({ data: lines, base64: true })).toMatchObject({ ok: true, attachment: { size: 3_000_001 } });
  });

  it.each([
    'a',
    'aGVsbG8===',
    'aGVsbG8=aGk=',
    'aGV-bG8_',
    'not base64!',
    'aGVsbA=',
    'ü',
    'aGVsb\u0147',
    '====',
    'aGVs=GVs',
  ])('refuses the base64 %j', (data) => {
    expect(read({ data, base64: true })).toEqual({ ok: false, message: 'data is not valid base64' });
  });

  it.each([
    ['<logo>', undefined, { contentId: '<logo>', disposition: 'inline' }],
    ['<logo>', 'attachment', { contentId: '<logo>', disposition: 'attachment' }],
    ['logo', undefined, { contentId: undefined, disposition: 'attachment' }],
    ['<a b>', undefined, { contentId: undefined, disposition: 'attachment' }],
    ['<a>\r\nX: y', undefined, { contentId: undefined, disposition: 'attachment' }],
    ['<logo>', '', { contentId: '<logo>', disposition: 'inline' }],
    ['<logo>', ' ;filename=a', { contentId: '<logo>', disposition: 'inline' }],
    [undefined, '', { contentId: undefined, disposition: 'attachment' }],
    [undefined, 'INLINE', { contentId: undefined, disposition: 'inline' }],
    [undefined, 'Inline; filename="a;b.txt"', { contentId: undefined, disposition: 'inline' }],
    ['<logo>', 'form-data', { contentId: '<logo>', disposition: 'attachment' }],
  ])('with content_id %j and content_disposition %j is %j', (content_id, content_disposition, attachment) => {
    expect(read({ content_id, content_disposition })).toMatchObject({ ok: true, attachment });
  });

  it.each([
    'text/calendar; method=REQUEST',
    'text/plain;charset="utf-8"',
    'application/vnd.x+json',
    'image/svg+xml ; a=b;',
  ])('keeps the type %j', (content_type) =>
    expect(read({ content_type })).toMatchObject({ ok: true, attachment: { contentType: content_type } }),
  );

  it.each([
    [{ content_type: '' }, 'content_type is not a MIME type'],
    [{ content_type: 'text' }, 'content_type is not a MIME type'],
    [{ content_type: 'text/plain\r\nX: y' }, 'content_type is not a MIME type'],
    [{ content_type: 'text/plain; ü=1' }, 'content_type is not a MIME type'],
    [{ content_type: `text/${'a'.repeat(600)}` }, 'content_type is not a MIME type'],
    [{ file_name: '' }, 'file_name must be 1 to 255 characters'],
    [{ file_name: 'a'.repeat(256) }, 'file_name must be 1 to 255 characters'],
    [{ file_name: 'a\r\nX: y' }, 'file_name must not contain control characters'],
  ])('is refused with %j', (change, message) => expect(read(change)).toEqual({ ok: false, message }));
});
