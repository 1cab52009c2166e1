import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { z } from 'zod';
import { ApiError, normaliseDomain, type DomainFacts } from '@postmesh/contracts';
import { Internal } from '@postmesh/service-host';
import { readInternalBody, readInternalId } from '../internal-requests/read-internal.js';
import { domainFacts } from '../sending-domain/domain-facts.rules.js';
import { DomainErrors } from '../sending-domain/domain-errors.js';
import { SendingDomains } from '../sending-domain/sending-domains.repository.js';

const MOST_NAMES = 10_000;
const FindBody = z.object({ domains: z.array(z.string()).max(MOST_NAMES) });

/** What other services ask about domains where an event would come too late (architecture §2). */
@Internal()
@Controller('internal/accounts/:account_id/domains')
export class DomainLookupController {
  constructor(private readonly domains: SendingDomains) {}

  @Get(':domain')
  async get(@Param('account_id') account: string, @Param('domain') domain: string): Promise<DomainFacts> {
    const found = await this.domains.find(
      readInternalId('account_id', account),
      normaliseDomain(domain) ?? '',
    );
    if (!found) throw DomainErrors.notFound();
    return domainFacts(found);
  }

  /** Facts of those names that the account has; the others are left out. */
  @Post('find')
  @HttpCode(200)
  async find(@Param('account_id') account: string, @Body() body: unknown): Promise<DomainFacts[]> {
    const names = readNames(body).flatMap((name) => normaliseDomain(name) ?? []);
    const found = await this.domains.findNamed(readInternalId('account_id', account), names);
    return found.map(domainFacts);
  }
}

/** @throws ApiError 400 */
function readNames(body: unknown): string[] {
  const parsed = FindBody.safeParse(readInternalBody(body));
  if (!parsed.success) throw new ApiError(400, z.prettifyError(parsed.error));
  return parsed.data.domains;
}
