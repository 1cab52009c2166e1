import { beforeAll, describe, expect, it } from 'vitest';
import { sharedInstallation } from './harness.js';
import { outcomes, errorOf, Sender } from './sends.js';

const postmesh = sharedInstallation();
let sender: Sender;
beforeAll(async () => {
  sender = await Sender.make(postmesh);
});

const to = (substitutions?: object, email = 'ann@mail.test') => ({ email, substitutions });
const regular = (values: object | undefined, more: object = {}) =>
  sender.regular({ recipients: [to(values)], ...more });
/** the text of the message to the first recipient */
const textOf = async (text_content: string, values: object, more: object = {}) =>
  (await sender.readSent(regular(values, { text_content, ...more }))).text;
/** HTML and text of a template after rendering */
async function designed(source: string, values: object) {
  const id = await sender.published({ content: { html: `<p>${source}</p>`, text: `t ${source}` } });
  const { html, text } = await sender.readSent(sender.template(id, { recipients: [to(values)] }));
  return { html: /<p>([^]*)<\/p>/.exec(html)?.[1], text: text.slice(2) };
}

describe('spec 2-messages §4 the language', () => {
  it.each<[string, object, string]>([
    [
      '{{ user.city }} {{ list[1] }} {{ user["city"] }}',
      { user: { city: 'Bonn' }, list: [1, 2] },
      'Bonn 2 Bonn',
    ],
    ['{% if a and not b %}yes{% elif b %}b{% else %}no{% endif %}', { a: 1, b: 0 }, 'yes'],
    ['{% for x in list %}{{ loop.index }}{{ x }}{% else %}none{% endfor %}', { list: ['a', 'b'] }, '1a2b'],
    ['{% set y = x ~ "!" %}{{ y }}{# gone #}', { x: 'hi' }, 'hi!'],
    ['{{ "a" if x is defined else "b" }}{{ "q" in x }}', { x: 'pq' }, 'atrue'],
    ['{% raw %}{{ x }}{% endraw %}|{{- x -}} |', { x: 1 }, '{{ x }}|1|'],
    [
      '{{ x|default("d") }}{{ y|upper }}{{ list|join("-") }}{{ y|length }}',
      { y: 'ab', list: [1, 2] },
      'dAB1-22',
    ],
    ['{% with z = 2 %}{{ z }}{% endwith %}', {}, '2'],
  ])('spec 2-messages §4 rule 1 %s', async (source, values, text) =>
    expect(await textOf(source, { _: 1, ...values })).toBe(text),
  );

  it.each([
    '{% include "a" %}',
    '{% extends "a" %}',
    '{% import "a" as b %}',
    '{% macro m() %}{% endmacro %}',
    '{% call m() %}{% endcall %}',
  ])('spec 2-messages §4 rule 1 no %s', async (source) =>
    expect(await errorOf(regular({ a: 1 }, { text_content: source }))).toMatch(
      /^400 invalid template in text_content: /,
    ),
  );

  it('spec 2-messages §4 rule 1 no way to functions and prototypes, and an end to every loop', async () => {
    const ways = '{{ x.constructor }}{{ x.__proto__ }}{{ x["constructor"]["name"] }}{{ list.push }}|';
    expect(await textOf(ways, { x: { a: 1 }, list: [] })).toBe('|');
    const loops = '{% for a in range(1000) %}{% for b in range(1000) %}{% endfor %}{% endfor %}';
    expect(await outcomes(regular({ a: 1 }, { text_content: loops }))).toEqual([
      expect.stringMatching(/^text_content cannot be rendered: /),
    ]);
  });

  it('spec 2-messages §4 rule 2, §4 rule 3 values are any JSON, null and unknown names print nothing', async () => {
    const values = { n: 1.5, t: true, nothing: null, list: [1, 'a'], o: { a: 'b' } };
    const source =
      '{{ n }}{{ t }}[{{ nothing }}{{ unknown }}{{ unknown.deep }}]{{ o.a }}{{ nothing|default("d") }}';
    expect(await textOf(source, values)).toBe('1.5true[]bd');
  });
});

