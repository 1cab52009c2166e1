import { afterEach, describe, expect, it } from 'vitest';
import { templateProblem, templateVariables } from '../index.js';
import { LIMITS } from './limits.js';
import { Template } from './render.js';
import type { Mapping } from './values.js';

/** The machine may be busy. */
const UNTIMED = { ...LIMITS, ms: Infinity };

/** The result: the text, or the reason why there is none. Anything but a TemplateError fails the test. */
function attempt(source: string, values: Mapping = {}, limits = UNTIMED, escape = false): string {
  try {
    return new Template(source).render(values, escape, limits);
  } catch (error) {
    expect(error).toMatchObject({ name: 'TemplateError' });
    return (error as Error).message;
  }
}

const MEMORY = 'line 1: rendering needs too much memory';
const OUTPUT = 'line 1: the result is larger than 20 MiB';
const STEPS = 'line 1: more than 100000 loop steps';
const NUMBER = 'line 1: the number is too large';

describe('spec 2-messages §4 rule 1: templates beyond the limits', () => {
  it.each([
    ['repeated text', '{{ "a" * 1000000000 }}', MEMORY],
    ['text repeated from the left', '{{ 1000000000 * "ab" }}', MEMORY],
    ['a repeated list', '{{ ([1] * 1000000000)|length }}', MEMORY],
    ['text that doubles', `{% set a = "a" * 1000000 %}${'{% set a = a ~ a %}'.repeat(40)}`, MEMORY],
    ['a list that doubles', `{% set a = [1, 2] %}${'{% set a = a + a %}'.repeat(40)}`, MEMORY],
    [
      'lists in lists, twice each, printed',
      `{% set a = [1] %}${'{% set a = [a, a] %}'.repeat(60)}{{ a }}`,
      MEMORY,
    ],
    ['the same as JSON', `{% set a = [1] %}${'{% set a = [a, a] %}'.repeat(60)}{{ a|tojson }}`, MEMORY],
    ['the same made unique', `{% set a = [1] %}${'{% set a = [a, a] %}'.repeat(60)}{{ a|unique }}`, MEMORY],
    ['a join that grows', '{{ range(100000)|join("x" * 10000) }}', MEMORY],
    ['a replacement that grows', '{{ ("a" * 100000)|replace("a", "b" * 10000) }}', MEMORY],
    ['a replacement of nothing', '{{ ("a" * 10000000)|replace("", "b" * 100) }}', MEMORY],
    ['escaping that grows', '{{ ("&" * 10000000)|e }}', MEMORY],
    ['encoding that grows', '{{ ("😀" * 5000000)|urlencode }}', MEMORY],
    ['a batch that is filled up', '{{ [1]|batch(1000000000, "x") }}', MEMORY],
    ['many slices', '{{ []|slice(1000000000) }}', MEMORY],
    ['characters of a long text', '{{ ("a" * 10000000)|list|length }}', MEMORY],
    ['captures', '{% for i in range(1000) %}{% set x %}{{ "a" * 100000 }}{% endset %}{% endfor %}', MEMORY],
    ['copies of a list', '{% for i in range(1000) %}{% set x = range(10000)|reverse %}{% endfor %}', MEMORY],
    ['a long result', '{% for i in range(100000) %}{{ "a" * 300 }}{% endfor %}', OUTPUT],
    ['a result long in bytes', '{{ "é" * 11000000 }}', OUTPUT],
    ['a range', '{{ range(1000000000) }}', 'line 1: a range of more than 100000 numbers'],
    ['a range without a step', '{{ range(0, 5, 0) }}', 'line 1: the step of a range is 0'],
    ['a loop', '{% for i in range(99999) %}{% for j in [1, 2] %}{% endfor %}{% endfor %}', STEPS],
    ['loops in loops', `${'{% for i in range(1000) %}'.repeat(20)}${'{% endfor %}'.repeat(20)}`, STEPS],
    [
      'a filter of a loop',
      '{% for i in range(1000) %}{% for j in range(1000) if false %}{% endfor %}{% endfor %}',
      STEPS,
    ],
    ['a sum', '{{ 9007199254740991 + 1 }}', NUMBER],
    ['a power', '{{ 10 ** 1000 }}', NUMBER],
    ['a tower of powers', '{{ 9 ** 9 ** 9 ** 9 }}', NUMBER],
    ['digits', '{{ ("1" * 1000000)|int }}', NUMBER],
    [
      'a search',
      '{{ ("a" * 1000000)|replace("b" ~ "a" * 500000, "") }}',
      'line 1: a text to search for is too long',
    ],
    [
      'a containment',
      '{{ "b" ~ "a" * 500000 in "a" * 1000000 }}',
      'line 1: a text to search for is too long',
    ],
    ['batches of nothing', '{{ [1]|batch(0) }}', 'line 1: batch needs a whole number from 1, not 0'],
    ['slices of nothing', '{{ [1]|slice(-1) }}', 'line 1: slice needs a whole number from 1, not -1'],
    ['division', '{{ 1 // 0 }}', 'line 1: division by zero'],
    ['a loop over a number', '\n{% for x in 5 %}{% endfor %}', 'line 2: a number has no items'],
    [
      'names for a list',
      '{% for a, b in [[1]] %}{% endfor %}',
      'line 1: a list of 1 cannot be split into 2 names',
    ],
    ['a sum of unlike things', '{{ "a" + 1 }}', 'line 1: cannot calculate text + a number'],
  ])('%s', (_what, source, reason) => {
    expect(attempt(source)).toBe(reason);
  });

  it('may take exactly 100,000 loop steps', () => {
    expect(attempt('{% for i in range(100000) %}{% endfor %}done')).toBe('done');
    expect(attempt('{% for i in range(100000) %}{% endfor %}{% for i in [1] %}{% endfor %}')).toBe(STEPS);
  });

  it('may make exactly 20 MiB', () => {
    expect(attempt('{{ "a" * 20971520 }}')).toHaveLength(20 * 1024 * 1024);
    expect(attempt('{{ "a" * 20971520 }}b')).toBe(OUTPUT);
    expect(attempt('{{ "&" * 10000000 }}', {}, UNTIMED, true)).toBe(MEMORY);
  });

  it.each([
    ['comparisons', '{% for i in range(100000) %}{{ a == b }}{% endfor %}'],
    [
      'comparisons of lists in lists',
      `{% set c = [1] %}${'{% set c = [c, c] %}'.repeat(60)}{% set d = [1] %}${'{% set d = [d, d] %}'.repeat(60)}{{ c == d }}`,
    ],
    ['searches', '{% for i in range(100000) %}{{ "x" in a }}{% endfor %}'],
    ['looking into a list', '{% for i in range(100000) %}{{ 1 in list }}{% endfor %}'],
    [
      'long conditions',
      `{% for i in range(100000) %}${'{% if i and i and i %}{% endif %}'.repeat(200)}{% endfor %}`,
    ],
  ])('time: %s', (_what, source) => {
    const values = {
      a: 'a'.repeat(5_000_000),
      b: `a${'a'.repeat(4_999_999)}`,
      list: Array.from({ length: 100_000 }, () => 0),
    };
    expect(attempt(source, values, { ...LIMITS, ms: 20, outputBytes: Infinity })).toBe(
      'line 1: rendering takes longer than 0.02 s',
    );
  });
});

