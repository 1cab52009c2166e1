import { hash } from 'node:crypto';
import { escapeHtml } from '@postmesh/templates';
import { AIRMAIL, colourStyle, FONT } from './look.js';

// The look of the console, and readable on any phone: relative sizes, 7:1 contrast in light and dark, buttons of at least
// 48 px, long addresses broken anywhere. All of it is in the page: no other file, no script, no picture.
const STYLE = `
${colourStyle(['canvas', 'surface', 'line', 'edge', 'ink', 'ink-2', 'accent'])}
*{box-sizing:border-box}
body{margin:0;color:var(--ink);background:var(--canvas);font:1.0625rem/1.6 ${FONT}}
body:before{content:"";display:block;height:3px;background:${AIRMAIL}}
main{max-width:34rem;margin:0 auto;padding:2.5rem 1.25rem;overflow-wrap:anywhere}
h1{font-size:1.5rem;line-height:1.25;letter-spacing:-.01em;margin:0 0 1rem}
p{margin:0 0 1.25rem}
form{margin:0 0 1rem;padding:1.25rem;border:1px solid var(--line);border-radius:10px;background:var(--surface)}
form p{color:var(--ink-2);font-size:1rem}
button{width:100%;min-height:3rem;padding:.625rem 1.25rem;border:1px solid var(--ink);border-radius:6px;cursor:pointer;
font:inherit;font-weight:600;color:var(--canvas);background:var(--ink)}
form~form button{border-color:var(--edge);color:var(--ink);background:var(--surface)}
label{display:block;margin:0 0 1rem;font-weight:600}
label :is(input:not([type=checkbox]),select){display:block;width:100%;min-height:3rem;margin-top:.25rem;padding:.5rem .75rem;
border:1px solid var(--edge);border-radius:6px;font:inherit;font-weight:400;color:var(--ink);background:var(--canvas)}
label:has([type=checkbox]){display:flex;gap:.75rem;font-weight:400}
label [type=checkbox]{flex:none;width:1.25rem;height:1.25rem;margin:.2rem 0 0}
.trap{position:absolute;left:-99rem}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
`;

/** The differences of a page to the others. */
export interface PageLook {
  /** further rules of its style */
  readonly style?: string;
  /** pages of other sites may show it in a frame */
  readonly framed?: boolean;
}

const digestOf = (style: string): string => `'sha256-${hash('sha256', style, 'base64')}'`;

/** No resource is loaded, and the form can only post to its own address; the only styles are allowed by their digests. */
const policyOf = ({ style, framed = false }: PageLook): string =>
  [
    "default-src 'none'",
    `style-src ${[STYLE, style].flatMap((one) => (one === undefined ? [] : digestOf(one))).join(' ')}`,
    'img-src data:',
    "form-action 'self'",
    "base-uri 'none'",
    `frame-ancestors ${framed ? '*' : "'none'"}`,
  ].join('; ');

/** Sent with every page. The address of a page is a secret of its reader: no other site may get it as a referrer. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': policyOf({}),
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
export const publicPage = (
  title: string,
  content: string,
  { style }: PageLook = {},
): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>${style === undefined ? '' : `\n<style>${style}</style>`}
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

/** @param look that the page was made with */
export function sendPublicPage(reply: PageReply, status: number, page: string, look?: PageLook): void {
  const policy = look && { 'content-security-policy': policyOf(look) };
  void reply
    .status(status)
    .headers({ ...PAGE_HEADERS, ...policy })
    .send(page);
}

/** Clients of mailbox providers need no page (RFC 8058 §3.1): an empty response. */
export function sendOneClickDone(reply: PageReply): void {
  void reply.status(200).header('cache-control', 'no-store').send();
}
