import { describe, expect, it } from 'vitest';
import { headOf, headParts, headProblem } from './rendered-parts.rules.js';
import { requireSharedValues, requireSubstitutions } from './substitutions.rules.js';

const content = (more: object = {}) => ({ subject: 's', text: 't', ...more });
const ann = (values: Record<string, unknown>) => ({ email: 'ann@mail.test', values });
const check = (more: object, values: Record<string, unknown> = { x: 1 }, bodiesToo = true) =>
  requireSubstitutions(content(more), [ann({ x: 'ok' }), ann(values)], { bodiesToo });

describe('errors that are found before rendering', () => {
  it.each([
    [{ subject: '{{' }, /^invalid template in subject: /],
    [{ text: '{% if %}' }, /^invalid template in text_content: /],
    [{ html: '{# x' }, /^invalid template in html_content: /],
    [{ amp: '{{ x y }}' }, /^invalid template in amp_content: /],
    [{ headers: [{ name: 'X-A', value: '{{' }] }, /^invalid template in headers\.X-A: /],
    [{ subject: 'ü {{ x|upper }}' }, /^invalid template in subject: /],
  ])('%j', (more, text) => expect(() => check(more)).toThrow(text));

  it('are not searched in bodies that are known to parse', () => {
    expect(() => check({ html: '{% if' }, {}, false)).not.toThrow();
    expect(() => check({ html: '{% if', subject: '{{' }, {}, false)).toThrow(/in subject/);
  });

  it.each(['a\nb', 'a\rb'])('a value that breaks a header that uses it: %j', (x) => {
    const headers = [{ name: 'X-A', value: '{% if x %}yes{% endif %}' }];
    expect(() => check({ headers }, { x })).toThrow(
      "substitution value for header 'X-A' of ann@mail.test must not contain a line break",
    );
    expect(() => check({ headers }, { y: x })).not.toThrow();
    expect(() => check({ headers: [{ name: 'X-A', value: 'x' }] }, { x })).not.toThrow();
    const both = [{ name: 'X-0', value: '{{ y }}' }, ...headers, { name: 'X-B', value: '{{ x }}' }];
    expect(() => check({ headers: both }, { x })).toThrow(/header 'X-A'/);
  });
});

it('values of the request are bounded by the number of recipients that they are for', () => {
  const values = { a: 'x'.repeat(400_000) };
  expect(() => requireSharedValues(values, 80)).not.toThrow();
  expect(() => requireSharedValues(values, 100)).toThrow('substitutions are too large for 100 recipients');
  expect(() => requireSharedValues({ a: 'x'.repeat(35_000_000) }, 1)).not.toThrow();
  expect(() => requireSharedValues(undefined, 100)).not.toThrow();
  const names = Object.fromEntries(Array.from({ length: 6_000 }, (_, n) => [n, 0]));
  expect(() => requireSharedValues(names, 80)).not.toThrow();
  expect(() => requireSharedValues(names, 100)).toThrow('substitutions are too large for 100 recipients');
});

describe('a rendered head', () => {
  const given = {
    subject: 'Hi {{ x }}',
    date: new Date(0),
    from: { email: 'a@b.test' },
    headers: [
      { name: 'X-A', value: 'plain' },
      { name: 'X-B', value: '{{ x }}' },
    ],
  };

  it('takes the rendered texts for its templates and leaves the rest', () => {
    expect(headParts(given).map(({ name }) => name)).toEqual(['subject', 'headers.X-A', 'headers.X-B']);
    expect(headOf(given, ['Hi\r\nyou', 'b'])).toEqual({
      subject: 'Hi you',
      headers: [
        { name: 'X-A', value: 'plain' },
        { name: 'X-B', value: 'b' },
      ],
    });
  });

  it('can be invalid although its sources are valid', () => {
    const head = (subject: string, value: string) => ({ subject, headers: [{ name: 'X-B', value }] });
    expect(headProblem(head('s', 'v'), 'a@b.test')).toBeUndefined();
    expect(headProblem(head('s'.repeat(999), 'v'), 'a@b.test')).toBe(
      'subject must have at most 998 characters',
    );
    expect(headProblem(head('s', 'v'.repeat(9_000)), 'a@b.test')).toMatch(/X-B.*longer/);
    expect(() => headProblem(head('s', 'v\nw'), 'a@b.test')).toThrow(
      /of a@b\.test must not contain a line break/,
    );
  });
});
