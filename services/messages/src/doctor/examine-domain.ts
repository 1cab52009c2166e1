import { Injectable } from '@nestjs/common';
import { ApiErrors, type AccountId } from '@postmesh/contracts';
import { DomainDirectory, DomainDoctor } from '@postmesh/domains-contract';
import { InternalClient } from '@postmesh/http';
import { OwnAddresses } from '../own-addresses/own-addresses.js';
import { DomainFigures } from './domain-figures.js';
import { FeedbackOfDomain } from './feedback-figures.js';

interface ExamineDomainCommand {
  accountId: AccountId;
  /** normalised */
  domain: string;
}

/**
 * The doctor of a domain: the domains service looks and judges, and gets the figures of its mail, and the addresses of
 * operators' sources, from here.
 */
@Injectable()
export class ExamineDomain {
  constructor(
    private readonly domains: DomainDirectory,
    private readonly figures: DomainFigures,
    private readonly feedback: FeedbackOfDomain,
    private readonly own: OwnAddresses,
    private readonly client: InternalClient,
  ) {}

  /** @throws ApiError 404; Transient while the domains service is unavailable */
  async execute({ accountId, domain }: ExamineDomainCommand): Promise<DomainDoctor> {
    const facts = await this.domains.find(accountId, domain);
    if (!facts) throw ApiErrors.notFound('domain');
    const [figures, feedback, egress] = await Promise.all([
      this.figures.of(accountId, facts),
      this.feedback.of(accountId, domain),
      this.own.ofOperators(),
    ]);
    const path = `/internal/accounts/${accountId}/domains/${encodeURIComponent(domain)}/doctor`;
    const request = { method: 'POST' as const, path, body: { figures, feedback, egress } };
    const found = await this.client.request('domains', request, DomainDoctor);
    if (!found) throw ApiErrors.notFound('domain');
    return found;
  }
}
