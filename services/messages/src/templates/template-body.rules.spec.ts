import { describe, expect, it } from 'vitest';
import { chooseText, designOf, editorOf, needsMadeText, type TextChoice } from './template-body.rules.js';
import type { TemplateBody } from './template.js';

const body = (more: Partial<TemplateBody> = {}): TemplateBody => ({
  mjml: null,
  html: '<p>Old</p>',
  text: 'Old',
  textIsCustom: false,
  ...more,
});
const given = (more: object) => ({ mjml: undefined, html: undefined, text: undefined, ...more });

describe('the editor of a new template', () => {
  it.each([
    [{ content: { mjml: 'x' } }, 'advanced'],
    [{ content: { html: 'x' } }, 'html'],
    [{ editor: 'simple' as const, content: { text: 'x' } }, 'simple'],
    [{ editor: 'html' as const }, 'html'],
    [{ editor: 'advanced' as const, content: { mjml: 'x', html: null } }, 'advanced'],
  ])('%j: %s', (input, editor) => {
    expect(editorOf(input as never)).toBe(editor);
  });

  it.each([
    [{}, 'editor is required when content has neither mjml nor html'],
    [{ content: { text: 'x' } }, 'editor is required when content has neither mjml nor html'],
    [{ editor: 'html', content: { mjml: 'x' } }, 'content.mjml is for the editor advanced, not for html'],
    [{ editor: 'simple', content: { html: 'x' } }, 'content.html is for the editor html, not for simple'],
  ])('%j is refused', (input, message) => {
    expect(() => editorOf(input as never)).toThrow(message);
  });
});

it.each([
  ['none given', given({ text: 'x' }), 'kept'],
  ['the one of the draft', given({ html: '<p>Old</p>' }), 'kept'],
  ['the one of the published copy', given({ html: '<p>Published</p>' }), 'stored'],
  ['another one', given({ html: '<p>New</p>' }), 'new'],
  ['another editor', given({ mjml: '<mjml></mjml>' }), 'new'],
])('a design is known or new: %s', (_, content, kind) => {
  expect(designOf(content, body(), body({ html: '<p>Published</p>' })).kind).toBe(kind);
});

describe('the text (spec 2-messages §6.3 rule 5)', () => {
  const MADE = 'Made';
  const custom = body({ text: 'Custom', textIsCustom: true });
  const textOnly = body({ html: null, text: 'Custom', textIsCustom: true });
  const choice = (more: Partial<TextChoice>): TextChoice => ({
    given: undefined,
    isNewDesign: false,
    current: body(),
    earlier: ['Old', 'Published'],
    ...more,
  });

  it.each<[string, Partial<TextChoice>, string | null | undefined, [string | null, boolean]]>([
    ['stays when it is not given', { current: custom }, undefined, ['Custom', true]],
    ['stays when it is given as it is', { current: custom, given: 'Custom' }, undefined, ['Custom', true]],
    ['null is made', { current: custom, given: null }, MADE, [MADE, false]],
    ['absent beside a new design is made', { isNewDesign: true }, MADE, [MADE, false]],
    ['a custom one, too', { isNewDesign: true, current: custom }, MADE, [MADE, false]],
    ['null beside a new design is made', { isNewDesign: true, given: null }, MADE, [MADE, false]],
    ['equal to the made one is made', { given: MADE, current: custom }, MADE, [MADE, false]],
    [
      'equal to the made one of the new design is made',
      { isNewDesign: true, given: MADE },
      MADE,
      [MADE, false],
    ],
    [
      'equal to an earlier one beside a new design is made again',
      { isNewDesign: true, given: 'Published' },
      MADE,
      [MADE, false],
    ],
    ['equal to an earlier one alone is custom', { given: 'Published' }, MADE, ['Published', true]],
    ['any other is custom', { isNewDesign: true, given: 'Mine {{ a }}' }, MADE, ['Mine {{ a }}', true]],
    ['without HTML it is custom', { current: textOnly, given: 'Mine' }, undefined, ['Mine', true]],
    ['nothing to read makes none', { isNewDesign: true }, '', [null, false]],
  ])('%s', (_, more, made, [text, textIsCustom]) => {
    expect(needsMadeText(choice(more))).toBe(made !== undefined);
    expect(chooseText(choice(more), made)).toMatchObject({ text, textIsCustom });
  });

  it('cannot be made without HTML, and a custom one must render', () => {
    expect(() => chooseText(choice({ given: null, current: textOnly }), null)).toThrow(
      'content.text cannot be made: there is no HTML',
    );
    expect(() => chooseText(choice({ given: '{% if %}' }), MADE)).toThrow('content.text holds a {{');
  });
});
