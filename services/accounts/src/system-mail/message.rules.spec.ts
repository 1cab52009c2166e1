import { describe, expect, it } from 'vitest';
import { oneLine, renderMessage, type SystemMessage } from './message.rules.js';

const MESSAGE: SystemMessage = {
  kind: 'invitation',
  subject: 'You are now a member of Shop',
  opening: ['Hello.'],
  facts: [
    ['Account', 'Shop'],
    ['Role', 'Developer'],
  ],
  closing: ['Good bye.'],
};

describe('a message of Postmesh itself', () => {
  it('has the same content as text and as HTML', () => {
    expect(renderMessage(MESSAGE)).toEqual({
      subject: 'You are now a member of Shop',
      text: 'Hello.\n\nAccount: Shop\nRole: Developer\n\nGood bye.\n',
      html: [
        '<!doctype html>',
        '<html lang="en">',
        '<body>',
        '<p>Hello.</p>',
        '<table cellpadding="4"><tr><th align="left" valign="top">Account</th><td>Shop</td></tr>' +
          '<tr><th align="left" valign="top">Role</th><td>Developer</td></tr></table>',
        '<p>Good bye.</p>',
        '</body>',
        '</html>',
        '',
      ].join('\n'),
    });
  });

  it('has the link of its action in both forms, whole and escaped', () => {
    const url = `https://mail.example/${'x'.repeat(400)}?a=1&b=2`;
    const { text, html } = renderMessage({ ...MESSAGE, action: { label: 'Sign <in>', url } });
    expect(text).toContain(`Hello.\n\nSign <in>: ${url}\n\nAccount: Shop`);
    expect(html).toContain(`<a href="${url.replace('&', '&amp;')}"`);
    expect(html).toContain('Sign &lt;in&gt;</a>');
  });

  it('needs no facts', () => {
    const { text, html } = renderMessage({ ...MESSAGE, facts: [] });
    expect(text).toBe('Hello.\n\nGood bye.\n');
    expect(html).not.toContain('<table');
  });

  it.each(['<script>alert(1)</script>', '"><img src=x onerror=alert(1)>', `a' & "b"`, '</td></table>'])(
    'shows %j literally in every part',
    (nasty) => {
      const { html } = renderMessage({
        kind: 'x',
        subject: nasty,
        opening: [nasty],
        facts: [[nasty, nasty]],
        closing: [nasty],
      });
      const ours =
        /<\/?(?:html lang="en"|html|body|p|table cellpadding="4"|table|tr|th align="left" valign="top"|th|td)>|<!doctype html>/g;
      expect(html.replace(ours, '')).not.toMatch(/[<>"']/);
    },
  );

  it.each([
    ['Shop\r\nBcc: eve@evil.test', 'Shop Bcc: eve@evil.test'],
    ['a\u0000b\u0085c\u2028d\u2029e', 'a b c d e'],
    ['a \u202egnp.exe', 'a gnp.exe'],
    ['  a   b ', 'a b'],
    ['👩‍👩‍👧 Shop', '👩‍👩‍👧 Shop'],
  ])('puts %j on one line', (given, expected) => {
    expect(oneLine(given)).toBe(expected);
    const { subject, text, html } = renderMessage({
      ...MESSAGE,
      subject: given,
      facts: [['Account', given]],
    });
    expect(subject).toBe(expected);
    expect(text.split('\n')).toHaveLength(6);
    expect(html.split('\n')).toHaveLength(9);
  });

  it('has a readable subject for any account name', () => {
    const { subject } = renderMessage({ ...MESSAGE, subject: '😀'.repeat(255) });
    expect([...subject]).toHaveLength(200);
    expect(subject.endsWith('😀…')).toBe(true);
  });
});
