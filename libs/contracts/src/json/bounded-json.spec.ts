import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonTooLarge, parseBoundedJson, requireBoundedJson, setJsonLimits } from './bounded-json.js';

/** Measured on the parsed objects. */
function measure(value: unknown): { depth: number; values: number } {
  if (typeof value !== 'object' || value === null) return { depth: 0, values: 1 };
  const members = Object.values(value).map(measure);
  return {
    depth: 1 + Math.max(0, ...members.map(({ depth }) => depth)),
    values: 1 + members.reduce((sum, { values }) => sum + values, 0),
  };
}

const check = (text: string, depth: number, values: number): string => {
  try {
    requireBoundedJson(Buffer.from(text), { depth, values });
    return 'passes';
  } catch (error) {
    if (error instanceof JsonTooLarge) return error.message;
    throw error;
  }
};

describe('spec 1-platform §1.4: the structure of a body is counted on its bytes', () => {
  it('spec 1-platform §1.4 as a parser would count it, however the text is written', () => {
    const tricky = fc.constantFrom('"', '\\', '[', ',', '}', '\\"', 'é', 'x'.repeat(61), 'y'.repeat(63));
    const text = fc.array(tricky, { maxLength: 8 }).map((parts) => parts.join(''));
    const json = fc.letrec((tie) => ({
      value: fc.oneof({ maxDepth: 4 }, text, fc.double(), fc.constant(null), tie('list'), tie('object')),
      list: fc.array(tie('value'), { maxLength: 5 }),
      object: fc.dictionary(text, tie('value'), { maxKeys: 5 }),
    })).value;
    fc.assert(
      fc.property(json, fc.constantFrom(undefined, '\t', '  '), (value, indent) => {
        const written = JSON.stringify(value, undefined, indent).replaceAll('[]', '[ \n]');
        const { depth, values } = measure(JSON.parse(written));
        expect(check(written, depth, values)).toBe('passes');
        if (depth > 0) expect(check(written, depth - 1, values)).toBe('is nested too deeply');
        if (values > 1) expect(check(written, depth, values - 1)).toBe('has too many values');
      }),
    );
  });

  it.each([
    ['arrays', '['.repeat(129), 'is nested too deeply'],
    ['objects', '{"a":'.repeat(129), 'is nested too deeply'],
    ['arrays side by side', `[${'[],'.repeat(150_000)}`, 'has too many values'],
    ['commas without values', `[${','.repeat(150_000)}`, 'has too many values'],
    ['behind a long string', `["${'\\"['.repeat(50)}",${'0,'.repeat(150_000)}`, 'has too many values'],
  ])('spec 1-platform §1.4 refuses what is not even JSON: %s', (_, text, reason) => {
    expect(() => parseBoundedJson(text)).toThrow(new JsonTooLarge(reason));
  });

  it('spec 1-platform §1.4 refuses bytes that are not UTF-8', () => {
    expect(() => parseBoundedJson(Buffer.from('{"name":"Gr\u00fcn"}', 'latin1'))).toThrow(SyntaxError);
    expect(parseBoundedJson(Buffer.from('{"name":"Gr\u00fcn"}'))).toEqual({ name: 'Gr\u00fcn' });
  });

  it.each([
    ['a string of brackets', `"${'['.repeat(1_000)}"`],
    ['quotes that are escaped', JSON.stringify('"['.repeat(1_000))],
    ['backslashes before a quote', JSON.stringify(['\\'.repeat(129), '['.repeat(200), '\\'.repeat(64)])],
  ])('spec 1-platform §1.4 counts nothing inside of strings: %s', (_, text) => {
    expect(parseBoundedJson(Buffer.from(text))).toEqual(JSON.parse(text));
  });

  it.each(['"open', '"\\', '"\\"', `"${'x'.repeat(64)}\\`, '', '[', ']]]', '{"a"'])(
    'leaves invalid JSON to the parser: %j',
    (text) => expect(() => parseBoundedJson(text)).toThrow(SyntaxError),
  );

  it('by the limits of the process', () => {
    setJsonLimits({ depth: 1, values: 3 });
    expect(parseBoundedJson('[1,2]')).toEqual([1, 2]);
    expect(() => parseBoundedJson('[1,2,3]')).toThrow('has too many values');
    expect(() => parseBoundedJson('[[]]')).toThrow('is nested too deeply');
    setJsonLimits({ depth: 128, values: 150_000 });
  });
});
