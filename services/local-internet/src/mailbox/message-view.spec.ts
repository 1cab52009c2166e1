import { describe, expect, test } from 'vitest';
import { hasRemoteImages, htmlDocument, htmlPolicy } from './message-view.js';

const BASE = '<base target="_blank">';
const part = (contentType: string, content = 'x') => ({
  name: 'p',
  contentType,
  content: Buffer.from(content),
});

describe('the page of a message', () => {
  test.each([
    ['<p>x</p>', `${BASE}<p>x</p>`],
    ['<!doctype html><p>x</p>', `<!doctype html>${BASE}<p>x</p>`],
    ['<!DOCTYPE html><html lang="en"><p>', `<!DOCTYPE html><html lang="en">${BASE}<p>`],
    ['<html><HEAD data-x="1"><title>t</title>', `<html><HEAD data-x="1">${BASE}<title>t</title>`],
    ['<header>x</header>', `${BASE}<header>x</header>`],
  ])('opens links in another window: %s', (html, expected) => {
    expect(htmlDocument(html, new Map())).toBe(expected);
  });

  test('shows attached images, and nothing else of the message', () => {
    const inline = new Map([
      ['logo@x', part('image/png')],
      ['page@x', part('text/html')],
    ]);
    const shown = htmlDocument('<img src="cid:logo@x"><img src=\'cid:page@x\'><img src=cid:none@x>', inline);
    expect(shown).toContain('<img src="data:image/png;base64,eA==">');
    expect(shown).toContain("src='cid:page@x'");
    expect(shown).toContain('src=cid:none@x>');
  });

  test.each([
    ['<img width=1 src="https://x.test/p.png">', true],
    ['<td style="background:url( http://x.test/b.png)">', true],
    ['<img src="cid:a"><a href="https://x.test">x</a>', false],
  ])('detects images from outside: %s', (html, expected) => {
    expect(hasRemoteImages(html)).toBe(expected);
  });

  test('never runs scripts nor gets an origin, with images or without', () => {
    for (const policy of [htmlPolicy(true), htmlPolicy(false)]) {
      expect(policy).toMatch(/^sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none';/);
      expect(policy).not.toMatch(/allow-scripts|allow-same-origin|script-src/);
    }
  });
});
