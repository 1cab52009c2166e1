import { describe, expect, it } from 'vitest';
import { holdsTemplate, templateProblem } from './index.js';

describe('spec 2-messages §4 rule 1: rejected templates with the reason', () => {
  it.each([
    ['{% include "x" %}', 'line 1: {% include %} is not supported'],
    ['{% import "x" as y %}', 'line 1: {% import %} is not supported'],
    ['{% from "x" import y %}', 'line 1: {% from %} is not supported'],
    ['{% extends "x" %}', 'line 1: {% extends %} is not supported'],
    ['{% block a %}{% endblock %}', 'line 1: {% block %} is not supported'],
    ['{% macro a() %}{% endmacro %}', 'line 1: {% macro %} is not supported'],
    ['{% call x() %}{% endcall %}', 'line 1: {% call %} is not supported'],
    ['{% filter upper %}x{% endfilter %}', 'line 1: {% filter %} is not supported'],
    ['{% autoescape false %}{% endautoescape %}', 'line 1: {% autoescape %} is not supported'],
    ['{% do x %}', 'line 1: {% do %} is not supported'],
    ['{% for x in y %}{% break %}{% endfor %}', 'line 1: {% break %} is not supported'],
    ['{% for x in y recursive %}{% endfor %}', 'line 1: a recursive loop is not supported'],
    ['a\n\n{% shout %}', 'line 3: unknown tag {% shout %}'],
    ['\n{{ name|shout }}', 'line 2: unknown filter "shout"'],
    ['{% if false %}{{ name|shout }}{% endif %}', 'line 1: unknown filter "shout"'],
    ['{{ name is loud }}', 'line 1: unknown test "loud"'],
    ['{{ shout(name) }}', 'line 1: unknown function "shout"'],
    ['{{ name.upper() }}', 'line 1: unknown function "name.upper"'],
    ['{{ "".constructor("x") }}', 'line 1: unknown function ""'],
    ['{{ name["upper"]()() }}', 'line 1: unknown function "name.upper"'],
    ['{{ super() }}', 'line 1: unknown function "super"'],
    ['{{ range() }}', 'line 1: wrong arguments for range'],
    ['{{ name|replace("a") }}', 'line 1: the filter replace needs an argument new'],
    ['{{ name|upper("a") }}', 'line 1: the filter upper takes no more than 0 arguments'],
    ['{{ name|sort(by="a") }}', 'line 1: the filter sort takes no argument by'],
    ['{{ name is divisibleby }}', 'line 1: the test divisibleby takes one argument'],
    ['{{ name is defined(1) }}', 'line 1: the test defined takes no arguments'],
    ['{{', 'line 1: {{ is not closed'],
    ['{{ name', 'line 1: {{ is not closed'],
    ['{{ name }', 'line 1: {{ is not closed'],
    ['\n{% if a %}', 'line 2: {% endif %} is missing'],
    ['{% for x in y %}', 'line 1: {% endfor %} is missing'],
    ['{% if a %}{% endfor %}', 'line 1: expected endif, found "endfor"'],
    ['x{% endif %}', 'line 1: unexpected {% endif %}'],
    ['{% else %}', 'line 1: unexpected {% else %}'],
    ['{# x', 'line 1: {# is not closed'],
    ['{% raw %}x', 'line 1: {% raw %} is not closed'],
    ['{{ }}', 'line 1: expected a value, found "}}"'],
    ['{{ a b }}', 'line 1: expected the end of the tag, found "b"'],
    ['{{ a. }}', 'line 1: expected a name after the dot, found "}}"'],
    ['{{ a) }}', 'line 1: expected the end of the tag, found ")"'],
    ['{{ "a }}', 'line 1: text in quotes is not closed'],
    ['{{ "\\q" }}', 'line 1: unknown escape \\q in quotes'],
    ['{{ a && b }}', 'line 1: unexpected "&"'],
    ['{{ a[] }}', 'line 1: expected an index, found "]"'],
    ['{% set loop = 1 %}', 'line 1: loop cannot be set'],
    ['{% set a.b = 1 %}', 'line 1: only a name can be set, not an attribute'],
    [`{{ ${'9'.repeat(40)} }}`, 'line 1: the number is too large'],
  ])('%j: %s', (source, problem) => {
    expect(templateProblem(source)).toBe(problem);
  });

  it.each(['', 'no template', 'a { b } }} %} #}', '{{ name }}', '{% if a %}{% endif %}', '{# {{ #}'])(
    'there is no problem with %j',
    (source) => {
      expect(templateProblem(source)).toBeUndefined();
    },
  );

  it.each([
    ['{{ name }}', true],
    ['{% if x %}', true],
    ['{# x #}', true],
    ['{{', true],
    ['a { b } { { }} %}', false],
    ['', false],
  ])('%j holds a template: %s', (source, holds) => {
    expect(holdsTemplate(source)).toBe(holds);
  });
});
