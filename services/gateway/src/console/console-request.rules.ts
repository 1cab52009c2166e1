import type { IncomingHttpHeaders } from 'node:http';
import { SESSION_COOKIE } from '@postmesh/contracts';

const READING = new Set(['GET', 'HEAD']);
/** A page of ours, or a person who typed the address. */
const SITES_OF_READS = new Set([undefined, 'same-origin', 'none']);

/**
 * Whether a request comes from a page of the console, or is a read that no other site has made (decision 116). A browser
 * sends both headers with each write, and no page can set them.
 * @param ownOrigin of POSTMESH_BASE_URL: a proxy may change the host that a browser asked for
 */
export function isFromConsole(
  method: string,
  { origin, host, 'sec-fetch-site': site }: IncomingHttpHeaders,
  ownOrigin?: string,
): boolean {
  if (READING.has(method)) return SITES_OF_READS.has(site as string | undefined);
  if (site !== 'same-origin' || origin === undefined) return false;
  return origin === ownOrigin || (host !== undefined && /^https?:\/\/(.+)$/.exec(origin)?.[1] === host);
}

const SECRET = /^[A-Za-z0-9]{64}$/;

/**
 * The secret of a session.
 * @param name of its cookie
 * @returns undefined without a cookie of ours, with two of them, and for a value that is no secret
 */
export function sessionSecret(
  { cookie }: Pick<IncomingHttpHeaders, 'cookie'>,
  name = SESSION_COOKIE,
): string | undefined {
  if (cookie === undefined) return undefined;
  const values = cookie.split(';').flatMap((pair) => {
    const at = pair.indexOf('=');
    return pair.slice(0, at).trim() === name ? [pair.slice(at + 1).trim()] : [];
  });
  const [value] = values;
  return values.length === 1 && value !== undefined && SECRET.test(value) ? value : undefined;
}
