import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { ApiError, DomainCountsRequest, type DomainCounts } from '@postmesh/contracts';
import { Internal } from '@postmesh/service-host';
import { readInternalBody } from '../internal-requests/read-internal.js';

/** How many domains accounts have now. */
@Internal()
@Controller('internal/domains/counts')
export class DomainCountsController {
  constructor(private readonly dataSource: DataSource) {}

  @Post()
  @HttpCode(200)
  async count(@Body() body: unknown): Promise<DomainCounts> {
    const asked = DomainCountsRequest.safeParse(readInternalBody(body));
    if (!asked.success) throw new ApiError(400, z.prettifyError(asked.error));
    const counts: DomainCounts['counts'] = await this.dataSource.query(
      `select account_id, count(*)::int as domain_count from domains
        where account_id = any($1::uuid[]) group by account_id`,
      [asked.data.account_ids],
    );
    return { counts };
  }
}
