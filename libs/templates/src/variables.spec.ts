import { expect, it } from 'vitest';
import { templateVariables } from './index.js';

/** `name` for a required one, `name?` for one that has a fallback wherever it is used. */
const variables = (...sources: string[]) =>
  templateVariables(sources)
    .map(({ name, required }) => (required ? name : `${name}?`))
    .join(' ');

it.each([
  // rule 14
  ['{{ a }} {{ b }} {{ a }}', 'a b'],
  ['{{ user.city }} {{ items[index] }} {{ map["key"] }}', 'user items index map'],
  ['no template', ''],
  ['{{ "a" ~ 1 }} {{ true }} {{ none }} {# c #} {% raw %}{{ d }}{% endraw %}', ''],
  ['{% for x in list %}{{ x.name }} {{ loop.index }} {{ y }}{% else %}{{ x }}{% endfor %}', 'list y x'],
  ['{% for k, v in map|items if v > least %}{{ k }}{{ v }}{% endfor %}', 'map least'],
  ['{% set a = b %}{{ a }}', 'b'],
  ['{{ a }}{% set a = 1 %}{{ a }}', 'a'],
  ['{% set a %}{{ b }}{% endset %}{{ a }}', 'b'],
  ['{% set a | replace(c, d) %}{{ b }}{% endset %}{{ a }}', 'b c d'],
  ['{% if x %}{% set a = 1 %}{% else %}{% set a = 2 %}{% endif %}{{ a }}', 'x?'],
  ['{% for x in list %}{% set a = x %}{% endfor %}{{ a }}', 'list a'],
  ['{% with a = b, c = a %}{{ a }}{{ c }}{% endwith %}{{ c }}', 'b c'],
  ['{{ range(n) }} {{ [a, {b: c}] }} {{ -d }} {{ not e }} {{ f[g:h:i] }}', 'n a b c d e f g h i'],
  ['{{ x|replace(a, b) }} {{ x is divisibleby(c) }} {{ x in d }} {{ e + f ~ g }}', 'x a b c d e f g'],
  // rule 15: the operand of default
  ['{{ a|default("x") }} {{ b|d("x") }}', 'a? b?'],
  ['{{ a|default(b) }}', 'a? b'],
  ['{{ user.city|upper|default("x") }} {{ (a ~ b)|default("x") }}', 'user? a? b?'],
  ['{{ a|default("x")|replace("y", b) }} {{ a|replace("y", c)|default("x") }}', 'a? b c?'],
  ['{{ a|default("x") }}{{ a }}', 'a'],
  ['{% set a = a|default("x") %}{{ a }}', 'a?'],
  // the left side of or
  ['{{ a or "x" }} {{ b or c or d }} {{ e and f }}', 'a? b? c? d e f'],
  ['{{ (a and b) or c }}', 'a? b? c'],
  // tested by if, or inside the guarded branch
  ['{% if a %}{{ a }}{% else %}{{ b }}{% endif %}', 'a? b'],
  ['{% if a is defined %}{{ a.b }}{% endif %}', 'a?'],
  ['{% if a is not none %}{{ a }}{% endif %}', 'a?'],
  ['{% if not a %}x{% else %}{{ a }}{% endif %}', 'a?'],
  ['{% if a is undefined %}x{% elif a == 1 %}{{ a }}{% endif %}', 'a?'],
  ['{% if a is not defined %}{{ a }}{% endif %}', 'a'],
  ['{% if user.name %}{{ user.name }}{% endif %}', 'user?'],
  ['{% if a and b %}{{ a }}{{ b }}{% endif %}', 'a? b?'],
  ['{% if a or b %}{{ a }}{{ b }}{% endif %}', 'a? b?'],
  ['{% if a is defined and a == "x" %}{{ a }}{% endif %}', 'a?'],
  ['{% if a is undefined or a == "x" %}x{% endif %}', 'a?'],
  ['{% if a == "x" %}{{ a }}{% endif %}', 'a'],
  ['{% if a|length > 0 %}x{% endif %}', 'a'],
  ['{% if a %}{% for x in a %}{{ x }}{% endfor %}{% endif %}', 'a?'],
  ['{% if a %}{% if b %}{{ a }}{{ b }}{% endif %}{{ b }}{% endif %}', 'a? b'],
  ['{% if a %}{% endif %}{{ a }}', 'a'],
  ['{% if a %}x{% elif b %}{{ b }}{{ a }}{% endif %}', 'a b?'],
  ['{{ a is defined }}', 'a?'],
  ['{% for x in list if a %}{{ a }}{% endfor %}', 'list a?'],
  // inside a guarded ternary
  ['{{ a if a else "x" }} {{ b.c if b is defined }}', 'a? b?'],
  ['{{ "x" if not a else a }} {{ b if c else d }}', 'a? b c? d'],
  // rule 9
  ['{{ email }}{{ unsubscribe_url }}{{ view_browser_url }}', 'email? unsubscribe_url? view_browser_url?'],
])('spec 2-messages §4 rules 14 and 15: %s uses %s', (source, expected) => {
  expect(variables(source)).toBe(expected);
});

it('spec 2-messages §4 rule 14: variables are in the order HTML, text, preview; one fallback is not enough', () => {
  expect(variables('{{ b }}{{ c|d }}', '{{ a }}{{ b }}', '{{ c }}{% set a = 1 %}')).toBe('b c a');
  expect(variables('{% set a = 1 %}', '{{ a }}')).toBe('a');
});

it('a part that cannot be rendered has no variables', () => {
  expect(variables('{{ a }}{{ b', '{{ c }}')).toBe('c');
});

it('takes the example of the contract', () => {
  const html =
    '<p>Hi {{ first_name|default("there") }}, code <b>{{ code }}</b> <a href="{{ unsubscribe_url }}">stop</a></p>';
  expect(variables(html)).toBe('first_name? code unsubscribe_url?');
});
