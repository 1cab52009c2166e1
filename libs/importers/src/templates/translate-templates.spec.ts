import { describe, expect, it } from 'vitest';
import { SOURCES, type SourceName } from '../sources/sources.js';
import { translate } from './translate.js';
import { effectOf, templatesAbout, templatesInText, translateParts } from './translate-templates.js';

const LARGE = 200_000;
const sourceOf = (service: SourceName) => templatesAbout(SOURCES[service]);

describe('templates in a text', () => {
  it('are those of an answer of the service, or one of HTML with the name of its file', () => {
    const version = { active: 1, subject: 'Order {{id}}', html_content: '<p>{{name}}</p>' };
    const text = JSON.stringify({ result: [{ name: ' Receipt ', versions: [{ active: 0 }, version] }] });
    expect(templatesInText({ service: 'sendgrid', file: 'a.json', text })).toMatchObject([
      { name: 'Receipt', subject: 'Order {{id}}', html: '<p>{{name}}</p>', text: '' },
    ]);
    expect(templatesInText({ service: 'mailchimp', file: 'we.come.html', text: '<p>Hi</p>' })).toMatchObject([
      { name: 'we.come', subject: '', html: '<p>Hi</p>' },
    ]);
  });

  it.each([
    ['{', /^a.json is no JSON/],
    ['7', /neither an object nor a list/],
    ['{}', /^the file has no templates/],
  ])('%s is refused', (text, message) => {
    expect(() => templatesInText({ service: 'sendgrid', file: 'a.json', text })).toThrow(message);
  });
});

it('a template is new, unchanged, or refused with its problems; one that exists stays as it is', () => {
  const given = { name: 'a', subject: '', html: '<p>{{name}}</p>', text: '', fallbacks: new Map() };
  const made = translateParts(given, sourceOf('sendgrid'));
  expect(effectOf(made, []).result).toBe('new');
  expect(effectOf(made, [{ subject: '', html: '<p>other</p>' }, made.parts]).result).toBe('unchanged');
  expect(effectOf(made, [{ subject: '', html: '<p>other</p>' }])).toMatchObject({
    result: 'refused',
    problems: [{ part: 'name' }],
  });
  const bad = translateParts({ ...given, html: '{{> footer}}' }, sourceOf('sendgrid'));
  expect(effectOf(bad, []).result).toBe('refused');
});

// each of them took minutes where a text is looked through to its end from each beginning
describe('a hostile template is translated or refused at once', () => {
  it.each([
    ['brevo', 'beginnings of comments', '{#'.repeat(LARGE / 2)],
    ['brevo', 'empty actions', '{{}}'.repeat(LARGE / 4)],
    ['brevo', 'a tag of blanks', `{% if ${' '.repeat(LARGE)}x %}`],
    ['listmonk', 'beginnings of actions', '{{ '.repeat(LARGE / 3)],
    ['listmonk', 'empty actions', '{{}}'.repeat(LARGE / 4)],
    ['listmonk', 'an action of blanks', `{{ ${' '.repeat(LARGE)}x }}`],
    ['listmonk', 'brackets within brackets', `{{ ${'('.repeat(20_000)} }}`],
    ['mailchimp', 'tags', '*|a|*'.repeat(LARGE / 5)],
    ['resend', 'variables', '{{{a}}}'.repeat(LARGE / 7)],
    ['sendgrid', 'blocks within blocks', `${'{{#if a}}'.repeat(20_000)}${'{{/if}}'.repeat(20_000)}`],
    [
      'sendgrid',
      'arguments within arguments',
      `{{#if ${'(and a '.repeat(20_000)}b${')'.repeat(20_000)}}}{{/if}}`,
    ],
    [
      'sendgrid',
      'names that are twice in the next',
      `${Array.from({ length: 60 }, (_, n) => `{{#with (lookup ${n ? `a${n - 1} a${n - 1}` : 'x x'}) as |a${n}|}}`).join('')}${'{{/with}}'.repeat(60)}`,
    ],
  ] as const)('of %s: %s', (service, _what, text) => {
    const source = sourceOf(service);
    const translation = translate(text, source);
    if (!translation.ok) expect(translation.problems.length).toBeLessThanOrEqual(100);
  });
});
