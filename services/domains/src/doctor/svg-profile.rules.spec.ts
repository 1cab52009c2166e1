import { describe, expect, it } from 'vitest';
import { svgProblems } from './svg-profile.rules.js';

const ROOT = 'xmlns="http://www.w3.org/2000/svg" version="1.2" baseProfile="tiny-ps" viewBox="0 0 64 64"';
const svg = (inside = '', root = ROOT) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<svg ${root}><title>Shop</title>${inside}</svg>`;

describe('a logo in SVG Tiny Portable/Secure', () => {
  it('has shapes, gradients that it uses itself, and text', () => {
    const inside =
      '<defs><linearGradient id="g"><stop offset="0" stop-color="#fff"/></linearGradient><g id="s"><path d="M0 0h64"/></g></defs>' +
      '<rect width="64" height="64" fill="url(#g)"/><use xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="#s"/><text>S</text>';
    expect(svgProblems(svg(inside))).toEqual([]);
  });

  it.each([
    ['<script>alert(1)</script>', '<script> is not part of the profile'],
    ['<rect onclick="alert(1)"/>', '<rect> has a script: onclick='],
    ['<image href="data:image/png;base64,AA"/>', '<image> is not part of the profile'],
    [
      '<use href="https://evil.test/a.svg#b"/>',
      '<use> refers to something outside: https://evil.test/a.svg#b',
    ],
    ['<rect fill="url(https://evil.test/a)"/>', '<rect> refers to something outside: https://evil.test/a'],
    ['<rect style="fill: url( \'//evil.test/a\')"/>', '<rect> refers to something outside: //evil.test/a'],
    ['<rect fill="url(#a) url(//evil.test)"/>', '<rect> refers to something outside: //evil.test'],
    ['<rect style="fill: u\\72l(//evil.test)"/>', '<rect> has a style with escapes, which hide references'],
    ['<foreignObject><p/></foreignObject>', '<foreignObject> is not part of the profile'],
    ['<animate attributeName="x"/>', '<animate> is not part of the profile'],
    ['<style>@import "https://evil.test"</style>', '<style> is not part of the profile'],
    ['<a href="&#106;avascript:alert(1)">x</a>', '<a> refers to something outside: javascript:alert(1)'],
    ['<g xml:base="https://evil.test/"/>', 'xml:base refers to another file'],
    ['<svg/>', 'an <svg> is inside of another'],
  ])('has no %s', (inside, problem) => expect(svgProblems(svg(inside))).toContain(problem));

  it.each([
    [ROOT.replace('tiny-ps', 'tiny'), 'it has no baseProfile="tiny-ps"'],
    [ROOT.replace('version="1.2" ', ''), 'it has no version="1.2"'],
    [ROOT.replace('2000/svg', '1999/xhtml'), 'its namespace is not http://www.w3.org/2000/svg'],
    [ROOT.replace('0 0 64 64', '0 0 64 32'), 'it is not square: 64 by 32'],
    [ROOT.replace('0 0 64 64', '0 0 64'), 'its viewBox has no four numbers'],
    [ROOT.replace('0 0 64 64', '0 0 0 0'), 'it has no size: viewBox is missing'],
    [ROOT.replace('viewBox="0 0 64 64"', 'width="10px" height="20"'), 'it is not square: 10 by 20'],
    [`${ROOT} x="0"`, '<svg> has x=, which the profile forbids'],
  ])('has a root such as <svg %s>: %s', (root, problem) =>
    expect(svgProblems(svg('', root))).toEqual([problem]),
  );

  it('has the name of the company, and no declarations', () => {
    expect(svgProblems(svg().replace('<title>Shop</title>', ''))).toEqual([
      'it has no <title> with the name of the company below <svg>',
    ]);
    expect(svgProblems(svg().replace('Shop', 'S'.repeat(65)))).toEqual([
      'its <title> has more than 64 characters',
    ]);
    expect(svgProblems(svg().replace('<svg', '<!DOCTYPE svg [<!ENTITY a "b">]><svg'))).toContain(
      'it has a DOCTYPE, which may define entities',
    );
    expect(svgProblems(svg().replace('<svg', '<?xml-stylesheet href="https://evil.test"?><svg'))).not.toEqual(
      [],
    );
  });

  it('is no web page, nothing, or a deep nest that takes long', () => {
    expect(svgProblems('<html><body>404</body></html>')).toContain('it is no SVG');
    expect(svgProblems('')).toEqual(['it is no SVG']);
    expect(svgProblems(svg('<g>'.repeat(8_000)))).toEqual([]);
  });
});
