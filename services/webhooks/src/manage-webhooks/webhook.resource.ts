import { z } from 'zod';
import { Timestamp } from '@postmesh/contracts';
import type { WebhookEntity } from '../database/entities/index.js';

const count = z.number().int().min(0);

/** The public form (spec 0-interface §2.9). */
export const WebhookResource = z
  .object({
    object: z.literal('webhook'),
    id: z.uuid(),
    created_at: Timestamp,
    updated_at: Timestamp,
    name: z.string(),
    url: z.string(),
    enabled: z.boolean(),
    on_reception: z.boolean(),
    on_delivered: z.boolean(),
    on_transient_error: z.boolean(),
    on_failed: z.boolean(),
    on_bounced: z.boolean(),
    on_suppressed: z.boolean(),
    on_opened: z.boolean(),
    on_clicked: z.boolean(),
    on_suppression_created: z.boolean(),
    on_dns_error: z.boolean(),
    scope: z.enum(['global', 'scoped']),
    domains: z.array(z.string()).meta({ description: 'Empty for a global webhook.' }),
    success_count: count,
    error_count: count,
    errors_since_last_success: count,
    last_request_at: Timestamp.nullable(),
  })
  .meta({ id: 'Webhook', description: 'A subscription to events.' });
export type WebhookResource = z.infer<typeof WebhookResource>;

/** The answer of create, which alone shows the signing secret. */
export const NewWebhookResource = WebhookResource.extend({
  secret: z.string().meta({ description: 'Signs every call. Shown this once.' }),
}).meta({ id: 'NewWebhook', description: 'A subscription to events, with its signing secret.' });
export type NewWebhookResource = z.infer<typeof NewWebhookResource>;

export function webhookResource(row: WebhookEntity): WebhookResource {
  return {
    object: 'webhook',
    id: row.id,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    name: row.name,
    url: row.url,
    enabled: row.enabled,
    on_reception: row.on_reception,
    on_delivered: row.on_delivered,
    on_transient_error: row.on_transient_error,
    on_failed: row.on_failed,
    on_bounced: row.on_bounced,
    on_suppressed: row.on_suppressed,
    on_opened: row.on_opened,
    on_clicked: row.on_clicked,
    on_suppression_created: row.on_suppression_created,
    on_dns_error: row.on_dns_error,
    scope: row.scope,
    domains: row.domains,
    success_count: Number(row.success_count),
    error_count: Number(row.error_count),
    errors_since_last_success: row.errors_since_last_success,
    last_request_at: row.last_request_at?.toISOString() ?? null,
  };
}
