import { z } from 'zod';
import { ApiError, hasDomainScope, ApiErrors, type DomainFacts, type Principal } from '@postmesh/contracts';
import { parseEmailAddress, type EmailAddress } from '@postmesh/mail-format';
import { requireAddress } from './shared-fields.rules.js';

/** @throws ApiError 400: domains of senders have A-labels, local parts ASCII */
export function requireSender(email: string): EmailAddress {
  const sender = requireAddress(email, 'from.email');
  if (sender.needsSmtpUtf8) throw new ApiError(400, 'from.email must be an ASCII address');
  return sender;
}

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
  if (!hasDomainScope(principal, 'messages:send', domain)) throw ApiErrors.sendScope(domain);
  if (!facts.dns_valid) throw new ApiError(400, `domain '${domain}' does not have valid DNS records`);
  return facts;
}

/** A suspended account sends nothing, a paused domain only to the sandbox (spec 1-platform §2.5, §11.8). */
export function requireMaySend(principal: Principal, facts: DomainFacts, sandbox: boolean): void {
  if (principal.account.status !== 'active') throw ApiErrors.accountSuspended();
  if (facts.paused && !sandbox) {
    throw new ApiError(
      403,
      `Sending from domain '${facts.domain}' is paused. Check your dashboard for the reason.`,
    );
  }
}

const WithSender = z.object({ from: z.object({ email: z.string() }) });

/**
 * A stored response to a send is for keys that may send from the same domain (spec 1-platform §4.3 rule 10).
 * @throws ApiError 403
 */
export function requireSenderScope(principal: Principal, body: unknown): void {
  const given = WithSender.safeParse(body);
  const sender = given.success ? parseEmailAddress(given.data.from.email) : undefined;
  // without a sender the response is an error that gives nothing away
  if (!sender?.ok || hasDomainScope(principal, 'messages:send', sender.address.domain)) return;
  throw ApiErrors.sendScope(sender.address.domain);
}
