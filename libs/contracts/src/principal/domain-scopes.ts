import type { Principal } from './principal.js';
import { hasDomainScope, hasWholeFamily, scopedDomains, type ScopeFamily } from './scopes.js';

// The domain-aware rules of spec 1-platform §2.4 for resources that are global or scoped to domains: webhooks and
// SMTP credentials.

type Holder = Pick<Principal, 'scopes'>;

/** Rule "any-of": a scope for one of its domains is enough; a global resource, without domains, needs `:all`. */
export function mayTouch(holder: Holder, family: ScopeFamily, domains: readonly string[]): boolean {
  return hasWholeFamily(holder, family) || domains.some((domain) => hasDomainScope(holder, family, domain));
}

/** Rule "body-every": each named domain must be authorised; global needs `:all`. */
export function mayCover(
  holder: Holder,
  family: ScopeFamily,
  target: { scope: 'global' | 'scoped'; domains: readonly string[] },
): boolean {
  if (hasWholeFamily(holder, family)) return true;
  return (
    target.scope === 'scoped' && target.domains.every((domain) => hasDomainScope(holder, family, domain))
  );
}

/** Rule "filter": undefined = all resources, else those with at least one of these domains. */
export function visibleDomains(holder: Holder, family: ScopeFamily): string[] | undefined {
  return hasWholeFamily(holder, family) ? undefined : scopedDomains(holder, family);
}
