import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { z } from 'zod';
import { RouteTargetsRequest, type RouteTarget } from '@postmesh/contracts';
import { SecretBox } from '@postmesh/secrets';
import { body, Internal } from '@postmesh/service-host';
import { SEALED_ROUTE_URLS, wholeUrl, type StoredUrl } from '../database/target-url.js';

/** Where the dispatcher posts to at an attempt, what is to be in the body, and the sealed secret with which it signs. */
@Internal()
@Controller('internal/route-targets')
export class RouteTargetsController {
  constructor(
    private readonly dataSource: DataSource,
    private readonly secrets: SecretBox,
  ) {}

  /** Routes that are disabled or deleted are left out: their pending deliveries end. */
  @Post()
  @HttpCode(200)
  async find(
    @Body(body(RouteTargetsRequest)) { route_ids }: z.infer<typeof RouteTargetsRequest>,
  ): Promise<{ targets: RouteTarget[] }> {
    const rows: (RouteTarget & StoredUrl)[] = await this.dataSource.query(
      `select id as route_id, url, sealed_url, sealed_secret, attachments, headers, strip_replies
       from routes where id = any($1::uuid[]) and enabled`,
      [route_ids],
    );
    const targets = rows.map(({ sealed_url, ...row }) => {
      const about = SEALED_ROUTE_URLS.about(row.route_id);
      return { ...row, url: wholeUrl({ url: row.url, sealed_url }, about, this.secrets) };
    });
    return { targets };
  }
}
