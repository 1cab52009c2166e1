/**
 * Values of the tables below. Keys are in the order of the alphabet, which is the only order that MiniJinja
 * preserves.
 */
export const VALUES = {
  count: 5,
  empty: '',
  list: [3, 1, 2],
  markup: `<b title='"x"'> a/b & c </b>`,
  name: 'Ann',
  nested: { list: [null], map: { x: null } },
  no: false,
  nothing: null,
  people: [
    { age: 3, name: 'Bo' },
    { age: 2, name: 'al' },
  ],
  price: 2.5,
  sentence: "hello world, don't panic",
  unicode: 'ß Ünï 😀x',
  user: { city: 'Y', name: 'X' },
  words: ['b', 'A', 'c', 'a'],
  yes: true,
  zero: 0,
};

type Row = [source: string, text: string];

/** Templates and their results, the same as those of MiniJinja. */
export const LANGUAGE: Record<string, Row[]> = {
  values: [
    ['{{ name }}', 'Ann'],
    ['{{name}}', 'Ann'],
    ['{{ count }} {{ price }} {{ yes }} {{ no }}', '5 2.5 true false'],
    ['{{ list }} {{ words }}', '[3, 1, 2] ["b", "A", "c", "a"]'],
    ['{{ user }}', '{"city": "Y", "name": "X"}'],
    ['{{ user.name }}{{ user["city"] }}', 'XY'],
    ['{{ list[0] }}{{ list[-1] }}{{ list[9] }}{{ list[-9] }}', '32'],
    ['{{ name[0] }}', 'A'],
    ['{{ list[1:] }}{{ list[:2] }}{{ list[-2:] }}{{ list[::2] }}', '[1, 2][3, 1][1, 2][3, 2]'],
    ['{{ sentence[0:5] }}{{ sentence[-5:] }}', 'hellopanic'],
    ['{{ people[0].name }}', 'Bo'],
  ],
  literals: [
    ['{{ 1 }} {{ 1_000 }} {{ 1.5 }} {{ 3.0 }} {{ 1e3 }}', '1 1000 1.5 3.0 1000.0'],
    [`{{ "a" }}{{ 'b' }}{{ 'it\\'s' }}{{ "\\"\\n\\u0041" }}`, 'abit\'s"\nA'],
    ['{{ true }} {{ True }} {{ false }} {{ False }}', 'true true false false'],
    [
      '{{ [1, "x", true, 2.0] }} {{ (1, 2) }} {{ (1) }} {{ () }} {{ (1,) }}',
      '[1, "x", true, 2.0] [1, 2] 1 [] [1]',
    ],
    ['{{ {"a": 1} }} {{ {"a": {"b": 2}}.a.b }}', '{"a": 1} 2'],
    ['{{ "}}" }}{{ "{{" }}', '}}{{'],
  ],
  operators: [
    ['{{ 1 + 2 }} {{ 3 - 5 }} {{ 2 * 3 }} {{ 7 / 2 }} {{ 6 / 2 }}', '3 -2 6 3.5 3.0'],
    ['{{ 7 // 2 }} {{ -7 // 2 }} {{ 7 // -2 }} {{ -7 % 3 }} {{ 7 % -3 }} {{ 7.5 % 2 }}', '3 -4 -3 2 1 1.5'],
    ['{{ 2 ** 10 }} {{ 2.0 ** 2 }} {{ -2 ** 2 }} {{ -count }}', '1024 4.0 4 -5'],
    ['{{ 2 + 3 * 4 }} {{ 3 * 4 ~ 5 }} {{ (1 + 2) * 3 }} {{ 2 * -3 }}', '14 125 9 -6'],
    [
      '{{ "a" ~ 1 ~ 2.0 }} {{ missing ~ "x" }} {{ "a" + "b" }} {{ "ab" * 2 }} {{ [1] + [2] }} {{ [1] * 2 }}',
      'a12.0 x ab abab [1, 2] [1, 1]',
    ],
    [
      '{{ 1 == 1.0 }} {{ "1" == 1 }} {{ 1 != 2 }} {{ true == 1 }} {{ [1] == [1] }}',
      'true false true true true',
    ],
    [
      '{{ 1 < 2 }} {{ 2 <= 1 }} {{ "b" > "a" }} {{ 2 >= 2 }} {{ [1, 2] < [1, 3] }} {{ "5" > 3 }}',
      'true false true true true true',
    ],
    [
      '{{ 2 in list }} {{ "An" in name }} {{ "city" in user }} {{ 9 not in list }} {{ 1 in missing }}',
      'true true true true false',
    ],
    [
      '{{ not count }} {{ not missing }} {{ count and name }} {{ empty or "x" }} {{ zero or empty or "y" }}',
      'false true Ann x y',
    ],
    ['{{ "a" if count else "b" }} {{ "a" if zero }} {{ "a" if zero else "b" if no else "c" }}', 'a  c'],
    ['{{ [] or "e" }} {{ {} or "e" }}', 'e e'],
    [
      '{{ name is defined }} {{ missing is defined }} {{ missing is not defined }} {{ missing is undefined }}',
      'true false true true',
    ],
    [
      '{{ count is odd }} {{ count is even }} {{ count is divisibleby 5 }} {{ count is divisibleby(2) }}',
      'true false true false',
    ],
    [
      '{{ name is string }} {{ list is sequence }} {{ user is mapping }} {{ 1 is number }} {{ 1.0 is float }}',
      'true true true true true',
    ],
    [
      '{{ count is eq 5 }} {{ count is in [5] }} {{ count is gt 4 }} {{ name is startingwith "A" }}',
      'true true true true',
    ],
  ],
  filters: [
    ['{{ name|upper }} {{ name|lower }} {{ "é"|upper }} {{ 5|upper }}', 'ANN ann É 5'],
    ['{{ sentence|title }} {{ sentence|capitalize }}', "Hello World, Don'T Panic Hello world, don't panic"],
    ['{{ "  x "|trim }} {{ "xxaxx"|trim("x") }}', 'x a'],
    ['{{ sentence|length }} {{ list|length }} {{ user|length }} {{ unicode|length }}', '24 3 2 8'],
    ['{{ list|join }} {{ list|join(", ") }} {{ "abc"|join("-") }}', '312 3, 1, 2 a-b-c'],
    ['{{ sentence|replace("o", "0") }} {{ "ab"|replace("", "-") }}', "hell0 w0rld, d0n't panic -a-b-"],
    [
      '{{ sentence|truncate(length=9) }} {{ sentence|truncate(length=9, killwords=true) }}',
      'hello... hello ...',
    ],
    [
      '{{ sentence|truncate(length=9, end="…", leeway=0) }} {{ sentence|truncate(length=19) }} {{ name|truncate }}',
      "hello… hello world, don't panic Ann",
    ],
    ['{{ list|first }} {{ list|last }} {{ name|first }} {{ name|last }} {{ []|first }}', '3 2 A n '],
    [
      '{{ price|round }} {{ 42.55|round(1) }} {{ 42|round }} {{ -2.5|round }} {{ 3.14159|round(2) }}',
      '3.0 42.6 42 -3.0 3.14',
    ],
    ['{{ "3"|int }} {{ "3.7"|int }} {{ price|int }} {{ yes|int }} {{ missing|int }}', '3 3 2 1 0'],
    ['{{ "3"|float }} {{ 3|float }} {{ "1.5"|float }}', '3.0 3.0 1.5'],
    ['{{ "abc"|list }} {{ user|list }} {{ missing|list }}', '["a", "b", "c"] ["city", "name"] []'],
    [
      '{{ words|sort }} {{ words|sort(case_sensitive=true) }} {{ list|sort(reverse=true) }}',
      '["A", "a", "b", "c"] ["A", "a", "b", "c"] [3, 2, 1]',
    ],
    ['{{ people|sort(attribute="name") }}', '[{"age": 2, "name": "al"}, {"age": 3, "name": "Bo"}]'],
    ['{{ list|reverse }} {{ unicode|reverse }}', '[2, 1, 3] x😀 ïnÜ ß'],
    ['{{ words|unique }} {{ words|unique(case_sensitive=true) }}', '["b", "A", "c"] ["b", "A", "c", "a"]'],
    [
      '{{ user|tojson }} {{ "</a> & \'b\'"|tojson }} {{ missing|tojson }}',
      '{"city":"Y","name":"X"} "\\u003c/a\\u003e \\u0026 \\u0027b\\u0027" null',
    ],
    ['{{ user|tojson(true) }}', '{\n  "city": "Y",\n  "name": "X"\n}'],
    ['{{ list|batch(2) }} {{ list|batch(2, "x") }}', '[[3, 1], [2]] [[3, 1], [2, "x"]]'],
    [
      '{{ [1, 2, 3, 4, 5]|slice(3) }} {{ [1, 2, 3, 4, 5]|slice(3, "x") }}',
      '[[1, 2], [3, 4], [5]] [[1, 2], [3, 4], [5, "x"]]',
    ],
    ['{{ user|items }}', '[["city", "Y"], ["name", "X"]]'],
    [
      '{{ missing|default("d") }} {{ empty|default("d") }} {{ empty|default("d", true) }} {{ missing|d }}',
      'd  d ',
    ],
    [
      '{{ missing|d("a") ~ name|upper }} {{ -price|round }} {{ words|sort|join(",")|upper }}',
      'aANN -3.0 A,A,B,C',
    ],
  ],
  statements: [
    ['{% if count %}y{% else %}n{% endif %}{% if zero %}y{% elif count == 5 %}e{% else %}n{% endif %}', 'ye'],
    ['{% for x in list %}{{ loop.index }}{{ x }}{% if not loop.last %},{% endif %}{% endfor %}', '13,21,32'],
    [
      '{% for x in [] %}a{% else %}none{% endfor %}{% for x in missing %}a{% else %}none{% endfor %}',
      'nonenone',
    ],
    [
      '{% for k, v in user|items %}{{ k }}={{ v }};{% endfor %}{% for k in user %}{{ k }};{% endfor %}',
      'city=Y;name=X;city;name;',
    ],
    ['{% for x in list if x > 1 %}{{ loop.index }}/{{ loop.length }}:{{ x }} {% endfor %}', '1/2:3 2/2:2 '],
    [
      '{% for x in list %}{{ loop.first }}{{ loop.revindex }}{{ loop.revindex0 }}{{ loop.index0 }} {% endfor %}',
      'true320 false211 false102 ',
    ],
    ['{% for x in list %}{{ loop.previtem }}<{{ loop.nextitem }};{% endfor %}', '<1;3<2;1<;'],
    ['{% for x in list %}{{ loop.cycle("a", "b") }}{% endfor %}', 'aba'],
    ['{% for x in [1, 1, 2] %}{{ loop.changed(x) }} {% endfor %}', 'true false true '],
    [
      '{% for (a, b) in [[1, 2]] %}{{ a }}{{ b }}{% endfor %}{% for c in name %}{{ c }}-{% endfor %}',
      '12A-n-n-',
    ],
    [
      '{% for x in range(3) %}{{ x }}{% endfor %} {{ range(1, 4) }} {{ range(0, 10, 3) }} {{ range(5, 0, -2) }}',
      '012 [1, 2, 3] [0, 3, 6, 9] [5, 3, 1]',
    ],
    [
      '{% set a = 1 %}{{ a }}{% set b %}<{{ name }}>{% endset %}{{ b }}{% set c | upper %}x{% endset %}{{ c }}',
      '1<Ann>X',
    ],
    ['{% set y = 0 %}{% for x in list %}{% set y = x %}{{ y }}{% endfor %}{{ y }}', '3120'],
    ['{% if yes %}{% set y = 2 %}{% endif %}{{ y }}', '2'],
    ['{% with a = 1, b = a %}{{ a }}{{ b }}{% endwith %}{{ a }}', '11'],
    ['{% raw %}{{ x }}{% if %}{% endraw %}', '{{ x }}{% if %}'],
    ['a{# {{ x }} {% if %} #}b', 'ab'],
  ],
  whitespace: [
    ['a {{- name -}} b', 'aAnnb'],
    ['a\n{%- if yes -%}\n b\n{%- endif -%}\nc', 'abc'],
    ['a {#- c -#} b', 'ab'],
    ['a {%- raw -%} {{ x }} {%- endraw -%} b', 'a{{ x }}b'],
    ['x\n', 'x\n'],
    ['{{ name }}\n\n', 'Ann\n\n'],
    ['{%+ if yes +%} x {%+ endif +%}', ' x '],
    ['\r\n{{ name }}\r\n', '\r\nAnn\r\n'],
  ],
  'what is no template': [
    ['}} %} #} { { x } } {', '}} %} #} { { x } } {'],
    ['a { b } c', 'a { b } c'],
  ],
};

