import fc from 'fast-check';
import { defaultTreeAdapter, parse, type DefaultTreeAdapterTypes } from 'parse5';
import { describe, expect, it } from 'vitest';
import { LinkTokens } from './link-tokens.js';
import { MAX_TRACKED_LINKS, trackHtml, type TrackingOptions } from './track-html.rules.js';

const tokens = new LinkTokens(['a-key-of-the-tests-that-is-long-enough']);
const messageId = '01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a01';
const BASE = 'https://track.shop.test';
const UNSUBSCRIBE = 'https://subs.shop.test/u/token?a=1&b=2';

const track = (html: string, more: Partial<TrackingOptions> = {}) =>
  trackHtml(html, {
    messageId,
    open: false,
    click: true,
    baseUrl: BASE,
    tokens,
    isOwn: (url) => url === UNSUBSCRIBE,
    ...more,
  });

/** The HTML with each redirect shown as its target: `{0 https://…}`. */
const shown = (html: string) =>
  html.replace(/https:\/\/track\.shop\.test\/c\/([\w-]+)/g, (_, token: string) => {
    const link = tokens.read(token);
    if (link?.kind !== 'click') throw new Error('no token');
    expect(link.messageId).toBe(messageId);
    return `{${link.index} ${link.url}}`;
  });
const clicks = (html: string) => shown(track(html));

it('links beyond the limit stay unchanged', () => {
  const html = '<a href="https://a.test">'.repeat(MAX_TRACKED_LINKS + 2);
  const tracked = track(html);
  expect(tracked.split('https://track.shop.test/c/')).toHaveLength(MAX_TRACKED_LINKS + 1);
  expect(tracked.endsWith('<a href="https://a.test">'.repeat(2))).toBe(true);
  expect(shown(track('<a href="https://a.test">'.repeat(3), { firstLink: 7, maxLinks: 1 }))).toBe(
    `<a href="{7 https://a.test}">${'<a href="https://a.test">'.repeat(2)}`,
  );
});

describe('a link is rewritten', () => {
  it.each([
    ['<a href="https://shop.test/">x</a>', '<a href="{0 https://shop.test/}">x</a>'],
    ["<a href='http://shop.test'>x</a>", "<a href='{0 http://shop.test}'>x</a>"],
    ['<A HREF="HTTPS://Shop.test/A">', '<A HREF="{0 HTTPS://Shop.test/A}">'],
    ['<a class=b id="c>d"\n href="https://a.test">', '<a class=b id="c>d"\n href="{0 https://a.test}">'],
    ['<a href="https://a.test"title="x">', '<a href="{0 https://a.test}"title="x">'],
    ['<a/href="https://a.test"/>', '<a/href="{0 https://a.test}"/>'],
    ['<a href="https://a.test/?b=1&amp;c=2&#x26;d">', '<a href="{0 https://a.test/?b=1&c=2&d}">'],
    ['<a href="https://a.test/?b=1&copy=2">', '<a href="{0 https://a.test/?b=1&copy=2}">'],
    ['<a href="https&colon;//a.test/&quot;">', '<a href="{0 https://a.test/"}">'],
    [
      '<a href="https://a.test">1</a><p><a href="https://b.test">2</a>',
      '<a href="{0 https://a.test}">1</a><p><a href="{1 https://b.test}">2</a>',
    ],
    [
      '<!--[if !mso]><!--><a href="https://a.test"><!--<![endif]-->',
      '<!--[if !mso]><!--><a href="{0 https://a.test}"><!--<![endif]-->',
    ],
    [
      '<![if !mso]><a href="https://a.test"><![endif]>',
      '<![if !mso]><a href="{0 https://a.test}"><![endif]>',
    ],
    ['<!--><a href="https://a.test">-->', '<!--><a href="{0 https://a.test}">-->'],
    ['<style>a{}</style ><a href="https://a.test">', '<style>a{}</style ><a href="{0 https://a.test}">'],
    ['a < b <a href="https://a.test">', 'a < b <a href="{0 https://a.test}">'],
    ['<a href="https://a.test/?x={{ y }}">', '<a href="{0 https://a.test/?x={{ y }}}">'],
    [
      '<a href="https://a.test" href="https://b.test">',
      '<a href="{0 https://a.test}" href="https://b.test">',
    ],
  ])('%s', (html, expected) => expect(clicks(html)).toBe(expected));
});

