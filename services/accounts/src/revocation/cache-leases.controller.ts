import { Body, Controller, Delete, HttpCode, Param, Post } from '@nestjs/common';
import { CacheLeaseRequest, type CacheLeaseResponse } from '@postmesh/contracts';
import { Internal } from '@postmesh/service-host';
import { parseInternal } from '../internal-requests/parse-internal.js';
import { CacheLeases } from './cache-leases.js';

@Controller('internal/cache-leases')
@Internal()
export class CacheLeasesController {
  constructor(private readonly leases: CacheLeases) {}

  @Post()
  @HttpCode(200)
  ask(@Body() body: unknown): Promise<CacheLeaseResponse> {
    return this.leases.ask(parseInternal(CacheLeaseRequest, body));
  }

  @Delete(':instance')
  async giveUp(@Param('instance') instance: string): Promise<{ message: string }> {
    await this.leases.giveUp(parseInternal(CacheLeaseRequest.shape.instance, JSON.stringify(instance)));
    return { message: 'lease ended' };
  }
}
