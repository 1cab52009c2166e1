import { z } from 'zod';
import {
  ApiError,
  ApiErrors,
  hasAnyOfFamily,
  hasDomainScope,
  type ApiResponse,
  type Principal,
} from '@postmesh/contracts';
import type { DomainFacts } from '@postmesh/domains-contract';
import { parseEmailAddress, type EmailAddress } from '@postmesh/mail-format';
import { SendResponse } from './send-result.js';
import { requireAsciiAddress } from './shared-fields.rules.js';

/** The reasons why a domain may not send, by HTTP and by SMTP. */
export const DOMAIN_TEXTS = {
  unknown: (domain: string) => `domain '${domain}' not found in this account`,
  invalid: (domain: string) => `domain '${domain}' does not have valid DNS records`,
  paused: (domain: string) =>
    `Sending from domain '${domain}' is paused. Check your dashboard for the reason.`,
};

/** @throws ApiError 400: domains of senders have A-labels, local parts ASCII */
export const requireSender = (email: string): EmailAddress => requireAsciiAddress(email, 'from.email');

/**
 * Owned, in the key's scope, DNS valid: in this order (spec 2-messages §1.2).
 * @throws ApiError 400 or 403
 */
export function requireSendingDomain(
  principal: Principal,
  domain: string,
  facts: DomainFacts | undefined,
): DomainFacts {
  if (!facts || facts.deleted) throw new ApiError(400, DOMAIN_TEXTS.unknown(domain));
  if (!hasDomainScope(principal, 'messages:send', domain)) throw ApiErrors.sendScope(domain);
  if (!facts.dns_valid) throw new ApiError(400, DOMAIN_TEXTS.invalid(domain));
  return facts;
}

/** A suspended account sends nothing, a paused domain only to the sandbox (spec 1-platform §2.5, §11.8). */
export function requireMaySend(principal: Principal, facts: DomainFacts, sandbox: boolean): void {
  if (principal.account.status !== 'active') throw ApiErrors.accountSuspended();
  if (facts.paused && !sandbox) throw new ApiError(403, DOMAIN_TEXTS.paused(facts.domain));
}

/** @throws ApiError 403 for a key without any scope to send (spec 2-messages §1.4 step 5) */
export function requireAnySender(principal: Principal): void {
  if (hasAnyOfFamily(principal, 'messages:send')) return;
  throw ApiErrors.sendScopeOfAny();
}

const WithSender = z.object({ from: z.object({ email: z.string() }) });

/**
 * A stored response to a send is for keys that may send from the same domain (spec 1-platform §4.3 rule 10).
 * @throws ApiError 403
 */
export function requireSenderScope(principal: Principal, body: unknown): void {
  const domain = domainOfSender(body);
  // without a sender the response is an error without private data
  if (domain === undefined || hasDomainScope(principal, 'messages:send', domain)) return;
  throw ApiErrors.sendScope(domain);
}

/**
 * The same for a template send: where the request has no sender, it was the template's, and the Message-IDs of the
 * response contain its domain. A response without any is an error: each key that may send can read it.
 * @throws ApiError 403
 */
export function requireTemplateSenderScope(principal: Principal, body: unknown, replay: ApiResponse): void {
  const domain = domainOfSender(body) ?? domainOfReplay(replay);
  if (domain === undefined) return requireAnySender(principal);
  if (!hasDomainScope(principal, 'messages:send', domain)) throw ApiErrors.sendScope(domain);
}

function domainOfSender(body: unknown): string | undefined {
  const given = WithSender.safeParse(body);
  const sender = given.success ? parseEmailAddress(given.data.from.email) : undefined;
  return sender?.ok ? sender.address.domain : undefined;
}

function domainOfReplay({ status, bytes }: ApiResponse): string | undefined {
  if (status !== 202) return undefined;
  const messageId = SendResponse.parse(JSON.parse(bytes.toString())).data.find(({ id }) => id !== null)?.id;
  return messageId?.slice(messageId.lastIndexOf('@') + 1, -1);
}
