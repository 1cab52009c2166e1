import { Body, Controller, Delete, HttpCode, Post } from '@nestjs/common';
import { CacheLeaseRequest, type CacheLeaseResponse } from '@postmesh/contracts';
import { Internal, uuidParam } from '@postmesh/service-host';
import { internalBody } from '../internal-requests/internal-body.js';
import { CacheLeases } from './cache-leases.js';

@Controller('internal/cache-leases')
@Internal()
export class CacheLeasesController {
  constructor(private readonly leases: CacheLeases) {}

  @Post()
  @HttpCode(200)
  ask(@Body(internalBody(CacheLeaseRequest)) request: CacheLeaseRequest): Promise<CacheLeaseResponse> {
    return this.leases.ask(request);
  }

  @Delete(':instance')
  async giveUp(@uuidParam('instance') instance: string): Promise<{ message: string }> {
    await this.leases.giveUp(instance);
    return { message: 'lease ended' };
  }
}
