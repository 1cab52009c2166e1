import { createHash } from 'node:crypto';
import { PAGE_SCRIPT } from './page.script.js';
import { PAGE_STYLE } from './page.style.js';

// An envelope, inline since the page loads nothing.
const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' rx='8' fill='%234f46e5'/%3E%3Cpath d='M7 11h18v11H7z M7 11l9 7 9-7' fill='none' stroke='white' stroke-width='2' stroke-linejoin='round'/%3E%3C/svg%3E";

const HTML = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Mailbox</title>
<link rel="icon" href="${ICON}">
<style>${PAGE_STYLE}</style>
</head>
<body>
<header class="bar">
  <img class="logo" alt="" src="${ICON}">
  <h1>Local mailbox</h1>
  <input id="search" type="search" placeholder="Search sender, recipient, subject" aria-label="Search" autocomplete="off" spellcheck="false">
  <span id="state" class="state" role="status" aria-live="polite"></span>
  <button id="clear" class="quiet" type="button">Delete all</button>
</header>
<main id="main" class="panes">
  <nav class="list" aria-label="Messages">
    <ol id="list"></ol>
    <p id="empty" class="empty" hidden></p>
  </nav>
  <section id="message" class="message" aria-label="Message" tabindex="-1"></section>
</main>
<noscript>The mailbox needs JavaScript; the same messages are at /api/messages.</noscript>
<script>${PAGE_SCRIPT}</script>
</body>
</html>
`;

/** The web mailbox: one page that may request only the API of the same server. */
export function mailboxPage(): { html: string; policy: string } {
  const policy = [
    "default-src 'none'",
    `script-src '${hash(PAGE_SCRIPT)}'`,
    `style-src '${hash(PAGE_STYLE)}'`,
    "connect-src 'self'",
    "frame-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  return { html: HTML, policy };
}

function hash(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
