import { describe, expect, it } from 'vitest';
import { doubleOf, parseExactJson, withExactNumbers } from './exact-json.js';

const exact = (text: string, fields = ['values']) =>
  JSON.stringify(withExactNumbers(JSON.parse(text), () => text, fields));

describe('numbers in the digits of their JSON', () => {
  it.each([
    '{"values":{"a":1267890123456789012,"b":[9007199254740993,19.90],"c":{"d":1.0}}}',
    '{"list":[{"values":{"a":-0,"b":1E5,"c":0.0000001,"d":1e400}}]}',
    '{"values":{"a":1,"b":1.5,"c":"1.50","d":null,"e":-7}}',
  ])('%s stays as it is', (text) => {
    expect(exact(text)).toBe(text);
    expect(JSON.stringify(parseExactJson(text))).toBe(text);
  });

  it('are kept only in the named fields', () => {
    expect(exact('{"days":1.0,"values":{"a":1.0},"list":[{"n":2.50}]}')).toBe(
      '{"days":1,"values":{"a":1.0},"list":[{"n":2.5}]}',
    );
    const deep = `{"values":{"a":1.0,"b":${'['.repeat(200_000)}1.0${']'.repeat(200_000)}}}`;
    expect(withExactNumbers(JSON.parse(deep), () => deep, ['values'])).toMatchObject({ values: { a: 1 } });
  });

  it.each([
    ['1.10', 1.1],
    ['12e-1', 1.2],
    ['0.00', 0],
    ['100000000000000000000', 1e20],
    ['1e21', 1e21],
    ['9007199254740993', undefined],
    ['0.12345678901234567890', undefined],
    ['1e400', undefined],
  ])('%s is the double %s', (text, double) => {
    expect(doubleOf(JSON.rawJSON(text))).toBe(double);
  });
});
