import { describe, expect, it } from 'vitest';
import { parseBody } from '@postmesh/contracts';
import { z } from 'zod';
import { textField, type TextFieldRules } from './text-field.js';

const NAME: TextFieldRules = { min: 1, max: 3, trimmed: true };

const read = (rules: TextFieldRules, text: unknown) =>
  parseBody(z.object({ name: textField('name', rules) }), { name: text }).name;

describe('a text of a customer', () => {
  it.each([
    ['is trimmed', NAME, '  ab ', 'ab'],
    ['is trimmed before it is measured', NAME, '  abc ', 'abc'],
    ['is measured in characters', NAME, '😀😀😀', '😀😀😀'],
    ['is not trimmed by default', { max: 5 }, ' a ', ' a '],
    ['may be empty by default', { max: 5 }, '', ''],
    ['may have lines where it may', { max: 9, multiline: true }, 'a\r\n\tb', 'a\r\n\tb'],
    ['has no halves of characters', { max: 5 }, 'a\ud800b', 'a\ufffdb'],
  ])('%s', (_case, rules, given, stored) => {
    expect(read(rules, given)).toBe(stored);
  });

  it.each([
    [NAME, '', 'name must not be empty'],
    [NAME, '   ', 'name must not be empty'],
    [NAME, 'abcd', 'name must be at most 3 characters'],
    [NAME, '😀😀😀😀', 'name must be at most 3 characters'],
    [NAME, 'a\u0000b', 'name must not contain control characters'],
    [NAME, 'a\nb', 'name must not contain control characters'],
    [{ max: 9, multiline: true }, 'a\u0000', 'name must not contain control characters'],
    [{ max: 9, multiline: true }, 'a\u0085', 'name must not contain control characters'],
    [NAME, 7, 'name must be a string'],
    [NAME, undefined, 'name is required'],
  ])('%j refuses %j', (rules, given, message) => {
    expect(() => read(rules, given)).toThrow(message);
  });
});