describe('spec 2-messages §4 rule 1: templates that are deep or long', () => {
  const nested = (open: string, inner: string, close: string, depth: number) =>
    open.repeat(depth) + inner + close.repeat(depth);

  it.each([
    ['brackets', (depth: number) => `{{ ${nested('(', '1', ')', depth)} }}`],
    ['lists', (depth: number) => `{{ ${nested('[', '1', ']', depth)} }}`],
    ['mappings', (depth: number) => `{{ ${nested('{"a": ', '1', '}', depth)} }}`],
    ['indexes', (depth: number) => `{{ ${nested('a[', '1', ']', depth)} }}`],
    ['blocks', (depth: number) => nested('{% if 1 %}', 'x', '{% endif %}', depth)],
    ['negations', (depth: number) => `{{ ${'not '.repeat(depth)}1 }}`],
    ['signs', (depth: number) => `{{ ${'- '.repeat(depth)}1 }}`],
    ['conditionals', (depth: number) => `{{ ${'1 if 0 else '.repeat(depth)}1 }}`],
    ['arguments', (depth: number) => `{{ ${nested('a|default(', '1', ')', depth)} }}`],
  ])('%s: 90 deep is rendered, more than 100 is refused', (_what, make) => {
    expect(templateProblem(make(90))).toBeUndefined();
    expect(attempt(make(90))).not.toContain('line');
    for (const depth of [101, 5_000])
      expect(templateProblem(make(depth))).toBe('line 1: nested more than 100 deep');
  });

  it.each([
    ['a chain of attributes', `{{ a${'.b'.repeat(40_000)} }}`, ''],
    ['a chain of filters', `{{ a${'|upper'.repeat(40_000)} }}`, ''],
    ['a chain of operators', `{{ 1${' + 1'.repeat(40_000)} }}`, '40001'],
    ['a chain of or', `{{ ${'a or '.repeat(40_000)}1 }}`, '1'],
    ['a chain of and in brackets', `{{ ${'(a and b) or '.repeat(15_000)}1 }}`, '1'],
    ['many branches', `{% if a %}${'{% elif a %}'.repeat(20_000)}{% else %}1{% endif %}`, '1'],
    ['many variables', '{{ a }}'.repeat(30_000), ''],
    ['much text', `${'{'.repeat(1_000_000)}`.replaceAll('{{', '{ '), undefined],
    ['spaces in a tag', `{%${' '.repeat(1_000_000)}if a %}{% endif %}`, ''],
    ['unclosed comments', '{# #'.repeat(100_000), 'line 1: {# is not closed'],
    ['raws in raw', `{% raw %}${'{% '.repeat(300_000)}`, 'line 1: {% raw %} is not closed'],
    ['too many variables', '{{ a }}'.repeat(40_000), 'line 1: more than 100000 names, values and signs'],
  ])('%s', (_what, source, result) => {
    expect(attempt(source)).toBe(result ?? source);
    templateVariables([source]);
  });

  it('guards of conditions in conditions are analysed in bounded time', () => {
    const names = Array.from({ length: 200 }, (_item, index) => `a${index}`).join(' and ');
    templateVariables([`${`{% if ${names} %}`.repeat(90)}{{ a1 }}${'{% endif %}'.repeat(90)}`]);
  });
});

