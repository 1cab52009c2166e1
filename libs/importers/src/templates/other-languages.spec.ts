import { afterAll, describe, expect, it } from 'vitest';
import { TemplateRenderer } from '@postmesh/templates';
import { SOURCES, type SourceName } from '../sources/sources.js';
import { translate } from './translate.js';

const renderer = new TemplateRenderer({ threads: 1 });
afterAll(() => renderer.close());

const VALUES = {
  email: 'ann@mail.test',
  first_name: 'Ann',
  last_name: 'Lee',
  unsubscribe_url: 'https://u.test/1',
  view_browser_url: 'https://v.test/1',
  plan: 'gold',
  points: 7,
  empty: '',
  city: 'Oslo',
  items: [
    { title: 'Tea & more', price: '4' },
    { title: 'Cup', price: '5' },
  ],
  PRODUCT: 'Tea',
};

async function render(source: SourceName, text: string): Promise<unknown> {
  const { templates } = SOURCES[source] as { templates?: Parameters<typeof translate>[1] };
  if (!templates) throw new Error('the source has no templates');
  const translation = translate(text, templates, new Map([['SIZE', 'large']]));
  if (!translation.ok) return translation.problems.map(({ line, problem }) => `${line}: ${problem}`);
  const [result] = await renderer.render({
    ...{ family: 'a', key: 'a' },
    parts: [{ name: 'html', source: translation.source, escape: true }],
    values: [VALUES],
  });
  return result?.ok ? result.texts[0] : result;
}

describe('merge tags of Mailchimp', () => {
  it.each([
    ['Hi *|FNAME|* *|LNAME|* (*|EMAIL|*)', 'Hi Ann Lee (ann@mail.test)'],
    ['<a href="*|UNSUB|*">', '<a href="https://u.test/1">'],
    ['*|IF:PLAN=gold|*A*|ELSEIF:PLAN=blue|*B*|ELSE:|*C*|END:IF|*', 'A'],
    ['*|IF:PLAN!=gold|*A*|ELSE:|*B*|END:IF|* *|IFNOT:EMPTY|*none*|END:IF|*', 'B none'],
    ['*|IF:POINTS>5|*many*|END:IF|* { {{x}}', 'many { {{x}}'],
  ])('%s', async (source, text) => {
    expect(await render('mailchimp', source)).toBe(text);
  });

  it('that have no counterpart are named with their lines', async () => {
    expect(await render('mailchimp', 'a\n*|LIST:COMPANY|*\n*|CURRENT_YEAR|* *|END:IF|* *|IF:X|*')).toEqual([
      '2: *|LIST:COMPANY|* has no counterpart here',
      '3: *|CURRENT_YEAR|* has no counterpart here',
      '3: *|END:IF|* has no *|IF:…|* before it',
      '3: *|IF:…|* has no *|END:IF|*',
    ]);
  });
});

describe('variables of Resend', () => {
  it.each([
    ['Hi {{{FIRST_NAME|there}}}, {{{ PRODUCT }}} {{{SIZE}}}', 'Hi Ann, Tea large'],
    ['{{{contact.first_name}}} {{{RESEND_UNSUBSCRIBE_URL}}} {{{MISSING|x}}}', 'Ann https://u.test/1 x'],
  ])('%s', async (source, text) => {
    expect(await render('resend', source)).toBe(text);
  });

  it('have three braces', async () => {
    expect(await render('resend', 'a\n{{PRODUCT}}')).toEqual([
      '2: {{PRODUCT}} is no variable: those have three braces',
    ]);
  });
});

describe('the language of Brevo', () => {
  it.each([
    ['Hi {{ contact.FIRSTNAME | default : "there" }} of {{contact.CITY}}', 'Hi Ann of Oslo'],
    ['{{ contact.MISSING|default:"friend"|upper }}', 'FRIEND'],
    [
      '{% if params.plan == "gold" and contact.POINTS > 5 %}A{% elif params.empty %}B{% else %}C{% endif %}',
      'A',
    ],
    [
      '{% for item in params.items %}{{ item.title }}: {{ item.price }};{% endfor %}',
      'Tea &amp; more: 4;Cup: 5;',
    ],
    [
      '<a href="{{ unsubscribe }}">{{ mirror }}</a>{# note #}',
      '<a href="https://u.test/1">https://v.test/1</a>',
    ],
  ])('%s', async (source, text) => {
    expect(await render('brevo', source)).toBe(text);
  });

  it('names what it cannot translate', async () => {
    expect(
      await render('brevo', '{{ x }}\n{{ contact.A|truncatechars:3 }}\n{% now "Y" %}\n{% if params.a %}'),
    ).toEqual([
      '1: the variable x is neither of contact nor of params',
      '2: the filter truncatechars is not translated',
      '3: {% now "Y" %} is not translated',
      '4: {% if %} is not closed',
    ]);
  });
});

describe('templates of listmonk', () => {
  it.each([
    ['Hi {{ .Subscriber.FirstName }} <{{.Subscriber.Email}}>', 'Hi Ann <ann@mail.test>'],
    ['{{ .Subscriber.Name }} of {{ .Subscriber.Attribs.city }}', 'Ann Lee of Oslo'],
    [
      '<a href="{{ UnsubscribeURL }}">{{ MessageURL }}</a>{{ TrackView }}',
      '<a href="https://u.test/1">https://v.test/1</a>',
    ],
    [
      '<a href="https://x.test/@TrackLink">{{ TrackLink "https://y.test/" }}',
      '<a href="https://x.test/">https://y.test/',
    ],
    [
      '{{ if eq .Subscriber.Attribs.plan "gold" }}A{{ else if .Subscriber.Attribs.x }}B{{ else }}C{{ end }}',
      'A',
    ],
    ['{{ if and .Subscriber.Attribs.city (not .Subscriber.Attribs.empty) -}} A {{- end }}', 'A'],
    [
      '{{ range .Tx.Data.items }}{{ .title }}={{ .price }};{{ else }}none{{ end }}',
      'Tea &amp; more=4;Cup=5;',
    ],
    [
      '{{ range $item := .Tx.Data.items }}{{ $item.title }} {{ $.Subscriber.FirstName }};{{ end }}',
      'Tea &amp; more Ann;Cup Ann;',
    ],
    ['{{ len .Tx.Data.items }} {{/* a comment */}}{{ gt (len .Tx.Data.items) 1 }}', '2 true'],
  ])('%s', async (source, text) => {
    expect(await render('listmonk', source)).toBe(text);
  });

  it('with functions that ours do not have are named', async () => {
    expect(
      await render(
        'listmonk',
        '{{ template "content" . }}\n{{ .Subscriber.Name | upper }}\n{{ .Campaign.Subject }}\n{{ end }}',
      ),
    ).toEqual([
      '1: {{ template }} is not in our language',
      '2: the function upper is not translated',
      '3: .Campaign.Subject has no counterpart here',
      '4: {{ end }} ends nothing',
    ]);
  });
});
