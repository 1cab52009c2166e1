import { Environment } from 'minijinja-js';
import { describe, expect, it } from 'vitest';
import { FILTERS } from './filters.js';
import { LANGUAGE, OURS, VALUES } from './language.fixture.js';
import { Template } from './render.js';
import { readValues } from './values.js';

const render = (source: string, escape = false) => new Template(source).render(VALUES, escape);

/** The language by its authors, compiled to WebAssembly. */
function renderByMiniJinja(source: string): string {
  const environment = new Environment();
  environment.undefinedBehavior = 'chainable';
  environment.keepTrailingNewline = true;
  return environment.renderStr(source, VALUES);
}

describe('spec 2-messages §4 rule 1: the language of templates', () => {
  describe.each(Object.entries(LANGUAGE))('%s', (_topic, rows) => {
    it.each(rows)('%s gives %j, as MiniJinja does', (source, text) => {
      expect(render(source)).toBe(text);
      expect(renderByMiniJinja(source)).toBe(text);
    });
  });

  describe.each(Object.entries(OURS))('%s, other than MiniJinja', (_topic, rows) => {
    it.each(rows)('%s gives %j', (source, text) => {
      expect(render(source)).toBe(text);
    });
  });
});

it('spec 2-messages §4 rule 1, spec 3-marketing §5.2: every filter that the contract names exists', () => {
  const named = `default d safe escape e upper lower title capitalize trim truncate length join replace first last round
    int float list sort reverse unique urlencode tojson batch slice items`;
  expect(named.split(/\s+/).filter((name) => !FILTERS.has(name))).toEqual([]);
});

describe('spec 2-messages §1.5: a number keeps the digits that were given', () => {
  const VALUES_OF_JSON = `{"order":1267890123456789012,"next":1267890123456789013,"edge":9007199254740992,
    "price":19.90,"whole":3.0,"tiny":0.00000012,"huge":1e400,"small":7,"fine":0.12345678901234567890}`;
  const renderJson = (source: string, escape = false) =>
    new Template(source).render(readValues(VALUES_OF_JSON), escape);

  it.each([
    ['{{ order }} {{ edge }} {{ small }}', '1267890123456789012 9007199254740992 7'],
    ['{{ price }} {{ whole }} {{ tiny }} {{ huge }}', '19.90 3.0 0.00000012 1e400'],
    [
      '{{ fine }} {{ [order, price] }} {{ {"a": order} }}',
      '0.12345678901234567890 [1267890123456789012, 19.90] {"a": 1267890123456789012}',
    ],
    ['{{ order ~ "" }} {{ [order, price]|tojson }}', '1267890123456789012 [1267890123456789012,19.90]'],
    [
      '{{ order|int }} {{ order|round }} {{ order|default(1) }}',
      '1267890123456789012 1267890123456789012 1267890123456789012',
    ],
    [
      '{{ order == next }} {{ order < next }} {{ order == order }} {{ price == 19.9 }} {{ whole == 3 }}',
      'false true true true true',
    ],
    [
      '{{ order is odd }} {{ next is odd }} {{ order is integer }} {{ whole is integer }} {{ order is divisibleby 4 }}',
      'false true true true true',
    ],
    [
      '{{ order == 1267890123456789012 }} {{ order == 1267890123456789013 }} {{ 9_007199254740993 }}',
      'true false 9007199254740993',
    ],
    ['{{ [1, 2, 3, 4][whole] }} {{ range(whole) }} {{ "x" * whole }} {{ whole|int }}', '4 [0, 1, 2] xxx 3'],
    ['{{ [order, next, order]|unique|length }} {{ [next, order]|sort|first }}', '2 1267890123456789012'],
    ['{{ price * 2 }} {{ whole + 1 }} {{ small + 1 }} {{ "x" if order }}', '39.8 4 8 x'],
  ])('%s gives %s', (source, text) => {
    expect(renderJson(source)).toBe(text);
    expect(renderJson(source.replaceAll('"', "'"), true)).toBe(text.replaceAll('"', '&quot;'));
  });

  it.each(['{{ order + 1 }}', '{{ order % 10 }}', '{{ -order }}', '{{ order // 7 }}'])(
    '%s is rejected, since its result would have other digits',
    (source) => expect(() => renderJson(source)).toThrow('the number is too large'),
  );
});

