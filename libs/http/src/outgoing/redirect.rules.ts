import { readTargetUrl } from './target.rules.js';

/** The reason why a redirect is not followed. */
export type RedirectTrouble = 'no-target' | 'to-plain-http' | 'too-many-redirects';

/** Consecutive redirects; one more is a failure (spec 2-messages §18.5). */
export const MOST_REDIRECTS = 3;

// 303 turns the call into a GET, which would lose its body: it is a failure like any other status.
const FOLLOWED = new Set([301, 302, 307, 308]);

/** The next request: the same method, body and headers at another URL. */
export type NextHop = { kind: 'follow'; url: URL } | { kind: 'refused'; trouble: RedirectTrouble };

export interface Redirect {
  status: number;
  location: string | undefined;
  /** the URL of this answer */
  from: URL;
  /** number of redirects followed before */
  followed: number;
}

/** @returns undefined when the answer is no redirect of a followed kind */
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

/** The user information of a URL is sent to the same origin only. */
function targetOf(location: string | undefined, from: URL): URL | undefined {
  if (!location || !URL.canParse(location, from.href)) return undefined;
  const url = readTargetUrl(new URL(location, from).href);
  if (url !== undefined && url.origin === from.origin && url.username === '' && url.password === '') {
    url.username = from.username;
    url.password = from.password;
  }
  return url;
}
