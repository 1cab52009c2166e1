import { readTargetUrl } from './target.rules.js';

/** Why a redirect is not followed. */
export type RedirectTrouble = 'no-target' | 'to-plain-http' | 'too-many-redirects';

/** In a row; one more is a failure (spec 2-messages §18.5). */
export const MOST_REDIRECTS = 3;

// 303 turns the call into a GET, which would lose its body: it is a failure as any other status is.
const FOLLOWED = new Set([301, 302, 307, 308]);

/** What is posted next: the same method, body and headers at another place. */
export type NextHop = { kind: 'follow'; url: URL } | { kind: 'refused'; trouble: RedirectTrouble };

export interface Redirect {
  status: number;
  location: string | undefined;
  /** where it was answered */
  from: URL;
  /** redirects that were followed before */
  followed: number;
}

/** @returns undefined when the answer is no redirect that is ever followed */
export function readRedirect({ status, location, from, followed }: Redirect): NextHop | undefined {
  if (!FOLLOWED.has(status)) return undefined;
  if (followed >= MOST_REDIRECTS) return { kind: 'refused', trouble: 'too-many-redirects' };
  const url = targetOf(location, from);
  if (url === undefined) return { kind: 'refused', trouble: 'no-target' };
  if (from.protocol === 'https:' && url.protocol !== 'https:') {
    return { kind: 'refused', trouble: 'to-plain-http' };
  }
  return { kind: 'follow', url };
}

/** A name and password of the URL stay with its origin: the same origin gets them again, no other one does. */
function targetOf(location: string | undefined, from: URL): URL | undefined {
  if (!location || !URL.canParse(location, from.href)) return undefined;
  const url = readTargetUrl(new URL(location, from).href);
  if (url !== undefined && url.origin === from.origin && url.username === '' && url.password === '') {
    url.username = from.username;
    url.password = from.password;
  }
  return url;
}
