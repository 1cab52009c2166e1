import { describe, expect, it } from 'vitest';
import { withPreheader } from './preheader.js';

const HIDDEN = /<div style="display:none;[^"]*">([^<]*)<\/div>/;
/** the HTML before the preview text, and after it */
function around(html: string): [string, string] {
  const [found = ''] = HIDDEN.exec(withPreheader(html, 'Soon')) ?? [];
  const [before = '', behind = ''] = withPreheader(html, 'Soon').split(found);
  return [before, behind];
}

describe('the preview text', () => {
  it.each([
    ['<html><body>', '<p>Hi</p></body></html>'],
    ['<!doctype html><html><head><title><body></title></head><BODY class="a>b" id=x>', 'Hi'],
    [
      '<!-- <body> --><!--[if mso]><body class="mso"><![endif]--><!--[if !mso]><!--><body>',
      '<!--<![endif]-->Hi',
    ],
    ['<html><head><style>body > p {}</style></head>', '<p>Hi</p></html>'],
    ['<!DOCTYPE html>', '<p>Hi</p>'],
    ['', '<p>Hi</p>'],
    ['', ''],
    ['', '<body never ends'],
  ])('stands behind %j', (before, behind) => {
    expect(around(before + behind)).toEqual([before, behind]);
  });

  it('that is blank is left out', () => {
    expect(withPreheader('<body>', ' \n')).toBe('<body>');
  });
});
