import { isFieldName, fieldValueProblem } from './header-field.rules.js';
import type { HeaderField } from './header-field.rules.js';

export const MAX_CUSTOM_HEADERS = 50;
export const MAX_CUSTOM_HEADER_BYTES = 8 * 1024;

/** Names that the service writes itself or that must not be forged: dropped silently (spec 2-messages §5.2.3-4). */
const IGNORED = new Set([
  'message-id',
  'from',
  'to',
  'bcc',
  'subject',
  'sender',
  'return-path',
  'received',
  'dkim-signature',
  'mime-version',
  'authentication-results',
  'feedback-id',
  'cfbl-address',
]);
const IGNORED_PREFIXES = ['arc-', 'content-', 'resent-'] as const;

export interface CustomHeaderRules {
  /** control headers are `<prefix>-…` (deployment setting) */
  readonly controlPrefix: string;
  /** further names to drop, lower case: `cc` on a regular send, `list-unsubscribe` beside a link of ours */
  readonly drop?: readonly string[];
  /** names that clash with a body field, lower case, and what to answer: `reply-to`, `cc` */
  readonly clashes?: ReadonlyMap<string, string>;
}

export type SortedHeaders =
  | {
      readonly ok: true;
      /** go into the message, in the order given */
      readonly passed: readonly HeaderField[];
      /** never go into the message; names lower case, without the prefix; the last of a name wins */
      readonly control: ReadonlyMap<string, string>;
    }
  | { readonly ok: false; readonly message: string };

/**
 * Sorts the `headers` of a send into what passes, what controls us and what is dropped (spec 2-messages §5.2).
 * The first problem is answered; its text is for a 400.
 */
export function sortCustomHeaders(fields: readonly HeaderField[], rules: CustomHeaderRules): SortedHeaders {
  if (fields.length > MAX_CUSTOM_HEADERS) {
    return { ok: false, message: `at most ${MAX_CUSTOM_HEADERS} headers are allowed` };
  }
  const passed: HeaderField[] = [];
  const control = new Map<string, string>();
  const prefix = `${rules.controlPrefix.toLowerCase()}-`;
  for (const field of fields) {
    const message = problemOf(field, rules);
    if (message !== undefined) return { ok: false, message };
    const name = field.name.toLowerCase();
    if (name.startsWith(prefix)) control.set(name.slice(prefix.length), field.value.trim());
    else if (!isIgnored(name) && !rules.drop?.includes(name)) passed.push(field);
  }
  return { ok: true, passed, control };
}

/** Names of header fields that a client may not set: the service writes them or must not let them be forged. */
export function isIgnored(name: string): boolean {
  return IGNORED.has(name) || IGNORED_PREFIXES.some((prefix) => name.startsWith(prefix));
}

function problemOf(field: HeaderField, rules: CustomHeaderRules): string | undefined {
  if (!isFieldName(field.name)) return `invalid header name '${field.name.slice(0, 100)}'`;
  const clash = rules.clashes?.get(field.name.toLowerCase());
  if (clash !== undefined) return clash;
  const value = fieldValueProblem(field);
  if (value !== undefined) return `header '${field.name}' ${value}`;
  return Buffer.byteLength(field.name) + Buffer.byteLength(field.value) > MAX_CUSTOM_HEADER_BYTES
    ? `header '${field.name}' is longer than ${MAX_CUSTOM_HEADER_BYTES} bytes`
    : undefined;
}
