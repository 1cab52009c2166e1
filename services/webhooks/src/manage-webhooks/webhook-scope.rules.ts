import {
  ApiErrors,
  hasDomainScope,
  hasWholeFamily,
  normaliseDomain,
  scopedDomains,
  type Principal,
  type ScopeFamily,
} from '@postmesh/contracts';
import { CreateBody } from './webhook.schema.js';

type WebhookFamily = Extract<ScopeFamily, `webhooks:${string}`>;
type Holder = Pick<Principal, 'scopes'>;

/** Rule "any-of" of spec 1-platform §2.4: one of its domains is enough; a global webhook needs `:all`. */
export function mayTouch(holder: Holder, family: WebhookFamily, domains: readonly string[]): boolean {
  return hasWholeFamily(holder, family) || domains.some((domain) => hasDomainScope(holder, family, domain));
}

/** Rule "body-every": each named domain must be authorised; global needs `:all`. */
export function mayCover(
  holder: Holder,
  family: WebhookFamily,
  target: { scope: 'global' | 'scoped'; domains: readonly string[] },
): boolean {
  if (hasWholeFamily(holder, family)) return true;
  return (
    target.scope === 'scoped' && target.domains.every((domain) => hasDomainScope(holder, family, domain))
  );
}

/** Rule "filter": undefined = all webhooks, else those with at least one of these domains. */
export function visibleDomains(holder: Holder, family: WebhookFamily): string[] | undefined {
  return hasWholeFamily(holder, family) ? undefined : scopedDomains(holder, family);
}

/**
 * A stored response to a create, which holds the signing secret, is for keys that may make the same webhook
 * (spec 1-platform §4.3 rule 10).
 * @throws ApiError 403
 */
export function requireCover(principal: Pick<Principal, 'scopes'>, body: unknown): void {
  const given = CreateBody.safeParse(body);
  // what could not be read was refused for that and told nothing else
  if (!given.success) return;
  const { scope, domains } = given.data;
  const target = { scope, domains: (domains ?? []).map((domain) => normaliseDomain(domain) ?? domain) };
  if (!mayCover(principal, 'webhooks:write', target)) {
    throw ApiErrors.missingDomainScope('write', 'webhooks');
  }
}
