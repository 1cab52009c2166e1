import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { ApiError, type AccountId } from '@postmesh/contracts';
import { DomainDirectory, DomainFacts } from '@postmesh/domains-contract';
import { InternalClient } from '@postmesh/http';
import { parseEmailAddress } from '@postmesh/mail-format';
import type { CampaignSender } from './campaign.js';
import type { SenderInput } from './campaign.schema.js';

const Found = z.array(DomainFacts);

/** Facts of campaign senders from the domains service. Not to be queried within a transaction. */
@Injectable()
export class CampaignSenders {
  constructor(
    private readonly directory: DomainDirectory,
    private readonly client: InternalClient,
  ) {}

  /** @returns undefined without a sender, and when the account does not have its domain */
  async find(accountId: AccountId, from: Pick<CampaignSender, 'domain'> | null) {
    return from ? this.directory.find(accountId, from.domain) : undefined;
  }

  /** The senders of a page, with one request. @returns facts by domain */
  async findAll(
    accountId: AccountId,
    senders: readonly (CampaignSender | null)[],
  ): Promise<Map<string, DomainFacts>> {
    const domains = [...new Set(senders.flatMap((from) => from?.domain ?? []))];
    if (domains.length === 0) return new Map();
    const path = `/internal/accounts/${accountId}/domains/find`;
    const found = await this.client.request('domains', { method: 'POST', path, body: { domains } }, Found);
    return new Map((found ?? []).map((facts) => [facts.domain, facts]));
  }
}

/** The domain of a valid address. */
export function domainOf(email: string): string {
  const parsed = parseEmailAddress(email);
  return parsed.ok ? parsed.address.domain : '';
}

/**
 * Checks the sender of a request (spec 3-marketing §3.2.1).
 * @param facts of the domain of its address
 * @throws ApiError 400
 */
export function requireSender(
  given: NonNullable<SenderInput>,
  facts: DomainFacts | undefined,
): CampaignSender {
  const parsed = parseEmailAddress(given.email);
  if (parsed.ok && parsed.address.needsSmtpUtf8) {
    throw new ApiError(400, 'from.email must be an ASCII address');
  }
  if (!facts || facts.deleted || !facts.dns_valid || facts.paused) {
    throw new ApiError(400, 'from.email must be on one of your domains with valid DNS records');
  }
  return { email: given.email, name: given.name ?? '', domain: facts.domain, domainId: facts.domain_id };
}