/** Cases where the contract, or usefulness, requires another result. */
export const OURS: Record<string, Row[]> = {
  'indexes after a dot (rule 1)': [['{{ list.0 }}{{ people.1.name }}', '3al']],
  'null is undefined (rule 2)': [
    ['{{ nothing }}|{{ none }}|{{ yes ~ nothing }}', '||true'],
    ['{{ nothing|default("d") }}', 'd'],
  ],
  'undefined is never an error (rule 3)': [
    ['{{ missing|length }}|{{ missing|first }}|{{ missing|round }}|{{ missing + 1 }}', '0|||'],
    ['{{ missing|upper|default("d") }}', 'd'],
    ['{{ "x"|int }} {{ "x"|int(7) }} {{ "x"|float }}', '0 7 0.0'],
  ],
  'urlencode, which the WebAssembly build lacks': [
    ['{{ "https://x.test/a?b=c&d=e f"|urlencode }}', 'https%3A//x.test/a%3Fb%3Dc%26d%3De%20f'],
    [`{{ "a~b!c'd(e)*f.-_é"|urlencode }}`, 'a%7Eb%21c%27d%28e%29%2Af.-_%C3%A9'],
    ['{{ {"a b": 1, "c": "d&e"}|urlencode }}', 'a%20b=1&c=d%26e'],
  ],
  'arguments of truncate by position, as in Jinja (spec 3-marketing §5.2)': [
    ['{{ sentence|truncate(9) }} {{ sentence|truncate(9, true, "…", 0) }}', 'hello... hello wo…'],
    [
      '{{ ("😀" * 20)|truncate(9, true) }} {{ sentence|truncate(2) }} {{ missing|truncate(9) }}',
      '😀😀😀😀😀😀... ... ',
    ],
  ],
  'keys keep their order': [
    ['{{ {"b": 1, "a": 2} }} {{ {"b": 1, "a": 2}|tojson }}', '{"b": 1, "a": 2} {"b":1,"a":2}'],
    ['{% set a, b = [1, 2] %}{{ a }}{{ b }}', '12'],
  ],
};
