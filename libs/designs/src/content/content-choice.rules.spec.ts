import { describe, expect, it } from 'vitest';
import type { DesignBody } from '../design.js';
import {
  chooseDesign,
  chooseText,
  editorAfter,
  givenContent,
  needsMadeText,
  type TextChoice,
} from './content-choice.rules.js';
import { CAMPAIGN_CONTENT, TEMPLATE_CONTENT } from './content-policy.js';

const body = (more: Partial<DesignBody> = {}): DesignBody => ({
  mjml: null,
  html: '<p>Old</p>',
  text: 'Old',
  textIsCustom: false,
  ...more,
});
const given = (more: object) => ({ mjml: undefined, html: undefined, text: undefined, ...more });

it.each([
  ['none given', given({ text: 'x' }), 'kept'],
  ['the one of the draft', given({ html: '<p>Old</p>' }), 'kept'],
  ['the one of the published copy', given({ html: '<p>Published</p>' }), 'stored'],
  ['another one', given({ html: '<p>New</p>' }), 'new'],
  ['another editor', given({ mjml: '<mjml></mjml>' }), 'new'],
])('a design is known or new: %s', (_, content, kind) => {
  const stored = { current: body(), others: [body({ html: '<p>Published</p>' })] };
  expect(chooseDesign(content, stored).kind).toBe(kind);
});

describe('the text of a template (spec 2-messages §6.3 rule 5)', () => {
  const MADE = 'Made';
  const custom = body({ text: 'Custom', textIsCustom: true });
  const textOnly = body({ html: null, text: 'Custom', textIsCustom: true });
  const choice = (more: Partial<TextChoice>): TextChoice => ({
    given: undefined,
    isNewDesign: false,
    current: body(),
    earlier: ['Old', 'Published'],
    policy: TEMPLATE_CONTENT,
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

describe('the editor of a campaign', () => {
  it.each([
    [null, { mjml: 'x' }, 'advanced'],
    [null, { html: 'x', text: 'y' }, 'html'],
    ['advanced' as const, { mjml: 'x', html: null }, 'advanced'],
    ['html' as const, { text: 'x' }, 'html'],
    ['simple' as const, { text: null, text_is_custom: true }, 'simple'],
  ])('spec 3-marketing §3.2 U9, U10: %s with %j is %s', (editor, content, after) => {
    expect(editorAfter(editor, givenContent(content))).toBe(after);
  });

  it.each([
    [null, { text: 'x' }, 'content must have mjml or html while there is no design'],
    [null, { text: null }, 'content must have mjml or html while there is no design'],
    ['advanced' as const, { html: 'x' }, 'content.html is for the editor html, not for advanced'],
    ['html' as const, { mjml: 'x' }, 'content.mjml is for the editor advanced, not for html'],
    ['simple' as const, { html: 'x' }, 'content.html is for the editor html, not for simple'],
    ['simple' as const, { mjml: 'x' }, 'content.mjml is for the editor advanced, not for simple'],
  ])('spec 3-marketing §3.2 U9, U10, U11: %s with %j is refused', (editor, content, message) => {
    expect(() => editorAfter(editor, givenContent(content))).toThrow(message);
  });
});

describe('the text of a campaign (spec 3-marketing §3.2)', () => {
  const MADE = 'Made';
  const custom = body({ text: 'Mine', textIsCustom: true });
  const choice = ({ current = body(), ...more }: Partial<TextChoice>): TextChoice => ({
    given: undefined,
    isNewDesign: false,
    current,
    earlier: current.textIsCustom ? [] : [current.text],
    policy: CAMPAIGN_CONTENT,
    ...more,
  });

  it.each<[string, Partial<TextChoice>, string | null | undefined, [string | null, boolean]]>([
    ['U2: not given stays', { current: custom }, undefined, ['Mine', true]],
    ['U12: a hand-written one stays', { isNewDesign: true, current: custom }, undefined, ['Mine', true]],
    ['U12: a derived one is made again', { isNewDesign: true }, MADE, [MADE, false]],
    ['U13: null is made, alone', { current: custom, given: null }, MADE, [MADE, false]],
    [
      'U13: null is made, beside a new design',
      { isNewDesign: true, current: custom, given: null },
      MADE,
      [MADE, false],
    ],
    [
      'U15: equal to the made one is derived',
      { isNewDesign: true, given: MADE, current: custom },
      MADE,
      [MADE, false],
    ],
    ['U15: equal to the stored derived one is derived', { given: 'Old' }, undefined, ['Old', false]],
    [
      'U15: equal to the derived one of the old design is derived again',
      { isNewDesign: true, given: 'Old' },
      MADE,
      [MADE, false],
    ],
    [
      'U15: equal to the hand-written one of the old design is hand-written',
      { isNewDesign: true, given: 'Mine', current: custom },
      MADE,
      ['Mine', true],
    ],
    ['U15: any other is hand-written', { given: 'Mine' }, MADE, ['Mine', true]],
    ['U15: a hand-written one sent back stays', { given: 'Mine', current: custom }, MADE, ['Mine', true]],
    [
      'U15: a hand-written one that equals the made one is derived',
      { given: MADE, current: body({ text: MADE, textIsCustom: true }) },
      MADE,
      [MADE, false],
    ],
  ])('spec 3-marketing §3.2 %s', (_, more, made, [text, textIsCustom]) => {
    expect(needsMadeText(choice(more))).toBe(made !== undefined);
    expect(chooseText(choice(more), made)).toEqual({ text, textIsCustom });
  });

  it('spec 3-marketing §3.2 U14: a hand-written one that stays must render', () => {
    const broken = body({ text: 'Hello {{ name', textIsCustom: true });
    expect(() => chooseText(choice({ isNewDesign: true, current: broken }), undefined)).toThrow(
      'content.text holds a {{, {% or {# that cannot be rendered',
    );
  });

  it('spec 3-marketing §3.2 U13: cannot be made without HTML', () => {
    expect(() => chooseText(choice({ given: null, current: body({ html: null }) }), null)).toThrow(
      'content.text cannot be made: there is no HTML',
    );
  });
});
