import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openObject } from '@postmesh/contracts';
import { body, parseJsonBody, parseQueryText, query } from './input.pipes.js';

const MESSAGE = z.object({
  name: z.string().optional(),
  from: z.strictObject({ email: z.string() }).optional(),
  values: openObject(z.unknown()).nullish(),
});
const errorOf = (bytes: Buffer | string): Promise<string> =>
  body(MESSAGE)
    .transform(Buffer.from(bytes as string), { type: 'body' })
    .then(
      () => '',
      (error: unknown) => (error as Error).message,
    );
const name = (...bytes: number[]) =>
  Buffer.concat([Buffer.from('{"name":"'), Buffer.from(bytes), Buffer.from('"}')]);

describe('spec 1-platform §1.4 a body', () => {
  it.each([
    ['a byte that begins nothing', name(0xff)],
    ['a byte that continues nothing', name(0x80)],
    ['half of a character', name(0xc3)],
    ['ISO-8859-1', Buffer.from('{"name":"Müller"}', 'latin1')],
    ['a longer form than needed', name(0xc0, 0xaf)],
    ['half of a surrogate pair in UTF-8', name(0xed, 0xa0, 0x80)],
    ['UTF-16', Buffer.from('{"name":"a"}', 'utf16le')],
    ['bytes in a large body', Buffer.concat([Buffer.alloc(300_000, ' '), name(0xff)])],
    ['half of a surrogate pair', '{"name":"a\\ud83d"}'],
    ['the other half', '{"name":"\\uDE00 a"}'],
    ['halves in the wrong order', '{"name":"\\ude00\\ud83d"}'],
    ['half of a pair far inside', '{"values":{"a":[{"b":"\\ud83d"}]}}'],
    ['half of a pair in a key', '{"values":{"\\ud83d":1}}'],
  ])('that is not valid text is refused: %s', async (_what, bytes) => {
    expect(await errorOf(bytes)).toBe('invalid request body');
  });

  it.each([
    ['{"name":"Müller 😀"}', 'Müller 😀'],
    ['{"name":"\\ud83d\\ude00"}', '😀'],
    ['{"name":"\\\\ud83d"}', '\\ud83d'],
  ])('%s is read', (text, wanted) => {
    expect(parseJsonBody(Buffer.from(text))).toEqual({ name: wanted });
  });

  it.each([
    ['{"__proto__":{"name":1}}', 'unknown field: __proto__'],
    ['{"\\u005f_proto__":1}', 'unknown field: __proto__'],
    ['{"colour":1,"__proto__":1}', 'unknown field: colour'],
    ['{"from":{"email":"a","__proto__":{}}}', 'unknown field: from.__proto__'],
    ['{"values":{"a":1,"__proto__":{}}}', 'unknown field: values.__proto__'],
    // the value of a name, which is any JSON
    ['{"values":{"a":{"__proto__":1}}}', ''],
  ])('%s names __proto__ as any other unknown field', async (text, wanted) => {
    expect(await errorOf(text)).toBe(wanted);
  });
});

describe('spec 1-platform §1.4 a query', () => {
  const read = (text: string) =>
    query(z.object({ recipient: z.string().optional() })).transform(parseQueryText(text), { type: 'query' });

  it.each(['recipient=%ff', 'recipient=%zz', 'recipient=a%', 'recipient=%ed%a0%80', 'other=%c3&recipient=a'])(
    '%s that is not text is refused',
    async (text) => {
      await expect(read(text)).rejects.toMatchObject({
        status: 400,
        message: 'invalid query, percent-encode it in UTF-8',
      });
    },
  );

  it.each([
    ['recipient=m%C3%BCller%40mail.test', 'müller@mail.test'],
    ['recipient=a+b%2B%25', 'a b+%'],
    ['recipient=&recipient=b', 'b'],
  ])('%s is read', async (text, recipient) => {
    expect(await read(text)).toEqual({ recipient });
  });
});
