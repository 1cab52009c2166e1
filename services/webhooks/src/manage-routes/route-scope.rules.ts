import { normaliseDomain, type Principal } from '@postmesh/contracts';
import { requireScope, ROUTE, type Action } from '../endpoints/endpoint-kinds.js';
import { readPattern } from '../match-routes/recipient-pattern.rules.js';
import { CreateRouteBody } from './route.schema.js';

type Holder = Pick<Principal, 'scopes'>;

/** A route belongs to its recipient domain; a route of all domains needs `:all`. @throws ApiError 403 */
export const requireUse = (holder: Holder, action: Action, domain: string | null): void =>
  requireScope(ROUTE, holder, { action, domains: domain === null ? [] : [domain] });

/**
 * Rule "query-required" (spec 1-platform §2.4): a key with domain scopes names one of its domains.
 * @param asked domain of the query
 * @returns its canonical spelling, or the given text when it has none; undefined = routes of all domains
 * @throws ApiError 403
 */
export function listedDomain(holder: Holder, asked: string | undefined): string | undefined {
  const domain = asked === undefined ? undefined : (normaliseDomain(asked) ?? asked);
  requireUse(holder, 'read', domain ?? null);
  return domain;
}

/**
 * A stored response to a create, which contains the signing secret, is for keys that may create the same route
 * (spec 1-platform §4.3 rule 10).
 * @throws ApiError 403
 */
export function requireCreate(holder: Holder, body: unknown): void {
  const given = CreateRouteBody.safeParse(body);
  // an invalid body had an error response, which reveals nothing
  if (!given.success) return;
  requireUse(holder, 'write', readPattern(given.data.recipient)?.domain ?? null);
}
