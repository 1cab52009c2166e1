import type { IncomingHttpHeaders } from 'node:http';
import { MAX_USER_AGENT, type TrackedFetch } from '@postmesh/messages-contract';
import { newId } from '@postmesh/contracts';
import type { ClickLink, OpenLink, PublicLink } from '@postmesh/public-links';

/**
 * A path of a public link (spec 2-messages §11.2, §12.1; spec 3-marketing §5.4), on any host; `return` takes an unsubscribe
 * back, with the token of its link. Forms, confirmations and preferences are pages of sign-ups (decision 152).
 */
export interface PublicPath {
  kind: 'open' | 'click' | 'unsubscribe' | 'return' | 'view' | 'form' | 'confirm' | 'preferences';
  token: string;
}

const KINDS: Readonly<Record<string, PublicPath['kind']>> = {
  o: 'open',
  c: 'click',
  u: 'unsubscribe',
  r: 'return',
  v: 'view',
  f: 'form',
  j: 'confirm',
  p: 'preferences',
};

/** @param path raw, without the query. @returns undefined for any other path */
export function publicPathOf(path: string): PublicPath | undefined {
  const [, first = '', token = ''] = /^\/([ocurvfjp])\/([^/]+)$/.exec(path) ?? [];
  const kind = KINDS[first];
  return kind && { kind, token };
}

/** The service that shows the page of an unsubscribe link, also of an invalid token. */
export const unsubscriberOf = (link: PublicLink | undefined): 'messages' | 'marketing' =>
  link?.kind === 'campaign-unsubscribe' || link?.kind === 'test-unsubscribe' ? 'marketing' : 'messages';

// Headers of browsers and mail programs that fetch a page before its user opens it.
const AHEAD = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'];

/** Whether the method or a header marks a request whose response is not shown. */
const isPrefetch = (method: string | undefined, headers: IncomingHttpHeaders): boolean =>
  method === 'HEAD' || AHEAD.some((name) => /prefetch|prerender|preview/i.test(String(headers[name] ?? '')));

export interface SeenRequest {
  method: string | undefined;
  headers: IncomingHttpHeaders;
  clientIp: string;
}

/** The report of a fetch. */
export function trackedFetch(
  link: OpenLink | ClickLink,
  { method, headers, clientIp }: SeenRequest,
  now: Date,
): TrackedFetch {
  return {
    id: newId(now.getTime()),
    message_id: link.messageId,
    kind: link.kind,
    ...(link.kind === 'click' ? { link_index: link.index, url: link.url } : {}),
    at: now.toISOString(),
    ip: clientIp,
    user_agent: (headers['user-agent'] ?? '').slice(0, MAX_USER_AGENT),
    prefetch: isPrefetch(method, headers),
  };
}