describe('spec 2-messages §4 regular sends', () => {
  it('spec 2-messages §4 rule 4 a recipient has its own values over those of the request, by top-level key', async () => {
    const sent = sender.regular({
      substitutions: { name: 'friend', deep: { a: 1, b: 2 }, gone: 'x' },
      recipients: [to({ name: 'Ann', deep: { a: 9 }, gone: null }), to(undefined, 'bob@mail.test')],
      text_content: '{{ name }} {{ deep.a }} [{{ deep.b }}] [{{ gone }}]',
    });
    expect((await sender.readSent(sent)).text).toBe('Ann 9 [] []');
    expect((await sender.readSent(sent, 1)).text).toBe('friend 1 [2] [x]');
  });

  it('spec 2-messages §4 rule 5 without any value nothing is rendered, braces leave as they are written', async () => {
    const source = '{{ name }} {% if %} {#';
    const more = { subject: source, html_content: source, headers: { 'X-A': source }, text_content: source };
    for (const [own, ofRequest] of [
      [undefined, undefined],
      [{}, {}],
      [null, null],
    ]) {
      const sent = sender.regular({ ...more, recipients: [to(own ?? undefined)], substitutions: ofRequest });
      const { body, text, html, header } = await sender.readSent(sent);
      expect([body.subject, text, html, header('x-a')]).toEqual([source, source, source, source]);
    }
    const mixed = sender.regular({ recipients: [to({ name: 'Ann' }), to()], text_content: '{{ name }}' });
    expect([(await sender.readSent(mixed)).text, (await sender.readSent(mixed, 1)).text]).toEqual([
      'Ann',
      '{{ name }}',
    ]);
  });

  it('spec 2-messages §4 rule 6, §4 rule 7 every part is rendered, nothing is escaped', async () => {
    const x = '<b>&"\'</b>';
    const parts = { subject: 's {{ x }}', text_content: 't {{ x }}', html_content: '<p>{{ x }}</p>' };
    const more = { ...parts, amp_content: '<html amp4email>{{ x }}', headers: { 'X-A': 'h {{ x }}' } };
    const message = await sender.readSent(regular({ x }, more));
    expect([message.body.subject, message.text, message.html, message.header('x-a')]).toEqual([
      `s ${x}`,
      `t ${x}`,
      `<p>${x}</p>`,
      `h ${x}`,
    ]);
    const amp = message.body.content_parsed.parts.find(
      (one: { content_type: string }) => one.content_type === 'text/x-amp-html',
    );
    expect(amp.content).toContain(`<html amp4email>${x}`);
  });

  it.each([
    ['subject', { subject: 'a {{ x' }],
    ['text_content', { text_content: 'a {% if %}' }],
    ['html_content', { html_content: '{{ x|shout }}' }],
    ['amp_content', { amp_content: '{# open' }],
    ['headers.X-A', { headers: { 'X-A': '{% nonsense %}' } }],
  ])('spec 2-messages §4 rule 7 what does not parse is refused with its part: %s', async (field, more) => {
    expect(await errorOf(regular({ x: 1 }, more))).toMatch(
      new RegExp(`^400 invalid template in ${field}: .+`),
    );
  });
});

describe('spec 2-messages §4 template sends', () => {
  it('spec 2-messages §4 rule 8 HTML is escaped unless it is marked safe; text, subject and headers are not', async () => {
    const x = '<b>&</b>';
    expect(await designed('{{ x }} {{ x|safe }} [{{ unknown|default("") }}]', { x })).toEqual({
      html: '&lt;b&gt;&amp;&lt;/b&gt; <b>&</b> []'.replaceAll('/b&gt;', '/b&gt;'),
      text: '<b>&</b> <b>&</b> []',
    });
    const id = await sender.published({ subject: 'S {{ x }}{{ unknown }}' });
    const send = { recipients: [to({ x })], headers: { 'X-A': '{{ x }}{{ unknown }}' } };
    const message = await sender.readSent(sender.template(id, send));
    expect([message.body.subject, message.header('x-a')]).toEqual([`S ${x}`, x]);
    const own = await sender.readSent(sender.template(id, { ...send, subject: 'Own {{ x }}' }));
    expect(own.body.subject).toBe(`Own ${x}`);
    // always rendered, also without any value
    expect((await sender.readSent(sender.template(id))).body.subject).toBe('S');
  });

  it('spec 2-messages §4 rule 9 reserved values are stronger than those of the recipient', async () => {
    const values = { email: 'x', unsubscribe_url: 'x', view_browser_url: 'x' };
    const { text } = await designed('{{ email }} {{ unsubscribe_url }} [{{ view_browser_url }}]', values);
    expect(text).toMatch(/^ann@mail\.test https?:\/\/\S+\/u\/[\w-]+ \[\]$/);
  });
});