describe('spec 2-messages §4 rule 1: names that are not values', () => {
  afterEach(() => {
    expect(Reflect.ownKeys(Object.prototype)).not.toContain('polluted');
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });

  const NAMES = [
    'constructor',
    '__proto__',
    'prototype',
    'toString',
    'valueOf',
    'hasOwnProperty',
    '__defineGetter__',
    'length',
    'at',
    'map',
    'text',
    'number',
    'globalThis',
    'process',
    'require',
    'self',
    'this',
  ];
  const values = { text: 'a', list: [1], map: { a: 1 }, number: 1, yes: true };

  it.each(NAMES.filter((name) => !(name in values) || !Object.hasOwn(values, name)))(
    '%s is undefined everywhere',
    (name) => {
      const bases = [
        'text',
        'list',
        'map',
        'number',
        'yes',
        '"a"',
        '[]',
        '{}',
        '1.0',
        '(text|safe)',
        '(text|list)',
        '(map|items)',
        'missing',
      ];
      const source = bases
        .map((base) => `{{ ${base}.${name} }}{{ ${base}["${name}"] }}{{ ${base}.${name}.${name} }}`)
        .join('');
      expect(
        attempt(
          `{{ ${name} }}${source}{% for x in list %}{{ loop.${name === 'length' ? 'at' : name} }}{% endfor %}`,
          values,
        ),
      ).toBe('');
    },
  );

  it.each([
    '{{ x|constructor }}',
    '{{ x is constructor }}',
    '{{ constructor("x") }}',
    '{{ text.constructor.constructor("return process")() }}',
    '{{ x|sort(__proto__=1) }}',
    '{{ list|map("x") }}',
    '{{ x|attr("y") }}',
    '{{ self() }}',
    '{{ range.constructor("x") }}',
    '{{ loop.cycle.constructor("x") }}',
  ])('%s is refused', (source) => {
    expect(templateProblem(source)).toMatch(/unknown|takes no argument/);
  });

  it('reads own values of such names', () => {
    const own = JSON.parse(
      '{"__proto__": {"x": 1}, "constructor": "Bob & Co", "map": {"__proto__": 5}}',
    ) as Mapping;
    expect(attempt('{{ __proto__.x }} {{ constructor }} {{ map.__proto__ }} {{ map }} {{ x }}', own)).toBe(
      '1 Bob & Co 5 {"__proto__": 5} ',
    );
    expect(attempt('{% set a = {"__proto__": {"x": 1}} %}{{ a.x }}{{ a.__proto__.x }}{{ a|tojson }}')).toBe(
      '1{"__proto__":{"x":1}}',
    );
    expect(
      attempt(
        '{% set __proto__ = {"polluted": 1} %}{% set constructor = 2 %}{{ constructor }}{{ polluted }}',
      ),
    ).toBe('2');
  });
});

