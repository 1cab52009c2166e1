import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { askingPage, testPage } from './unsubscribe-pages.js';
import { badFormPage, badLinkPage, PAGE_HEADERS, publicPage, shownText } from './public-page.js';

const HOSTILE = [`"<script>alert('1')</script>&amp;"@mail.test`, '\u202etset.pohs"><img src=x>'];
const PAGES = [
  publicPage('Title', `<p>${HOSTILE.map(shownText).join(' ')}</p>`),
  badLinkPage(),
  badFormPage(),
  testPage(),
  askingPage({ kind: 'test-unsubscribe', messageId: '' }, { email: HOSTILE[0]!, domain: HOSTILE[1]! }),
];

describe('the pages that a link in a message leads to', () => {
  it('show any input from outside as text', () => {
    for (const page of PAGES.slice(0, 1)) {
      expect(page).toContain(
        '&quot;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;amp;&quot;@mail.test</bdi>',
      );
      expect(page).toContain('<bdi>\u202etset.pohs&quot;&gt;&lt;img src=x&gt;</bdi>');
    }
  });

  it.each(PAGES)('load no resource and run no script', (page) => {
    expect(page).not.toMatch(/<(script|img|iframe|object)|<[^>]*\s(src|style|on\w+)=|https?:|@import|url\(/i);
    expect(Buffer.byteLength(page)).toBeLessThan(4_096);
    expect(page).toMatch(
      /<html lang="en">[\s\S]*<meta name="viewport"[\s\S]*<meta name="robots" content="noindex/,
    );
  });

  it.each(PAGES)('have the one style that their policy allows', (page) => {
    const [, style = ''] = /<style>([\s\S]*)<\/style>/.exec(page) ?? [];
    const policy = PAGE_HEADERS['content-security-policy'];
    expect(policy).toContain(`style-src 'sha256-${hash('sha256', style, 'base64')}'`);
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
  });
});
