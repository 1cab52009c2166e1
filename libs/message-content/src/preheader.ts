import { scanTags } from '@postmesh/public-links';

// Hidden in every mail program; the list of messages shows it after the subject.
const HIDDEN =
  'display:none;font-size:1px;line-height:1px;max-height:0;max-width:0;opacity:0;overflow:hidden;mso-hide:all';

/**
 * The HTML with its hidden preview text directly after `<body>`; without that tag, where the content begins (spec
 * 2-messages §6.4 rule 10).
 * @param preheader as HTML
 */
export function withPreheader(html: string, preheader: string): string {
  if (preheader.trim() === '') return html;
  const at = contentStart(html);
  return `${html.slice(0, at)}<div style="${HIDDEN}">${preheader}</div>${html.slice(at)}`;
}

function contentStart(html: string): number {
  let bodyStart: number | undefined;
  let headEnd: number | undefined;
  scanTags(html, {
    element: 'body',
    attributes: [],
    start: ({ end }) => (bodyStart ??= end),
    end: (name, at) => {
      if (name === 'head') headEnd ??= html.indexOf('>', at) + 1;
    },
  });
  return bodyStart ?? headEnd ?? /^\s*(?:<!doctype[^>]*>)?/i.exec(html)?.[0].length ?? 0;
}
