import type { RawField } from './canonical-headers.js';

/**
 * Which fields a signature covers when the message has them (RFC 6376 §5.4.1, RFC 8058 §4 for List-Unsubscribe*,
 * RFC 9477 for CFBL-Address). `sealed`: one more is signed than there are, so that nobody can add one: a second
 * From, Subject or recipient list is how a signed message is replayed as another.
 */
const SIGNED: readonly { readonly name: string; readonly sealed?: true }[] = [
  { name: 'from', sealed: true },
  { name: 'to', sealed: true },
  { name: 'cc', sealed: true },
  { name: 'subject', sealed: true },
  { name: 'date', sealed: true },
  { name: 'message-id', sealed: true },
  { name: 'reply-to', sealed: true },
  { name: 'sender' },
  { name: 'in-reply-to' },
  { name: 'references' },
  { name: 'mime-version' },
  { name: 'content-type' },
  { name: 'content-transfer-encoding' },
  { name: 'list-id' },
  { name: 'list-help' },
  { name: 'list-unsubscribe' },
  { name: 'list-unsubscribe-post' },
  { name: 'list-subscribe' },
  { name: 'list-post' },
  { name: 'list-owner' },
  { name: 'list-archive' },
  { name: 'auto-submitted' },
  { name: 'feedback-id' },
  { name: 'cfbl-address' },
  { name: 'cfbl-feedback-id' },
];

export interface SignedHeaders {
  /** `h=` in order, lower case */
  readonly names: readonly string[];
  /** the fields that exist, in the order of their names; several of one name from the last to the first */
  readonly fields: readonly RawField[];
}

/** Chooses what is signed. From is signed even when it is missing, as RFC 6376 §5.4 asks. */
export function chooseSignedHeaders(fields: readonly RawField[]): SignedHeaders {
  const byName = new Map<string, RawField[]>();
  for (const field of fields) {
    const same = byName.get(field.name);
    if (same === undefined) byName.set(field.name, [field]);
    else same.unshift(field);
  }
  const names: string[] = [];
  const chosen: RawField[] = [];
  for (const { name, sealed } of SIGNED) {
    const present = byName.get(name) ?? [];
    for (const field of present) {
      names.push(name);
      chosen.push(field);
    }
    if (sealed) names.push(name);
  }
  return { names, fields: chosen };
}
