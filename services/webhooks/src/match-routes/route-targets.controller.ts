import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { z } from 'zod';
import { RouteTargetsRequest, type RouteTarget } from '@postmesh/contracts';
import { body, Internal } from '@postmesh/service-host';

/** Where the dispatcher posts to at an attempt, what is to be in the body, and the sealed secret with which it signs. */
@Internal()
@Controller('internal/route-targets')
export class RouteTargetsController {
  constructor(private readonly dataSource: DataSource) {}

  /** Routes that are disabled or deleted are left out: their pending deliveries end. */
  @Post()
  @HttpCode(200)
  async find(
    @Body(body(RouteTargetsRequest)) { route_ids }: z.infer<typeof RouteTargetsRequest>,
  ): Promise<{ targets: RouteTarget[] }> {
    const targets: RouteTarget[] = await this.dataSource.query(
      `select id as route_id, url, sealed_secret, attachments, headers, strip_replies
       from routes where id = any($1::uuid[]) and enabled`,
      [route_ids],
    );
    return { targets };
  }
}
