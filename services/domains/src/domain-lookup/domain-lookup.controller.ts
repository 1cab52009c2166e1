import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { z } from 'zod';
import {
  DomainCountsRequest,
  DomainOwnersRequest,
  type DomainCounts,
  type DomainFacts,
  type DomainNamesPage,
  type DomainOwners,
  type LinkHost,
} from '@postmesh/domains-contract';
import { normaliseDomain, type AccountId, type DomainId } from '@postmesh/contracts';
import { body, Internal, uuidParam } from '@postmesh/service-host';
import { isDnsValid } from '../database/entities.js';
import { DkimKeys } from '../dkim-keys/dkim-keys.repository.js';
import { effectiveSelector, slotSelector } from '../dns/dns-records.rules.js';
import { AccountSettingsStore } from '../domain-store/account-settings.js';
import { domainFacts, isLinkHost } from '../domain-store/domain-events.rules.js';
import { SendingDomains } from '../domain-store/sending-domains.repository.js';
import { DomainErrors } from '../sending-domains/domain-errors.js';

const MAX_NAMES = 10_000;
const NAMES_PER_PAGE = 1_000;
/** Accounts with a domain of one name; the valid ones come first. */
const MAX_OF_NAME = 50;
const FindBody = z.object({ domains: z.array(z.string()).max(MAX_NAMES) });

/** Queries of other services about domains where an event would be too late (architecture §2). */
@Internal()
@Controller('internal')
export class DomainLookupController {
  constructor(
    private readonly domains: SendingDomains,
    private readonly keys: DkimKeys,
    private readonly accounts: AccountSettingsStore,
  ) {}

  @Get('accounts/:account_id/domains/:domain')
  async get(
    @uuidParam('account_id') accountId: AccountId,
    @Param('domain') name: string,
  ): Promise<DomainFacts> {
    const domain = await this.domains.find(accountId, normaliseDomain(name) ?? '');
    if (!domain) throw DomainErrors.notFound();
    return domainFacts(domain);
  }

  /** All names of an account, page by page. */
  @Get('accounts/:account_id/domains')
  async names(
    @uuidParam('account_id') accountId: AccountId,
    @Query('after') after: string = '',
  ): Promise<DomainNamesPage> {
    const domains = await this.domains.namesAfter(accountId, after, NAMES_PER_PAGE);
    return { domains, next: domains.length < NAMES_PER_PAGE ? null : (domains.at(-1) ?? null) };
  }

  /** Facts of the account's domains among the names, with its defaults; the others are left out. */
  @Post('accounts/:account_id/domains/find')
  @HttpCode(200)
  async find(
    @uuidParam('account_id') accountId: AccountId,
    @Body(body(FindBody)) { domains }: z.infer<typeof FindBody>,
  ): Promise<DomainFacts[]> {
    const names = domains.flatMap((name) => normaliseDomain(name) ?? []);
    const [found, { dsnRecipient }] = await Promise.all([
      this.domains.findNamed(accountId, names),
      this.accounts.of(accountId),
    ]);
    const ofAccount = dsnRecipient === null ? {} : { dsn_recipient: dsnRecipient };
    return found.map((domain) => ({ ...ofAccount, ...domainFacts(domain) }));
  }

  /** A host of links in messages: a domain of any account has its record, and a check has seen it. */
  @Get('link-hosts/:host')
  async linkHost(@Param('host') given: string): Promise<LinkHost> {
    const host = normaliseDomain(given) ?? '';
    const domains = await this.domains.named(host.slice(host.indexOf('.') + 1), MAX_OF_NAME);
    if (!domains.some((domain) => isLinkHost(domain, host))) throw DomainErrors.notFound();
    return { host };
  }

  /** Current number of domains per account. */
  @Post('domains/counts')
  @HttpCode(200)
  async count(
    @Body(body(DomainCountsRequest)) input: z.infer<typeof DomainCountsRequest>,
  ): Promise<DomainCounts> {
    return { counts: await this.domains.countByAccount(input.account_ids) };
  }

  /** The accounts that own the inbound mail of some domains (ADR 49). */
  @Post('domains/owners')
  @HttpCode(200)
  async owners(
    @Body(body(DomainOwnersRequest)) input: z.infer<typeof DomainOwnersRequest>,
  ): Promise<DomainOwners> {
    const names = input.domains.flatMap((name) => normaliseDomain(name) ?? []);
    return { owners: await this.domains.inboundOwners(names) };
  }

  /** Facts of a domain by its id, as addresses of reports have it. */
  @Get('domains/:domain_id')
  async byId(@uuidParam('domain_id') id: DomainId): Promise<DomainFacts> {
    const domain = await this.domains.findById(id);
    if (!domain) throw DomainErrors.notFound();
    return domainFacts(domain);
  }

  /** A domain's signing key, permission to send and host of tracking links, for the delivery worker. */
  @Get('domains/:domain_id/signing-key')
  async signingKey(@uuidParam('domain_id') id: DomainId) {
    const domain = await this.domains.findById(id);
    const key = domain && (await this.keys.findActive(domain));
    if (!key) throw DomainErrors.notFound();
    const { records } = await this.accounts.of(domain.accountId);
    const selector = effectiveSelector(domain, records.account);
    return {
      key_id: key.id,
      domain: domain.domain,
      dns_valid: isDnsValid(domain),
      paused: domain.pausedAt !== null,
      selector: domain.dnsMode === 'managed' ? slotSelector(selector, domain.activeSlot) : selector,
      algorithm: 'rsa-sha256',
      private_key_pem: key.privateKeyPem,
      tracking_host: domainFacts(domain).tracking_host,
    };
  }
}
