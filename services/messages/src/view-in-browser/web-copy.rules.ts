import { PAGE_HEADERS, publicPage } from '@postmesh/public-links';
import { escapeHtml } from '@postmesh/templates';

// A sender's HTML runs no code here and cannot pose as our page: no script, no form, no frame, an origin of its own.
// Links open as in a mail program.
const POLICY = [
  'sandbox allow-popups allow-popups-to-escape-sandbox',
  "default-src 'none'",
  'img-src https: data:',
  "style-src https: 'unsafe-inline'",
  'font-src https: data:',
  'media-src https:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Sent with the HTML of a message. */
export const WEB_COPY_HEADERS: Readonly<Record<string, string>> = {
  ...PAGE_HEADERS,
  'content-security-policy': POLICY,
};

/** The page of a message without HTML. */
export const textCopy = (subject: string, text: string): string =>
  publicPage(escapeHtml(subject), `<p>${escapeHtml(text).replace(/\r?\n/g, '<br>\n')}</p>`);

/** The link is valid, but the content of its message is gone. */
export const goneCopy = (): string =>
  publicPage(
    'This message is not available any more',
    '<p>It was kept for some time after it was sent. You find it in your mailbox.</p>',
  );