describe('spec 2-messages §4 subjects with characters beyond ASCII', () => {
  it('spec 2-messages §4 rule 10, §4 rule 12 hold {{ name }} alone, with ordinary spaces', async () => {
    const subject = async (text: string) =>
      (await sender.readSent(regular({ name: 'Ann' }, { subject: text }))).body.subject;
    expect(await subject('Grüße, {{ name }}{{name}}!')).toBe('Grüße, AnnAnn!');
    for (const wrong of [
      'ü {% if name %}{% endif %}',
      'ü {# x #}',
      'ü {{ name',
      'ü {{ name|upper }}',
      'ü {{\u00a0name }}',
    ])
      expect(await errorOf(regular({ name: 'Ann' }, { subject: wrong }))).toMatch(
        /^400 invalid template in subject: /,
      );
    expect(await subject('{{ name|upper }}{% if name %}!{% endif %}')).toBe('ANN!');
  });

  it('spec 2-messages §4 rule 11 become no template by their values', async () => {
    for (const name of ['{{ x }}', 'a {% b', '{# c'])
      expect(await errorOf(regular({ name }, { subject: 'ü {{ name }}' }))).toMatch(
        /^400 invalid template in subject: /,
      );
    const together = regular({ a: '{', b: '{' }, { subject: 'ü {{ a }}{{ b }}' });
    expect(await errorOf(together)).toMatch(/^400 invalid template in subject: /);
    // no recipient gets a message
    const two = { recipients: [to({ name: 'ok' }), to({ name: '{{' })], subject: 'ü {{ name }}' };
    expect((await sender.regular(two)).status).toBe(400);
  });
});

it.each(['a\nb', 'a\rb', 'a\r\nBcc: x@y.test'])(
  'spec 2-messages §4 rule 13 a value with a line break, %j, cannot be used by a header',
  async (x) => {
    const headers = { 'X-Plain': 'p', 'X-Note': 'n {{ x|length }}' };
    const text = "400 substitution value for header 'X-Note' of bob@mail.test must not contain a line break";
    const recipients = [to({ x: 'ok' }), to({ x }, 'Bob@mail.test')];
    expect(await errorOf(sender.regular({ headers, recipients }))).toBe(text);
    const deep = [to({ x: { y: 'ok' } }), to({ x: { y: x } }, 'Bob@mail.test')];
    expect(await errorOf(sender.regular({ headers: { 'X-Note': '{{ x.y }}' }, recipients: deep }))).toBe(
      text,
    );
    const id = await sender.published();
    expect(await errorOf(sender.template(id, { headers, recipients }))).toBe(text);
    expect(await outcomes(sender.regular({ headers: { 'X-Plain': 'p' }, recipients }))).toEqual([
      'queued',
      'queued',
    ]);
  },
);

describe('spec 2-messages §4 required variables', () => {
  const variablesOf = async (content: object, more: object = {}) => {
    const id = await sender.published({ content, ...more });
    const { body } = await postmesh.api(sender.account.key, 'GET', `{A}/templates/${id}`);
    return body.variables as { name: string; required: boolean }[];
  };

  it('spec 2-messages §4 rule 14 are the free names of HTML, text and preview text in this order', async () => {
    const content = {
      html: '<p>{% set own = 1 %}{{ own }}{{ user.city }}{% for x in list %}{{ x }}{% endfor %}{{ unsubscribe_url }}</p>',
      text: '{{ more }}{{ user }}',
    };
    const more = { preheader: '{{ preview }}', subject: '{{ in_subject }}' };
    expect(await variablesOf(content, more)).toEqual([
      { name: 'user', required: true },
      { name: 'list', required: true },
      { name: 'unsubscribe_url', required: false },
      { name: 'more', required: true },
      { name: 'preview', required: true },
    ]);
  });

  it('spec 2-messages §4 rule 15 are those with a use outside of a fallback', async () => {
    const html = `<p>{{ a|default("x") }}{{ b or "x" }}{% if c %}{{ c }}{% endif %}{{ d if d is defined else "" }}
      {{ e|default("x") }}{{ e }}</p>`;
    const required = (await variablesOf({ html })).map((one) => [one.name, one.required]);
    expect(required).toEqual([
      ['a', false],
      ['b', false],
      ['c', false],
      ['d', false],
      ['e', true],
    ]);
  });

  it.each(['', '0', false, 0, [], {}])(
    'spec 2-messages §4 rule 16 %j is given, as are names that the template does not use',
    async (code) => {
      const id = await sender.published({ content: { html: '<p>{{ code }}</p>' } });
      const send = (values: object) => sender.template(id, { recipients: [to(values)] });
      expect(await outcomes(send({ code, more: 1 }))).toEqual(['queued']);
      expect(await errorOf(send({ code: null }))).toBe(
        '400 missing required template variables: ann@mail.test needs code',
      );
    },
  );
});