describe('a link stays unchanged', () => {
  it.each([
    ['not quoted', '<a href=https://shop.test/>x</a>'],
    ['space before the =', '<a href ="https://shop.test/">'],
    ['space behind the =', '<a href= "https://shop.test/">'],
    [
      'another scheme',
      '<a href="mailto:a@shop.test"><a href="tel:1"><a href="ftp://a.test"><a href="cid:1">',
    ],
    ['no scheme', '<a href="shop.test"><a href="//shop.test"><a href="/path"><a href="#top">'],
    ['space in front', '<a href=" https://shop.test/">'],
    ['a variable that nobody replaced', '<a href="{{ url }}"><a href="{{url}}">'],
    ['no URL', '<a href="https://"><a href="https://a b/"><a href="http://[::1">'],
    ['a line break in it', '<a href="https://shop.test/\nx"><a href="https://shop.test/&#10;x">'],
    ['too long for a token', `<a href="https://shop.test/${'x'.repeat(5_000)}">`],
    ['the unsubscribe link', '<a href="https://subs.shop.test/u/token?a=1&amp;b=2">'],
    [
      'no a',
      '<area href="https://a.test"><link href="https://a.test"><abbr href="https://a.test"><img src="https://a.test">',
    ],
    ['another attribute', '<a data-href="https://a.test" name="https://b.test">'],
    ['the second of two', '<a href="#" href="https://b.test">'],
    ['a comment', '<!-- <a href="https://a.test"> -->'],
    ['for Outlook alone', '<!--[if mso]><a href="https://a.test">x</a><![endif]-->'],
    ['a script', '<script>document.write(\'<a href="https://a.test">\')</script>'],
    ['a style', '<style>/* <a href="https://a.test"> */</style>'],
    ['a title', '<title><a href="https://a.test"></title>'],
    ['an unfinished comment', '<!-- <a href="https://a.test">'],
    ['an unfinished tag', '<a href="https://a.test"'],
    ['an unfinished value', '<a href="https://a.test>x</a>'],
    ['in a value', '<p title=\'<a href="https://a.test">\'>'],
    ['an end tag', '</a href="https://a.test">'],
  ])('%s', (_, html) => expect(track(html)).toBe(html));

  it.each([
    ['<a data-as-no-track href="https://a.test">x</a>', '<a href="https://a.test">x</a>'],
    ['<a href="https://a.test" DATA-AS-NO-TRACK>', '<a href="https://a.test">'],
    ['<a href="https://a.test" data-as-no-track="1" id=b>', '<a href="https://a.test" id=b>'],
    ['<a data-as-no-track="1"href="https://a.test">', '<a href="https://a.test">'],
    ['<a href="https://a.test"data-as-no-track=1>', '<a href="https://a.test">'],
    ['<a\ndata-as-no-track\nhref="#">', '<a\nhref="#">'],
    ['<a data-as-no-tracking href="https://a.test">', '<a data-as-no-tracking href="{0 https://a.test}">'],
  ])('with the mark, which is removed: %s', (html, expected) => expect(clicks(html)).toBe(expected));
});

