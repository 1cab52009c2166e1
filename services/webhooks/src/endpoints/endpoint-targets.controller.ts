import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { z } from 'zod';
import {
  RouteTargetsRequest,
  WebhookTargetsRequest,
  type RouteTarget,
  type WebhookTarget,
} from '@postmesh/webhooks-contract';
import { SecretBox } from '@postmesh/secrets';
import { body, Internal } from '@postmesh/service-host';
import { wholeUrl, type StoredUrl } from '../database/target-url.js';
import type { DialectFields } from '../database/webhook.entity.js';
import { ROUTE, WEBHOOK, type EndpointKind } from './endpoint-kinds.js';

/**
 * The target of an attempt for the dispatcher: the URL, the parts of a message in the body, and the sealed signing secret
 * (ADR 18). Endpoints that are disabled or deleted are left out: their pending deliveries end.
 */
@Internal()
@Controller('internal')
export class EndpointTargetsController {
  constructor(
    private readonly dataSource: DataSource,
    private readonly secrets: SecretBox,
  ) {}

  @Post('webhook-targets')
  @HttpCode(200)
  async webhooks(
    @Body(body(WebhookTargetsRequest)) { webhook_ids }: z.infer<typeof WebhookTargetsRequest>,
  ): Promise<{ targets: WebhookTarget[] }> {
    const columns = ', dialect, sealed_dialect_secret';
    const rows: WebhookRow[] = await this.dataSource.query(enabled(WEBHOOK, columns), [webhook_ids]);
    const targets = rows.map(({ id, sealed_url, dialect, sealed_dialect_secret, ...row }) => ({
      webhook_id: id,
      ...row,
      ...(dialect === null ? {} : { dialect: { name: dialect, sealed_secret: sealed_dialect_secret } }),
      url: this.wholeUrl(WEBHOOK, { ...row, id, sealed_url }),
    }));
    return { targets };
  }

  @Post('route-targets')
  @HttpCode(200)
  async routes(
    @Body(body(RouteTargetsRequest)) { route_ids }: z.infer<typeof RouteTargetsRequest>,
  ): Promise<{ targets: RouteTarget[] }> {
    const columns = ', attachments, headers, strip_replies';
    const rows: RouteRow[] = await this.dataSource.query(enabled(ROUTE, columns), [route_ids]);
    const targets = rows.map(({ id, sealed_url, ...row }) => ({
      route_id: id,
      ...row,
      url: this.wholeUrl(ROUTE, { ...row, id, sealed_url }),
    }));
    return { targets };
  }

  private wholeUrl({ sealedUrl }: EndpointKind, row: StoredUrl & { id: string }): string {
    return wholeUrl(row, sealedUrl.about(row.id), this.secrets);
  }
}

type WebhookRow = StoredUrl & { id: string } & DialectFields & Omit<WebhookTarget, 'webhook_id' | 'dialect'>;
type RouteRow = StoredUrl & { id: string } & Omit<RouteTarget, 'route_id'>;

const enabled = ({ table }: EndpointKind, columns: string) =>
  `select id, url, sealed_url, sealed_secret${columns} from ${table} where id = any($1::uuid[]) and enabled`;
