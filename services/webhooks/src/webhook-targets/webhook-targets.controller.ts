import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import type { z } from 'zod';
import { WebhookTargetsRequest, type WebhookTarget } from '@postmesh/contracts';
import { SecretBox } from '@postmesh/secrets';
import { body, Internal } from '@postmesh/service-host';
import { DataSource } from 'typeorm';
import { SEALED_WEBHOOK_URLS, wholeUrl, type StoredUrl } from '../database/target-url.js';

/** Where the dispatcher posts to at an attempt, and the sealed secret with which it signs (ADR 18). */
@Internal()
@Controller('internal/webhook-targets')
export class WebhookTargetsController {
  constructor(
    private readonly dataSource: DataSource,
    private readonly secrets: SecretBox,
  ) {}

  /** Webhooks that are disabled or deleted are left out: their pending deliveries end. */
  @Post()
  @HttpCode(200)
  async find(
    @Body(body(WebhookTargetsRequest)) { webhook_ids }: z.infer<typeof WebhookTargetsRequest>,
  ): Promise<{ targets: WebhookTarget[] }> {
    const rows: (WebhookTarget & StoredUrl)[] = await this.dataSource.query(
      `select id as webhook_id, url, sealed_url, sealed_secret from webhooks
       where id = any($1::uuid[]) and enabled`,
      [webhook_ids],
    );
    const targets = rows.map(({ sealed_url, ...row }) => {
      const about = SEALED_WEBHOOK_URLS.about(row.webhook_id);
      return { ...row, url: wholeUrl({ url: row.url, sealed_url }, about, this.secrets) };
    });
    return { targets };
  }
}
