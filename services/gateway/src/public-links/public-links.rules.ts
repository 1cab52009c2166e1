import type { IncomingHttpHeaders } from 'node:http';
import { MAX_USER_AGENT, newId, type TrackedFetch } from '@postmesh/contracts';
import type { ClickLink, OpenLink, PublicLink } from '@postmesh/public-links';

/** A path of a public link (spec 2-messages §11.2, §12.1; spec 3-marketing §5.4), on whatever host it was asked for. */
export interface PublicPath {
  kind: 'open' | 'click' | 'unsubscribe' | 'view';
  token: string;
}

const KINDS: Readonly<Record<string, PublicPath['kind']>> = {
  o: 'open',
  c: 'click',
  u: 'unsubscribe',
  v: 'view',
};

/** @param path raw, without the query. @returns undefined for a path of something else */
export function publicPathOf(path: string): PublicPath | undefined {
  const [, first = '', token = ''] = /^\/([ocuv])\/([^/]+)$/.exec(path) ?? [];
  const kind = KINDS[first];
  return kind && { kind, token };
}

/** Who shows the page of an unsubscribe link; of a token that nobody signed, too. */
export const unsubscriberOf = (link: PublicLink | undefined): 'messages' | 'marketing' =>
  link?.kind === 'campaign-unsubscribe' || link?.kind === 'test-unsubscribe' ? 'marketing' : 'messages';

// Written by browsers and mail programs that fetch what nobody has asked to see yet.
const AHEAD = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'];

/** The method or a header says that nobody looks at the answer. */
const isPrefetch = (method: string | undefined, headers: IncomingHttpHeaders): boolean =>
  method === 'HEAD' || AHEAD.some((name) => /prefetch|prerender|preview/i.test(String(headers[name] ?? '')));

export interface SeenRequest {
  method: string | undefined;
  headers: IncomingHttpHeaders;
  clientIp: string;
}

/** What is reported of a fetch. */
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
