import { hash } from 'node:crypto';
import { escapeHtml } from '@postmesh/templates';

/** Whom a link is about: shown to the person who follows it. */
export interface Subscription {
  recipient: string;
  /** the sending domain */
  domain: string;
}

// Readable on any phone: relative sizes, 7:1 contrast in light and dark, a button of at least 48 px, long addresses
// broken anywhere. All of it is in the page: no other file, no script, no picture.
const STYLE = `
:root { color-scheme: light dark; --text: #1a1a1a; --back: #ffffff; --action: #0b4fa8; --on-action: #ffffff }
@media (prefers-color-scheme: dark) {
  :root { --text: #f0f0f0; --back: #16181c; --action: #a8cbff; --on-action: #10141a }
}
* { box-sizing: border-box }
body { margin: 0; color: var(--text); background: var(--back); font: 1.125rem/1.6 system-ui, sans-serif }
main { max-width: 34rem; margin: 0 auto; padding: 2.5rem 1.25rem; overflow-wrap: anywhere }
h1 { font-size: 1.75rem; line-height: 1.25; margin: 0 0 1rem }
p { margin: 0 0 1.5rem }
button { width: 100%; min-height: 3.25rem; padding: .75rem 1.25rem; border: 0; border-radius: .5rem; cursor: pointer;
  font: inherit; font-weight: 600; color: var(--on-action); background: var(--action) }
button:focus-visible { outline: .2rem solid var(--text); outline-offset: .2rem }
`;

/** Nothing is loaded, and the form goes nowhere but here; the one style is known by its digest. */
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${hash('sha256', STYLE, 'base64')}'`,
  'img-src data:',
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Sent with every page. The address of a page is a secret of its reader: nobody else is told of it. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': POLICY,
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex, nofollow',
};

/** Asks before anything is done (spec 2-messages §12 rule 2). The form goes to the address of the page. */
export const confirmationPage = (about: Subscription): string =>
  page(
    'Unsubscribe',
    `<p>Stop all email from ${shown(about.domain)} to ${shown(about.recipient)}?</p>
<form method="post">
<input type="hidden" name="confirm" value="1">
<button type="submit">Unsubscribe</button>
</form>`,
  );

export const unsubscribedPage = (about: Subscription): string =>
  page(
    'You are unsubscribed',
    `<p>${shown(about.recipient)} will get no more email from ${shown(about.domain)}. You can close this page.</p>`,
  );

export const badLinkPage = (): string =>
  page(
    'This link does not work',
    '<p>It may be incomplete. Nothing was changed. Please open the link in the email once more.</p>',
  );

export const badFormPage = (): string =>
  page('Nothing was changed', '<p>Please open the link in the email, and use the button on its page.</p>');

const page = (title: string, content: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`;

/** Text from outside, in a direction of its own: it can turn round nothing of the page. */
const shown = (text: string): string => `<strong><bdi>${escapeHtml(text)}</bdi></strong>`;
