import { createHash, sign } from 'node:crypto';
import { promisify } from 'node:util';
import type { Message } from '../message/message.js';
import {
  canonicalField,
  type Canonicalization,
  prepareBody,
  type PreparedBody,
  type RawField,
  splitHeaders,
} from './canonicalization.js';
import type { SigningKey } from './signing-key.js';

export interface SigningOptions {
  /** `d=`, A-labels */
  readonly domain: string;
  /** `s=` */
  readonly selector: string;
  readonly key: SigningKey;
  /** hash of a body that several messages share; computed from the message when left out */
  readonly body?: PreparedBody | undefined;
  readonly headerCanonicalization?: Canonicalization | undefined;
  /** of the body; not used with `body`, which has its own */
  readonly bodyCanonicalization?: Canonicalization | undefined;
  /** `t=`; now when left out */
  readonly signedAt?: Date | undefined;
}

// With a callback Node signs on the thread pool, so RSA-2048 (0.26 ms) does not block the event loop.
const signAsync = promisify(sign);
const MAX_LINE = 76;
const DOMAIN = /^[a-z0-9_](?:[a-z0-9_.-]{0,251}[a-z0-9])?$/i;

/**
 * Fields that a signature covers when the message has them (RFC 6376 §5.4.1, RFC 8058 §4 for List-Unsubscribe*, RFC
 * 9477 for CFBL-Address, RFC 8460 §5.3 for TLS-Report-*). `sealed`: named once more in `h=` than the message has it, so that adding one breaks the
 * signature: replay attacks add a second From, Subject or recipient list, or a second Content-Type that turns the same
 * body into another message.
 */
const SIGNED: readonly { readonly name: string; readonly sealed?: true }[] = [
  { name: 'from', sealed: true },
  { name: 'to', sealed: true },
  { name: 'cc', sealed: true },
  { name: 'subject', sealed: true },
  { name: 'date', sealed: true },
  { name: 'message-id', sealed: true },
  { name: 'reply-to', sealed: true },
  { name: 'sender', sealed: true },
  { name: 'in-reply-to' },
  { name: 'references' },
  { name: 'mime-version', sealed: true },
  { name: 'content-type', sealed: true },
  { name: 'content-transfer-encoding', sealed: true },
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
  { name: 'tls-report-domain' },
  { name: 'tls-report-submitter' },
];

/**
 * Signs a message (RFC 6376, RFC 8463).
 * @returns one folded DKIM-Signature field with its CRLF, for the top of the message
 * @throws TypeError when domain or selector is not a DNS name
 */
export async function signMessage(
  message: Pick<Message, 'headers' | 'body'>,
  options: SigningOptions,
): Promise<Buffer> {
  for (const name of [options.domain, options.selector]) {
    if (!DOMAIN.test(name)) throw new TypeError('DKIM domain and selector must be DNS names');
  }
  const canonicalization = options.headerCanonicalization ?? 'relaxed';
  const body = options.body ?? prepareBody(message.body, options.bodyCanonicalization ?? 'relaxed');
  const { names, fields } = chooseSignedHeaders(splitHeaders(message.headers));
  const unsigned = writeUnsigned(options, { canonicalization, body, names });
  const signed = [...fields, { name: 'dkim-signature', text: unsigned }]
    .map((field) => canonicalField(field, canonicalization))
    .join('\r\n');
  const signature = await signBytes(Buffer.from(signed, 'latin1'), options.key);
  return Buffer.from(`${unsigned}${foldBase64(signature.toString('base64'))}\r\n`, 'latin1');
}

function signBytes(data: Buffer, { key, algorithm }: SigningKey): Promise<Buffer> {
  if (algorithm === 'rsa-sha256') return signAsync('sha256', data, key);
  // RFC 8463 §3: Ed25519 signs the SHA-256 of the data.
  return signAsync(null, createHash('sha256').update(data).digest(), key);
}

function writeUnsigned(
  options: SigningOptions,
  covered: { canonicalization: Canonicalization; body: PreparedBody; names: readonly string[] },
): string {
  const seconds = Math.floor((options.signedAt?.getTime() ?? Date.now()) / 1000);
  return [
    `DKIM-Signature: v=1; a=${options.key.algorithm}; c=${covered.canonicalization}/${covered.body.canonicalization};`,
    ` d=${options.domain}; s=${options.selector}; t=${seconds};`,
    ` ${foldNames(covered.names)};`,
    ` bh=${covered.body.bodyHash};`,
    ' b=',
  ].join('\r\n');
}

/** `h=` folded after colons (RFC 6376 §3.5 allows FWS there). */
function foldNames(names: readonly string[]): string {
  let line = 'h=';
  const lines: string[] = [];
  names.forEach((name, index) => {
    const item = index < names.length - 1 ? `${name}:` : name;
    if (line.length + item.length >= MAX_LINE) {
      lines.push(line);
      line = '';
    }
    line += item;
  });
  return [...lines, line].join('\r\n ');
}

/** The signature fills up the line of `b=` and continues in folded lines (FWS is allowed anywhere in it). */
function foldBase64(text: string): string {
  const first = MAX_LINE - 3;
  let folded = text.slice(0, first);
  for (let at = first; at < text.length; at += MAX_LINE - 1)
    folded += `\r\n ${text.slice(at, at + MAX_LINE - 1)}`;
  return folded;
}

interface SignedHeaders {
  /** `h=` in order, lower case */
  readonly names: readonly string[];
  /** the fields that exist, in the order of their names; several of one name from the last to the first */
  readonly fields: readonly RawField[];
}

/** Chooses the signed fields. From is always signed, even when it is missing (RFC 6376 §5.4). */
function chooseSignedHeaders(fields: readonly RawField[]): SignedHeaders {
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
