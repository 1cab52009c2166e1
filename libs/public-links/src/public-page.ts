import { hash } from 'node:crypto';
import { escapeHtml } from '@postmesh/templates';

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

/** No resource is loaded, and the form can only post to its own address; the only style is allowed by its digest. */
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${hash('sha256', STYLE, 'base64')}'`,
  'img-src data:',
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Sent with every page. The address of a page is a secret of its reader: no other site may get it as a referrer. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': POLICY,
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex, nofollow',
};

export const badLinkPage = (): string =>
  publicPage(
    'This link does not work',
    '<p>It may be incomplete. Nothing was changed. Please open the link in the email once more.</p>',
  );

export const badFormPage = (): string =>
  publicPage(
    'Nothing was changed',
    '<p>Please open the link in the email, and use the button on its page.</p>',
  );

/**
 * A page for a person who followed a link in a message, the same for all services.
 * @param title and content are HTML: text from outside goes through `shownText`
 */
export const publicPage = (title: string, content: string): string => `<!doctype html>
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

/** Text from outside, isolated in its direction: it cannot change the direction of the rest of the page. */
export const shownText = (text: string): string => `<strong><bdi>${escapeHtml(text)}</bdi></strong>`;

/** As much of the response of a Fastify server as a page needs. */
interface PageReply {
  status(code: number): PageReply;
  headers(values: Readonly<Record<string, string>>): PageReply;
  header(name: string, value: string): PageReply;
  send(page?: string): unknown;
}

export function sendPublicPage(reply: PageReply, status: number, page: string): void {
  void reply.status(status).headers(PAGE_HEADERS).send(page);
}

/** Clients of mailbox providers need no page (RFC 8058 §3.1): an empty response. */
export function sendOneClickDone(reply: PageReply): void {
  void reply.status(200).header('cache-control', 'no-store').send();
}
