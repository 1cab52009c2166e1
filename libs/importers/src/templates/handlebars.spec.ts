import Handlebars from 'handlebars';
import { afterAll, describe, expect, it } from 'vitest';
import { TemplateRenderer } from '@postmesh/templates';
import { CORPUS, DIFFERENT, SENDGRID_CORPUS, VALUES } from './handlebars-corpus.fixture.js';
import { translateHandlebars, type HandlebarsOptions } from './handlebars.js';

const renderer = new TemplateRenderer({ threads: 1 });
afterAll(() => renderer.close());

async function renderByUs(source: string, values: Record<string, unknown> = VALUES): Promise<string> {
  const [result] = await renderer.render({
    family: 'corpus',
    key: 'corpus',
    parts: [{ name: 'html', source, escape: true }],
    values: [values],
  });
  return result?.ok ? (result.texts[0] ?? '') : `failed: ${result?.reason}`;
}

/** As the documentation of SendGrid describes its helpers. */
const sendgrid = Handlebars.create();
type Block = Handlebars.HelperOptions;
const test = (check: (...values: unknown[]) => boolean) =>
  function (this: unknown, ...given: unknown[]): unknown {
    const options = given.pop() as Block;
    const isTrue = check(...given);
    // an argument of another helper has no block
    return options.fn === undefined ? isTrue : isTrue ? options.fn(this) : options.inverse(this);
  };
sendgrid.registerHelper(
  'equals',
  test((a, b) => a === b),
);
sendgrid.registerHelper(
  'notEquals',
  test((a, b) => a !== b),
);
sendgrid.registerHelper(
  'greaterThan',
  test((a, b) => Number(a) > Number(b)),
);
sendgrid.registerHelper(
  'lessThan',
  test((a, b) => Number(a) < Number(b)),
);
sendgrid.registerHelper(
  'and',
  test((...values) => values.every(Boolean)),
);
sendgrid.registerHelper(
  'or',
  test((...values) => values.some(Boolean)),
);
sendgrid.registerHelper('length', (list: unknown[]) => list.length);
sendgrid.registerHelper(
  'insert',
  (value: unknown, fallback: string) => value || fallback.replace('default=', ''),
);

const PLAIN: HandlebarsOptions = { names: {} };
const SENDGRID: HandlebarsOptions = { names: { unsubscribe: 'unsubscribe_url' }, helpers: 'sendgrid' };

describe('templates of the corpus', () => {
  it('render the same bytes as Handlebars in 95 of 100 cases or more, and the rest is known', async () => {
    sendgrid.registerPartial('footer', 'the end');
    const templates = [...CORPUS, ...SENDGRID_CORPUS, ...Object.keys(DIFFERENT)];
    const rest: Record<string, unknown> = {};
    for (const template of templates) {
      const translation = translateHandlebars(template, SENDGRID);
      const ours = translation.ok ? await renderByUs(translation.source) : translation.problems[0];
      if (ours !== sendgrid.compile(template)(VALUES)) rest[template] = ours;
    }
    const share = 1 - Object.keys(rest).length / templates.length;
    console.log(`${templates.length} templates, the same bytes in ${(share * 100).toFixed(1)} %`);
    expect(rest).toEqual(DIFFERENT);
    expect(share).toBeGreaterThanOrEqual(0.95);
  });
});

describe('what cannot be translated', () => {
  it('is named with its line, all of it at once, and nothing is translated', () => {
    const source =
      'a\n{{> x}}\n{{shout name}}\n{{#list items}}{{/list}}\n{{@../index}}{{#if a b=1}}{{/if}}\n{{first-name}}';
    expect(translateHandlebars(source, PLAIN)).toEqual({
      ok: false,
      problems: [
        { line: 2, problem: 'partials ({{> x}}) are not in our language: put its content here' },
        { line: 3, problem: 'the helper shout is not known' },
        { line: 4, problem: 'the helper list is not known' },
        { line: 5, problem: '@../index: a loop around a loop cannot be asked from within' },
        { line: 5, problem: 'arguments with names (if …=…) are not translated' },
        { line: 6, problem: 'the variable "first-name" has characters that names do not have here' },
      ],
    });
  });

  it.each([
    ['{{#if a}}', 'is no Handlebars: Parse error on line 1: {{#if a}}'],
    ['{{this}}', 'this, outside of a block, is all values at once'],
    ['{{../name}}', '../name leads out of the template'],
    ['{{@index}}', '@index is outside of a loop'],
    ['{{#*inline "x"}}{{/inline}}', 'decorators and inline partials ({{*…}}) are not in our language'],
    ['{{loop}}', 'the variable loop has the name of a word of our language'],
    ['{{formatDate time "YYYY"}}', 'the helper formatDate is not known'],
    ['{{#equals a}}{{/equals}}', 'the helper equals does not take these arguments'],
  ])('%s', (source, problem) => {
    const translation = translateHandlebars(source, SENDGRID);
    expect(translation).toMatchObject({
      ok: false,
      problems: [{ line: 1, problem: expect.stringContaining(problem) }],
    });
  });
});

it('the unsubscribe link has our name', () => {
  const translation = translateHandlebars('<a href="{{{unsubscribe}}}">', SENDGRID);
  expect(translation).toEqual({ ok: true, source: '<a href="{{ unsubscribe_url|safe }}">' });
});

it('a section of Mustachio is the scope of a value', () => {
  const source =
    '{{#person}}{{first}} of {{../company.name}}{{/person}}{{^missing}}-{{/missing}}{{{ pm:unsubscribe }}}';
  expect(
    translateHandlebars(source, { names: { 'pm:unsubscribe': 'unsubscribe_url' }, sections: 'scope' }),
  ).toEqual({
    ok: true,
    source:
      '{% if person %}{{ person.first }} of {{ company.name }}{% endif %}{% if not missing %}-{% endif %}{{ unsubscribe_url|safe }}',
  });
});
