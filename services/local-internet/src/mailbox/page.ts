import { createHash } from 'node:crypto';
import { escapeHtml } from '@postmesh/templates';
import { PAGE_SCRIPT } from './page.script.js';
import { PAGE_STYLE } from './page.style.js';

// The mark of the console, inline since the page loads nothing.
const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' rx='7' fill='%2318202e'/%3E%3Cpath d='M7 11.5 16 18l9-6.5' fill='none' stroke='%23fff' stroke-width='2.4' stroke-linecap='round' stroke-linejoin='round'/%3E%3Cpath d='M5 23.5h4.4l1.8-3H6.8zM12.4 23.5h4.4l1.8-3h-4.4z' fill='%23e0483a'/%3E%3Cpath d='M19.8 23.5h4.4l1.8-3h-4.4z' fill='%235b8def'/%3E%3C/svg%3E";

const filterField = (name: string, label: string): string =>
  `<label>${label} <input class="field" name="${name}" type="search" autocomplete="off" spellcheck="false"></label>`;

const html = (consoleUrl: string): string => `<!doctype html>
<html lang="en" data-console="${escapeHtml(consoleUrl)}">
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
  <input id="search" class="field" name="q" type="search" placeholder="Search sender, recipient, subject" aria-label="Search" autocomplete="off" spellcheck="false">
  <button id="narrow" class="quiet" type="button" aria-expanded="false" aria-controls="filters">Filters</button>
  <span id="state" class="state" role="status" aria-live="polite"></span>
  <button id="clear" class="quiet" type="button">Delete all</button>
</header>
<form id="filters" class="filters" role="search" aria-label="Filters" hidden>
  ${filterField('to', 'Recipient')}
  ${filterField('from', 'Sender')}
  ${filterField('subject', 'Subject')}
</form>
<main id="main" class="panes">
  <section class="list" aria-label="Messages" tabindex="-1">
    <ol id="list"></ol>
    <button id="more" class="quiet more" type="button" hidden>Show older messages</button>
    <p id="empty" class="empty" hidden></p>
  </section>
  <section id="message" class="message" aria-label="Message" tabindex="-1"></section>
</main>
<noscript>The mailbox needs JavaScript; the same messages are at /api/messages.</noscript>
<script>${PAGE_SCRIPT}</script>
</body>
</html>
`;

/**
 * The web mailbox: one page that may request only the API of the same server.
 * @param consoleUrl where messages have a timeline; empty: nowhere
 */
export function mailboxPage(consoleUrl: string): { html: string; policy: string } {
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
  return { html: html(consoleUrl), policy };
}

function hash(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
