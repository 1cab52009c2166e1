/**
 * The syntax of a header field's value: it decides which parts may become encoded words (RFC 2047 §5), where the value
 * may be folded, and which values are rejected.
 */
export type FieldKind =
  /** unstructured text (RFC 5322 §3.2.5): every field without a row */
  | 'text'
  /** mailboxes and groups (RFC 5322 §3.4): only display names are encoded */
  | 'addresses'
  /** message ids (RFC 5322 §3.6.4) */
  | 'ids'
  /** a date and time (RFC 5322 §3.3) */
  | 'date'
  /** a list of phrases (RFC 5322 §3.6.5): each is encoded alone */
  | 'phrases'
  /** a phrase, then an id in angle brackets (RFC 2919 §3) */
  | 'list-id'
  /** a value with parameters (RFC 2045 §5.1, RFC 2231) */
  | 'parameters'
  /** any other structure: ASCII, folded at blanks */
  | 'structured';

interface FieldRow {
  readonly kind: FieldKind;
  /**
   * a message has it once at most (RFC 5322 §3.6, RFC 2369 §3.4, RFC 2919 §3, RFC 2045 §3): readers differ in which of
   * two they use
   */
  readonly once?: true;
}

const once = (kind: FieldKind): FieldRow => ({ kind, once: true });
const many = (kind: FieldKind): FieldRow => ({ kind });

/** By the name in lower case. A name without a row is text and may be repeated. */
const FIELDS: ReadonlyMap<string, FieldRow> = new Map(
  Object.entries({
    // RFC 5322
    date: once('date'),
    from: once('addresses'),
    sender: once('addresses'),
    'reply-to': once('addresses'),
    to: once('addresses'),
    cc: once('addresses'),
    bcc: once('addresses'),
    'message-id': once('ids'),
    'in-reply-to': once('ids'),
    references: once('ids'),
    subject: once('text'),
    keywords: many('phrases'),
    'resent-date': many('date'),
    'resent-from': many('addresses'),
    'resent-sender': many('addresses'),
    'resent-to': many('addresses'),
    'resent-cc': many('addresses'),
    'resent-bcc': many('addresses'),
    'resent-message-id': many('ids'),
    'return-path': many('structured'),
    received: many('structured'),
    // RFC 2045, RFC 2183, RFC 2392
    'mime-version': once('structured'),
    'content-type': once('parameters'),
    'content-disposition': once('parameters'),
    'content-transfer-encoding': once('structured'),
    'content-id': once('ids'),
    // RFC 2369, RFC 2919, RFC 8058
    'list-id': once('list-id'),
    'list-unsubscribe': once('structured'),
    'list-unsubscribe-post': once('structured'),
    'list-subscribe': once('structured'),
    'list-archive': once('structured'),
    'list-owner': once('structured'),
    'list-post': once('structured'),
    'list-help': once('structured'),
    // RFC 3834, RFC 8098, RFC 2156
    'auto-submitted': once('structured'),
    'disposition-notification-to': once('addresses'),
    'disposition-notification-options': once('structured'),
    'original-recipient': many('structured'),
    'return-receipt-to': many('addresses'),
    'errors-to': many('addresses'),
    // without an RFC, and read by mail programs as Reply-To is
    'mail-followup-to': once('addresses'),
    'mail-reply-to': once('addresses'),
    'x-confirm-reading-to': once('addresses'),
    // RFC 5064
    'archived-at': many('structured'),
    precedence: many('structured'),
    importance: many('structured'),
    priority: many('structured'),
    sensitivity: many('structured'),
    // RFC 6376, RFC 8601, RFC 8617, RFC 9477
    'dkim-signature': many('structured'),
    'authentication-results': many('structured'),
    'received-spf': many('structured'),
    'arc-seal': many('structured'),
    'arc-message-signature': many('structured'),
    'arc-authentication-results': many('structured'),
    'cfbl-address': once('structured'),
    'cfbl-feedback-id': once('structured'),
    'feedback-id': once('structured'),
  }),
);

/** @param name in any letter case */
export const fieldKind = (name: string): FieldKind => FIELDS.get(name.toLowerCase())?.kind ?? 'text';

/** @returns the first name, in lower case, that occurs more often than a message may have it */
export function nameGivenTwice(names: Iterable<string>): string | undefined {
  const seen = new Set<string>();
  for (const name of names) {
    const lower = name.toLowerCase();
    if (seen.has(lower)) return lower;
    if (FIELDS.get(lower)?.once) seen.add(lower);
  }
  return undefined;
}
