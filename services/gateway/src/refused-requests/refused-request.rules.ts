import { STATUS_CODES } from 'node:http';
import { shortened } from '@postmesh/contracts';

/** PostgreSQL stores neither NUL nor lone surrogates, and a row has one line of each text. */
export const loggedText = (text: string, max: number): string =>
  shortened(text, max).replace(/[\p{Cc}\p{Cs}]/gu, '\ufffd');

const MAX_NAMES = 20;
const NAME = /^[a-z_]{1,32}$/i;

/** A request target with the names in its query: their values may be addresses of people, or a secret. */
export function loggedPath(url: string): string {
  const at = url.indexOf('?');
  if (at < 0) return url;
  const pairs = url.slice(at + 1).split('&', MAX_NAMES);
  const names = pairs.map((pair) => /^([^=]*)=/.exec(pair)?.[1] ?? '');
  return `${url.slice(0, at)}?${names.map((name) => (NAME.test(name) ? `${name}=…` : '…')).join('&')}`;
}

// No secret is as short; a short text would be found everywhere.
const MIN_SECRET = 8;

/** Without the secret of the request, wherever its client repeats it. */
export const withoutSecret = (text: string, secret: string | undefined): string =>
  secret === undefined || secret.length < MIN_SECRET ? text : text.replaceAll(secret, '…');

/**
 * The text of an error.
 * @param shown the text, or the body of the response
 */
export function messageOf(shown: string | Buffer | undefined, status: number): string {
  if (typeof shown === 'string') return shown;
  const message = shown && messageIn(shown);
  return message ?? STATUS_CODES[status] ?? '';
}

function messageIn(body: Buffer): string | undefined {
  try {
    const { message } = JSON.parse(body.toString()) as { message?: unknown };
    return typeof message === 'string' ? message : undefined;
  } catch {
    return undefined;
  }
}
