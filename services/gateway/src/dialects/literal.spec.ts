import { describe, expect, it } from 'vitest';
import { requireCopies, requireReplaceable, withReplaced } from './literal.js';

const of = (text: string, placeholders: Record<string, string>) =>
  withReplaced({ text_content: text }, new Map(Object.entries(placeholders)))['text_content'];

describe('placeholders', () => {
  it.each([
    ['-a- and -a-', { '-a-': 'x' }, 'x and x'],
    ['%name% %name_of%', { '%name': 'short', '%name_of%': 'long' }, 'short% long'],
    ['{{a}}{{b}}', { '{{a}}': '{{b}}', '{{b}}': '{{a}}' }, '{{b}}{{a}}'],
    ['$1 (a|b)* [x] a.c', { '(a|b)*': '$&', '[x]': '$1', 'a.c': '\\' }, '$1 $& $1 \\'],
    ['abc', { 'a.c': 'x' }, 'abc'],
    ['untouched', {}, 'untouched'],
  ])('in %j: %j', (text, placeholders, expected) => {
    expect(of(text, placeholders)).toBe(expected);
  });

  it('are replaced in subject and bodies, and nowhere else', () => {
    const message = { subject: 'a', html_content: 'a', amp_content: 'a', from: { email: 'a' }, tags: ['a'] };
    expect(withReplaced(message, new Map([['a', 'b']]))).toEqual({
      subject: 'b',
      html_content: 'b',
      amp_content: 'b',
      from: { email: 'a' },
      tags: ['a'],
    });
  });

  it('do not make a text longer than a message may be', () => {
    expect(() => of('a'.repeat(30_000), { a: 'x'.repeat(1_000) })).toThrow('request body is too large');
  });

  it('are not more than are replaced in a moment', () => {
    const placeholders = new Map(Array.from({ length: 100 }, (_, nth) => [`-${nth}-`, 'x'] as const));
    const large = { html_content: 'x'.repeat(60_000) };
    expect(() => requireReplaceable('substitutions', large, placeholders)).toThrow(
      'substitutions has too many',
    );
    expect(() => requireReplaceable('substitutions', { text_content: 'x' }, placeholders)).not.toThrow();
  });
});

it('copies of one request are bounded by what they are in all', () => {
  const message = { html_content: 'x'.repeat(1_000_000) };
  expect(() => requireCopies('personalizations', message, 200)).not.toThrow();
  expect(() => requireCopies('personalizations', message, 400)).toThrow('personalizations are more than');
});