describe('spec 2-messages §4 rule 8: escaping of a part that is escaped', () => {
  it.each([
    ['{{ markup }}', '&lt;b title=&#39;&quot;x&quot;&#39;&gt; a/b &amp; c &lt;/b&gt;'],
    ['{{ markup|safe }}', `<b title='"x"'> a/b & c </b>`],
    ['{{ markup|escape }}', '&lt;b title=&#39;&quot;x&quot;&#39;&gt; a/b &amp; c &lt;/b&gt;'],
    ['{{ markup|e|e }}', '&lt;b title=&#39;&quot;x&quot;&#39;&gt; a/b &amp; c &lt;/b&gt;'],
    ['{{ markup|safe|upper }}', '&lt;B TITLE=&#39;&quot;X&quot;&#39;&gt; A/B &amp; C &lt;/B&gt;'],
    ['{{ "<" ~ markup|first }}', '&lt;&lt;'],
    ['{{ ["<"] }} {{ {"<": 1} }}', '[&quot;&lt;&quot;] {&quot;&lt;&quot;: 1}'],
    ['{{ ["<", "&"]|join("<") }}', '&lt;&lt;&amp;'],
    ['<p>{{ 1 < 2 }}{{ 1.5 }}</p>', '<p>true1.5</p>'],
    ['{{ missing|default("<") }}', '&lt;'],
    ['{{ missing|default("<"|safe) }}', '<'],
    ['{% set a %}<i>{{ "<" }}</i>{% endset %}{{ a }}', '<i>&lt;</i>'],
    ['{{ ["</script>"]|tojson }}', '["\\u003c/script\\u003e"]'],
    [`<a href="{{ 'https://x.test/?a=1&b=2' }}">`, '<a href="https://x.test/?a=1&amp;b=2">'],
  ])('%s gives %s', (source, text) => {
    expect(render(source, true)).toBe(text);
  });

  it('happens only on request', () => {
    expect(render('{{ markup }}')).toBe(VALUES.markup);
    expect(render('{{ "<"|e }}')).toBe('&lt;');
    expect(render('{% set a %}{{ "<" }}{% endset %}{{ a }}')).toBe('<');
  });
});

describe('spec 2-messages §4 rules 2 and 3: null and missing values', () => {
  it.each([
    '{{ nothing }}',
    '{{ missing }}',
    '{{ missing.a.b["c"][0] }}',
    '{{ user.missing.a }}',
    '{{ nested.list[0] }}',
    '{{ nested.list|first }}',
    '{{ nested.map.x }}',
    '{{ none }}',
    '{{ missing|upper|trim|replace("a", "b")|title|capitalize|lower|safe|escape }}',
    '{{ missing|first }}{{ missing|last }}{{ missing|round(2) }}{{ missing|reverse }}{{ missing|urlencode }}',
    '{{ missing|join(",") }}{{ missing|sort|unique|list|join }}{{ missing|items|join }}{{ missing|batch(2)|slice(2)|first|join }}',
    '{{ missing + 1 }}{{ 2 * missing }}{{ missing ** 2 }}{{ -missing }}{{ missing ~ missing }}',
    '{{ missing[1:2]|join }}',
    '{% for x in missing %}{{ x }}{% endfor %}{% for x in nothing %}{{ x }}{% endfor %}',
    '{% if missing or nothing or nested.list[0] or missing in missing or missing is defined %}x{% endif %}',
    '{% for a, b in [none, missing] %}{{ a }}{{ b }}{% endfor %}',
    '{% set a, b = missing %}{{ a }}{{ b }}',
  ])('%s prints nothing', (source) => {
    expect(render(source)).toBe('');
    expect(render(source, true)).toBe('');
  });

  it.each([
    '{{ nothing|default("x") }}',
    '{{ nested.list[0]|default("x") }}',
    '{{ nested.map.x|d("x") }}',
    '{{ missing|upper|default("x") }}',
    '{% for y in nested.list %}{{ y|default("x") }}{% endfor %}',
    '{{ "x" if nothing is none and nothing is undefined }}',
    '{{ "x" if nothing == none and missing == none }}',
  ])('%s prints x', (source) => {
    expect(render(source)).toBe('x');
  });
});
