import { describe, expect, it } from 'vitest';
import { malformedParts } from './well-formed.js';

const ENDING_TAGS = new Set(['mj-text', 'mj-raw', 'mj-button', 'mj-style', 'mj-title']);
const document = (inside: string) =>
  `<mjml><mj-body><mj-section><mj-column>\n${inside}\n</mj-column></mj-section></mj-body></mjml>`;
const problems = (source: string) =>
  malformedParts(source, ENDING_TAGS).map(({ line, message }) => `${line}: ${message}`);

describe('spec 3-marketing §5.1 rule 2: MJML that is well-formed', () => {
  it.each([
    document('<mj-text>Hello <b>you</b><br>and <img src="a > b"> 1 < 2 &nbsp; & all</mj-text>'),
    document(`<mj-text color="red" font-size='12px'>x</mj-text ><mj-image src="https://a.test/?a=1&b=2" />`),
    document('<!-- a <mj-text> in a comment --><mj-raw><!--[if mso]><table><![endif]--></mj-raw>'),
    document(
      '<mj-text><a href="{{ url|default("https://a.test") }}" {% if a < 3 %}title="b"{% endif %}>x</a></mj-text>',
    ),
    document('<mj-text><![CDATA[</mj-text>]]></mj-text>'),
    `\ufeff<?xml version="1.0"?>\n<!doctype mjml>\n${document('<mj-text/>')}\n`,
    '<mjml><mj-head><mj-style>a > b { color: red }</mj-style><mj-title>{{ name }}</mj-title></mj-head></mjml>',
  ])('%s', (source) => expect(problems(source)).toEqual([]));
});

describe('spec 3-marketing §5.1 rule 2: MJML that is not well-formed is refused with its line', () => {
  it.each([
    ['<mj-text>FIRST', ['2: mj-text is not closed before </mj-column>']],
    [
      '<mj-text>FIRST\n<mj-text>SECOND</mj-text>',
      ['3: mj-text is inside mj-text, which is closed too late or not at all'],
    ],
    [
      '<mj-text>x</mj-column></mj-text>',
      [
        '2: mj-text is not closed before </mj-column>',
        '2: </mj-text> closes nothing that is open',
        '3: </mj-column> closes nothing that is open',
      ],
    ],
    ['<mj-text color="red>FIRST</mj-text>', ['2: the tag mj-text is not closed, or a quote in it is not']],
    [
      '<mj-text color="red>A</mj-text>\n<mj-text color="blue">B</mj-text>',
      ['2: the tag mj-text continues into the next one: a quote or a > is missing'],
    ],
    [
      '<mj-text><a href="x>A</a></mj-text>\n<mj-text color="red">B</mj-text>',
      ['2: the tag a continues into the next one: a quote or a > is missing'],
    ],
    ['<mj-text\n<b>A</b></mj-text>', ['2: mj-text: attributes need quotes, and a blank between them']],
    [
      'bare\n<mj-text>x</mj-text>\n words',
      [
        '2: text directly inside mj-column is dropped, put it into mj-text',
        '4: text directly inside mj-column is dropped, put it into mj-text',
      ],
    ],
    [
      '{% if a %}<mj-text>x</mj-text>',
      ['2: text directly inside mj-column is dropped, put {{ and {% into mj-raw'],
    ],
    ['<![CDATA[x]]>', ['2: text directly inside mj-column is dropped, put it into mj-text']],
    ['<mj-text color=red>x</mj-text>', ['2: mj-text: attribute color needs a value in quotes']],
    ['<mj-text color="red" color="blue">x</mj-text>', ['2: mj-text: attribute color is given twice']],
    ['<mj-text a="b"c="d">x</mj-text>', ['2: mj-text: attributes need quotes, and a blank between them']],
    [
      '<mj-image src="{{ a|default("b") }}" />',
      ['2: mj-image: attributes need quotes, and a blank between them'],
    ],
    ['<MJ-TEXT>x</MJ-TEXT>', ['2: the element MJ-TEXT must be written in lower case']],
    [
      '<mj-text>x</MJ-TEXT>',
      ['2: mj-text is not closed before </mj-column>', '2: </MJ-TEXT> closes nothing that is open'],
    ],
    ['<mj-text>x</mj-text></mj-text>', ['2: </mj-text> closes nothing that is open']],
    ['<!-- x\n<mj-text>x</mj-text>', ['2: a comment is not closed']],
    ['<mj-text><!-- x</mj-text>', ['2: a comment is not closed']],
  ])('%j', (inside, expected) => {
    expect(problems(document(inside))).toEqual(expected);
  });

  it.each([
    ['<mjml><mj-body></mj-body></mjml>\n<mjml></mjml>', '2: mjml is after the end of the document'],
    ['<mjml></mjml>\ntail', '2: text outside of mjml is dropped'],
    ['no MJML', '1: text outside of mjml is dropped'],
    ['<mjml><mj-body><mj-section><mj-column><mj-text>cut', '1: mj-text is not closed'],
    ['<mjml><mj-bo', '1: the tag mj-bo is not closed, or a quote in it is not'],
  ])('%j', (source, problem) => expect(problems(source).at(-1)).toBe(problem));

  it('in bounded time and number', () => {
    for (const piece of [
      '<mj-x a="',
      '<mj-text>',
      '<',
      '</',
      '<a =',
      '<!--',
      'x ',
      '<mj-a b="c" b="c"/>',
      '"=',
    ]) {
      const began = performance.now();
      expect(problems(document(piece.repeat(1_000_000 / piece.length))).length).toBeLessThan(100);
      expect(performance.now() - began).toBeLessThan(5_000);
    }
  });
});
