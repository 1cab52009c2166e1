import { describe, expect, it } from 'vitest';
import { subjectProblem } from './index.js';

const ONLY_NAMES = 'a subject with characters beyond ASCII may hold {{ name }} only';

describe('a subject with characters beyond ASCII', () => {
  it.each([
    ['Grüße, {{ name }}', undefined],
    ['Grüße, {{name}} {{  first_name  }}', undefined],
    ['{{ name }}: 😀', undefined],
    ['Grüße, {{ user.name }}', ONLY_NAMES],
    ['Grüße, {{ name|upper }}', ONLY_NAMES],
    ['Grüße, {% if name %}x{% endif %}', ONLY_NAMES],
    ['Grüße, {{ name }}{# x #}', ONLY_NAMES],
    ['Grüße, {{ name', ONLY_NAMES],
    ['Grüße, {{', ONLY_NAMES],
  ])('spec 2-messages §4 rule 10: %s: %s', (subject, problem) => {
    expect(subjectProblem(subject, { name: 'Ann' })).toBe(problem);
  });

  it.each([
    ['Grüße, {{ name }}', '{{ x }}', 'the value of name in the subject may not hold {{, {% or {#'],
    ['Grüße, {{ name }}', 'a {% x', 'the value of name in the subject may not hold {{, {% or {#'],
    ['Grüße, {{ name }}', ['{# x'], 'the value of name in the subject may not hold {{, {% or {#'],
    ['Grüße, {{{ name }}', '{ x', 'the subject and its values together make a {{, {% or {#'],
    ['Grüße, {{ name }}{{ rest }}', '{', undefined],
    ['Grüße, {{ name }}% x', '{', 'the subject and its values together make a {{, {% or {#'],
    ['Grüße, {{ name }}', '} }} %}', undefined],
    ['Grüße, {{ name }}% x', '{ or }', undefined],
    ['Grüße, {{ name }}% x', 'three {', 'the subject and its values together make a {{, {% or {#'],
    ['Grüße, {{{ name }}', '% three', 'the subject and its values together make a {{, {% or {#'],
    ['Grüße, {{ name }}', null, undefined],
    ['Grüße, {{ name }}', 5, undefined],
    ['Grüße, {{ other }}', '{{', undefined],
    ['Grüße, {{ constructor }}', '', undefined],
  ])('spec 2-messages §4 rule 11: %s with %j: %s', (subject, name, problem) => {
    expect(subjectProblem(subject, { name })).toBe(problem);
  });

  it('checks a large value once, however often it is used', () => {
    const subject = `ü${'{{ name }}'.repeat(90)}`;
    expect(subjectProblem(subject, { name: 'x'.repeat(10_000_000) })).toBeUndefined();
  });

  it.each(['{{\tname }}', '{{\u00a0name }}', '{{ name\u2003}}', '{{\nname}}'])(
    'spec 2-messages §4 rule 12: %j is no variable',
    (variable) => {
      expect(subjectProblem(`Grüße, ${variable}`, { name: 'Ann' })).toBe(ONLY_NAMES);
    },
  );

  it.each(['Hi {{ name|upper }}', 'Hi {% if x %}{% endif %}', '{{ name', 'Grüße', 'Grüße }}'])(
    'nothing is asked of %s',
    (subject) => {
      expect(subjectProblem(subject, { name: '{{' })).toBeUndefined();
    },
  );
});
