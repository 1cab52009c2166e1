import type { SystemMailContent } from '@postmesh/accounts-contract';

/** The content of a message of Postmesh itself, for its text and its HTML form. */
export interface SystemMessage {
  /** for logs and counts: `invitation`, `webhook-disabled`, … */
  kind: string;
  subject: string;
  /** paragraphs, before the facts */
  opening: readonly string[];
  /** a table of names and values */
  facts: readonly (readonly [name: string, value: string])[];
  /** the one thing to do, before the facts: a link of ours, never a URL of a customer */
  action?: { readonly label: string; readonly url: string };
  /** paragraphs, after the facts */
  closing: readonly string[];
}

// RFC 5322 §2.1.1 allows lines of 998; no mail program shows more than this of a subject.
const MAX_SUBJECT_CHARACTERS = 200;
// Texts of customers (names, labels) are at most 255 characters; this also bounds what their rows may hold.
const MAX_VALUE_CHARACTERS = 300;

/** Both forms of a message; every text of a customer is escaped and on one line. */
export function renderMessage(message: SystemMessage): SystemMailContent {
  const opening = message.opening.map(oneLine);
  const closing = message.closing.map(oneLine);
  const { action } = message;
  const facts = message.facts.map(
    ([name, value]) => [oneLine(name), cut(oneLine(value), MAX_VALUE_CHARACTERS)] as const,
  );
  return {
    subject: cut(oneLine(message.subject), MAX_SUBJECT_CHARACTERS),
    text: textForm({ opening, facts, closing, action }),
    html: htmlForm({ opening, facts, closing, action }),
  };
}

type Parts = Pick<SystemMessage, 'opening' | 'facts' | 'closing'> & { action: SystemMessage['action'] };

function textForm({ opening, facts, closing, action }: Parts): string {
  const table = facts.map(([name, value]) => `${name}: ${value}`).join('\n');
  const link = action ? [`${action.label}: ${action.url}`] : [];
  return `${[...opening, ...link, ...(table === '' ? [] : [table]), ...closing].join('\n\n')}\n`;
}

const BUTTON = 'display:inline-block;padding:8px 16px;background:#1d4ed8;color:#ffffff;text-decoration:none';

function htmlForm({ opening, facts, closing, action }: Parts): string {
  const paragraphs = (texts: readonly string[]) => texts.map((text) => `<p>${escapeHtml(text)}</p>`);
  const rows = facts.map(
    ([name, value]) =>
      `<tr><th align="left" valign="top">${escapeHtml(name)}</th><td>${escapeHtml(value)}</td></tr>`,
  );
  const table = rows.length === 0 ? [] : [`<table cellpadding="4">${rows.join('')}</table>`];
  const link = action
    ? [`<p><a href="${escapeHtml(action.url)}" style="${BUTTON}">${escapeHtml(action.label)}</a></p>`]
    : [];
  const body = [...paragraphs(opening), ...link, ...table, ...paragraphs(closing)].join('\n');
  return `<!doctype html>\n<html lang="en">\n<body>\n${body}\n</body>\n</html>\n`;
}

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
}

/**
 * A text that cannot begin another line or header, or change the direction of the text around it: control
 * characters, line and paragraph separators and bidirectional controls become blanks.
 */
export function oneLine(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .replace(/ {2,}/g, ' ')
    .trim();
}

function cut(text: string, most: number): string {
  const characters = [...text];
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`;
}
