import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { textOfHtml } from './text-of-html.js';

const MARKS = ['{{ name }}', '{{ a|default("<b>") }}', '{% if a < b %}', '{% endif %}', '{# <p> why #}'];
const mark = fc.constantFrom(...MARKS);
const word = fc.stringMatching(/^[a-z]{1,8}$/);
const inline = fc.oneof(
  word,
  mark,
  word.map((text) => `<b>${text}</b>`),
  word.map((text) => `<a href="https://a.test/${text}">${text}</a>`),
  word.map((text) => `<img src="https://a.test/${text}.png" alt="${text}">`),
);
const block = fc
  .tuple(fc.constantFrom('p', 'div', 'h1', 'li', 'td'), fc.array(inline, { maxLength: 6 }))
  .map(([tag, inside]) => `<${tag}>${inside.join(' ')}</${tag}>`);
const html = fc.array(block, { maxLength: 8 }).map((blocks) => blocks.join('\n'));

const marksIn = (text: string): string[] =>
  [...text.matchAll(/\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}/g)].map(([one]) => one);

describe('spec 3-marketing §5.1 rule 6: the text of HTML', () => {
  it('spec 3-marketing §5.1 rule 6 is always the same', () => {
    fc.assert(fc.property(html, (source) => textOfHtml(source) === textOfHtml(source)));
  });

  it('spec 3-marketing §5.1 rule 6 keeps template language, in its order', () => {
    fc.assert(
      fc.property(html, (source) => {
        expect(marksIn(textOfHtml(source))).toEqual(marksIn(source));
      }),
    );
  });

  it('spec 3-marketing §5.1 rule 6 has blocks as lines, links with their URLs, images by their texts', () => {
    expect(
      textOfHtml(
        '<div>One</div><div>Two <a href="https://a.test/?a=1&amp;b={{ id }}">here</a></div><img src="https://a.test/b.png" alt="A cup">',
      ),
    ).toBe('One\nTwo here (https://a.test/?a=1&b={{ id }})\nA cup');
  });
});
