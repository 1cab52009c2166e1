import { ApiError, hasDomainScope, Refusals, type DomainFacts, type Principal } from '@postmesh/contracts';

/**
 * Owned, in the key's scope, DNS valid: in this order (spec 2-messages §1.2).
 * @throws ApiError 400 or 403
 */
export function requireSendingDomain(
  principal: Principal,
  domain: string,
  facts: DomainFacts | undefined,
): DomainFacts {
  if (!facts || facts.deleted) throw new ApiError(400, `domain '${domain}' not found in this account`);
  if (!hasDomainScope(principal, 'messages:send', domain)) throw Refusals.sendScope(domain);
  if (!facts.dns_valid) throw new ApiError(400, `domain '${domain}' does not have valid DNS records`);
  return facts;
}

/** A suspended account sends nothing, a paused domain only to the sandbox (spec 1-platform §2.5, §11.8). */
export function requireMaySend(principal: Principal, facts: DomainFacts, sandbox: boolean): void {
  if (principal.account.status !== 'active') throw Refusals.accountSuspended();
  if (facts.paused && !sandbox) {
    throw new ApiError(
      403,
      `Sending from domain '${facts.domain}' is paused. Check your dashboard for the reason.`,
    );
  }
}