describe('the pixel', () => {
  const pixel = (html: string) =>
    track(html, { open: true, click: false }).replace(
      /<img src="https:\/\/track\.shop\.test\/o\/([\w-]+)" [^>]*>/,
      (_, token: string) => {
        expect(tokens.read(token)).toEqual({ kind: 'open', messageId });
        return '{pixel}';
      },
    );

  it.each([
    ['<html><body><p>x</p></body></html>', '<html><body><p>x</p>{pixel}</body></html>'],
    ['<BODY>x</BODY >', '<BODY>x{pixel}</BODY >'],
    ['x</body>y</body>z', 'x</body>y{pixel}</body>z'],
    ['x', 'x{pixel}'],
    ['', '{pixel}'],
    ['x</body><!-- </body> -->', 'x{pixel}</body><!-- </body> -->'],
    ['<!--[if mso]></body><![endif]-->x', '<!--[if mso]></body><![endif]-->x{pixel}'],
    ['<a href="https://a.test">x', '<a href="https://a.test">x{pixel}'],
  ])('%s', (html, expected) => expect(pixel(html)).toBe(expected));

  it('has one size and no text', () => {
    expect(track('', { open: true })).toMatch(/^<img [^>]*alt="" width="1" height="1"[^>]*>$/);
  });
});

it('with neither, the HTML is unchanged', () => {
  const html = '<a href="https://a.test" data-as-no-track>x</a></body>';
  expect(track(html, { open: false, click: false })).toBe(html);
});

type Node = DefaultTreeAdapterTypes.Node;

/** The targets of all links as an HTML5 parser sees them. */
function linksOf(html: string): string[] {
  const found: string[] = [];
  const visit = (node: Node) => {
    if (defaultTreeAdapter.isElementNode(node) && node.tagName === 'a') {
      found.push(...node.attrs.filter(({ name }) => name === 'href').map(({ value }) => value));
    }
    if ('childNodes' in node) node.childNodes.forEach(visit);
  };
  visit(parse(html, { scriptingEnabled: false }));
  return found;
}

const piece = fc.constantFrom(
  ...['<a href="https://a.test/?b=1&amp;c">', "<a href='http://b.test' >", '<a href=https://c.test>', '</a>'],
  ...['<a data-as-no-track href="https://d.test">', '<a href = "https://e.test">', '<a href="mailto:f">'],
  ...[
    '<p title="',
    '"',
    "'",
    '>',
    '<',
    '</p>',
    '<!--',
    '-->',
    '--!>',
    '<!-->',
    '<style>',
    '</style>',
    '<![if !mso]>',
  ],
  ...[
    '</title>',
    '<title>',
    '</body>',
    '<br/>',
    ' ',
    '=',
    'text',
    '&amp;',
    '\n',
    '<a/',
    '</',
    '<!x',
    'ü',
    '\u00a0',
  ],
);
// the parser moves links out of links; links in text elements count in neither
const anyHtml = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''));

describe('any HTML', () => {
  it('has the same links with their targets for an HTML5 parser, and no other change', () => {
    fc.assert(
      fc.property(anyHtml, (html) => {
        const before = linksOf(html);
        const after = linksOf(track(html)).map((url) => {
          const token = /^https:\/\/track\.shop\.test\/c\/([\w-]+)$/.exec(url)?.[1];
          const link = token === undefined ? undefined : tokens.read(token);
          return link?.kind === 'click' ? link.url : url;
        });
        expect(after).toEqual(before);
      }),
      { numRuns: 2_000 },
    );
  });

  it('keeps everything but the targets of links and the pixel', () => {
    const undone = (html: string) =>
      html.replace(/https:\/\/track\.shop\.test\/c\/([\w-]+)/g, (_, token: string) => {
        const link = tokens.read(token);
        return link?.kind === 'click' ? link.url.replaceAll('&', '&amp;') : '';
      });
    fc.assert(
      fc.property(anyHtml, (html) => {
        fc.pre(!html.includes('data-as-no-track'));
        expect(undone(track(html))).toBe(html);
      }),
      { numRuns: 1_000 },
    );
  });

  it('returns for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(track(text)).toBe(text);
      }),
    );
  });

  // a second and a half each, were one of them quadratic
  it.each([
    '<',
    '<a ',
    '<a href="',
    '<!--',
    '<a b=c ',
    '</',
    '<style>',
    '<a =',
    '<a\n',
    '<!',
    '"',
    '<a data-as-no-track ',
    '<p a=\'"',
  ])('takes time in proportion to its length: %j over and over', (part) => {
    const html = part.repeat(1_000_000 / part.length);
    expect(track(html, { open: true }).length).toBeGreaterThan(0);
  });
});
