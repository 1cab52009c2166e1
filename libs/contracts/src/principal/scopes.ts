import type { Principal } from './principal.js';

/** Scopes without a domain part (spec 1-platform §2.2). */
export const STATIC_SCOPES = [
  'domains:read',
  'domains:write',
  'accounts:read',
  'accounts:write',
  'accounts:billing',
  'accounts:members:read',
  'accounts:members:add',
  'accounts:members:update',
  'accounts:members:remove',
  'suppressions:read',
  'suppressions:write',
  'suppressions:delete',
  'suppressions:wipe',
  'templates:read',
  'templates:write',
  'templates:delete',
  'campaigns:read',
  'campaigns:write',
  'campaigns:delete',
  'campaigns:send',
  'contacts:read',
  'contacts:write',
  'contacts:delete',
  'lists:read',
  'lists:write',
  'lists:delete',
  'api-keys:read',
  'api-keys:write',
  'api-keys:delete',
  'sub-accounts:read',
  'sub-accounts:write',
  'sub-accounts:delete',
  'sub-accounts:suspend',
  'sub-accounts:usage',
  'sub-account-api-keys:read',
  'sub-account-api-keys:write',
  'sub-account-api-keys:delete',
] as const;
export type StaticScope = (typeof STATIC_SCOPES)[number];

/** Families granted as `<family>:all` or `<family>:{domain}`. */
export const SCOPE_FAMILIES = [
  'messages:send',
  'messages:cancel',
  'messages:read',
  'domains:delete',
  'webhooks:read',
  'webhooks:write',
  'webhooks:delete',
  'routes:read',
  'routes:write',
  'routes:delete',
  'smtp-credentials:read',
  'smtp-credentials:write',
  'smtp-credentials:delete',
  'statistics-transactional:read',
] as const;
export type ScopeFamily = (typeof SCOPE_FAMILIES)[number];

export const WILDCARD_SCOPE = '*';

type Holder = Pick<Principal, 'scopes'>;

export function hasStaticScope(principal: Holder, scope: StaticScope): boolean {
  return principal.scopes.includes(WILDCARD_SCOPE) || principal.scopes.includes(scope);
}

/** `<family>:all` or everything. */
export function hasWholeFamily(principal: Holder, family: ScopeFamily): boolean {
  return principal.scopes.includes(WILDCARD_SCOPE) || principal.scopes.includes(`${family}:all`);
}

/** A scope for `example.com` does not cover `mail.example.com` (spec 1-platform §2.4). */
export function hasDomainScope(principal: Holder, family: ScopeFamily, domain: string): boolean {
  return hasWholeFamily(principal, family) || principal.scopes.includes(`${family}:{${domain}}`);
}

/** At least one scope of the family, whatever its domain. */
export function hasAnyOfFamily(principal: Holder, family: ScopeFamily): boolean {
  return (
    hasWholeFamily(principal, family) || principal.scopes.some((scope) => scope.startsWith(`${family}:{`))
  );
}

// A webhook may have hundreds of domains; a header is limited in length.
const MAX_NAMED_DOMAINS = 10;

/**
 * The scopes of a family that an error names: all of it, and those of the domains.
 * @param domains as granted; an entry that is no domain name in lower case is left out
 */
export function domainScopes(family: ScopeFamily, domains: readonly string[] = ['domain']): string[] {
  const named = domains.filter((domain) => /^[a-z0-9.-]{1,253}$/.test(domain)).slice(0, MAX_NAMED_DOMAINS);
  return [`${family}:all`, ...named.map((domain) => `${family}:{${domain}}`)];
}

/** A placeholder for a resource's domains, which a key without a scope for it may not see; empty when it has none. */
export const unnamedDomains = (domains: readonly string[]): string[] =>
  domains.length === 0 ? [] : ['domain'];

/** The domains of the family's domain scopes, in the normalised form of the grant. */
export function scopedDomains(principal: Holder, family: ScopeFamily): string[] {
  const prefix = `${family}:{`;
  return principal.scopes
    .filter((scope) => scope.startsWith(prefix))
    .map((scope) => scope.slice(prefix.length, -1));
}