describe('spec 2-messages §4 rule 2: values that are deep or odd', () => {
  const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`) as Mapping[string];
  it.each([
    '{{ a }}',
    '{{ a|tojson }}',
    '{{ a == b }}',
    '{{ a < b }}',
    '{{ [a]|unique }}',
    '{{ [a, b]|sort }}',
    '{{ a|join }}',
    '{{ b in [a] }}',
  ])('%s of 100,000 lists in each other', (source) => {
    const other = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`) as Mapping[string];
    expect(attempt(source, { a: deep, b: other })).toBe('values are nested too deep');
  });

  it('keeps invalid Unicode, and encodes it as U+FFFD', () => {
    expect(attempt('{{ a }}{{ a|urlencode }}', { a: '\ud800x' })).toBe('\ud800x%EF%BF%BDx');
    expect(attempt('{{ a|e }}', { a: `${'x'.repeat(16_383)}😀` })).toBe(`${'x'.repeat(16_383)}😀`);
    expect(attempt('{{ a|urlencode }}', { a: `${'x'.repeat(16_383)}😀` })).toBe(
      `${'x'.repeat(16_383)}%F0%9F%98%80`,
    );
  });

  it.each([
    ['{{ 1 / 0 }} {{ -1 / 0 }} {{ 0 / 0 }}', 'inf -inf NaN'],
    ['{{ a }} {{ a + 1 }} {{ [a]|tojson }}', '1000000000000000000000.0 1000000000000000000000.0 [1e+21]'],
    ['{{ 5 is divisibleby(0) }} {{ 5 is divisibleby("x") }} {{ "x" is odd }}', 'false false false'],
    ['{{ 1.5|round(400) }} {{ 1.5|round(-400) }} {{ (1 / 0)|round }}', '1.5 1.5 inf'],
    ['{{ (1 / 0)|int(3) }}', NUMBER],
  ])('%s gives %s', (source, text) => {
    expect(attempt(source, { a: 1e21 })).toBe(text);
  });
});
