import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { eachBounded, withTimeout } from '@postmesh/concurrency';
import { MailHostsRequest, type MailHosts, type MailHostsResponse } from '@postmesh/delivery-worker-contract';
import { body, Internal } from '@postmesh/service-host';
import { MxResolver } from './mx-resolver.js';
import { mailHostsOf } from './mx.rules.js';

// Most look-ups end within a tenth of a second. A slower one continues, and its result is cached for the next request.
const WAIT_MS = 5_000;
const WIDTH = 25;

/** For the marketing service, which checks the domains of contacts before it sends to them. */
@Internal()
@Controller('internal/mail-hosts')
export class MailHostsController {
  constructor(private readonly mx: MxResolver) {}

  @Post()
  @HttpCode(200)
  async find(@Body(body(MailHostsRequest)) { domains }: MailHostsRequest): Promise<MailHostsResponse> {
    const found = new Map<string, MailHosts>();
    await eachBounded(new Set(domains), WIDTH, async (domain) => {
      const result = await withTimeout(this.mx.resolve(domain), WAIT_MS, 'DNS').catch(() => undefined);
      found.set(domain, result === undefined ? 'unknown' : mailHostsOf(result));
    });
    return { domains: domains.map((domain) => ({ domain, hosts: found.get(domain) ?? 'unknown' })) };
  }
}
