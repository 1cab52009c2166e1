import { ApiErrors, mayCover, normaliseDomain, type Principal } from '@postmesh/contracts';
import { CreateBody } from './webhook.schema.js';

/**
 * A stored response to a create, which contains the signing secret, is for keys that may create the same webhook
 * (spec 1-platform §4.3 rule 10).
 * @throws ApiError 403
 */
export function requireCover(principal: Pick<Principal, 'scopes'>, body: unknown): void {
  const given = CreateBody.safeParse(body);
  // an invalid body had an error response, which reveals nothing
  if (!given.success) return;
  const { scope, domains } = given.data;
  const target = { scope, domains: (domains ?? []).map((domain) => normaliseDomain(domain) ?? domain) };
  if (!mayCover(principal, 'webhooks:write', target)) {
    throw ApiErrors.missingDomainScope('webhooks:write', scope === 'global' ? [] : target.domains);
  }
}
