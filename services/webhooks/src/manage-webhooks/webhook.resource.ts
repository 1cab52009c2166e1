import type { WebhookEntity } from '../database/entities/index.js';

/** The public form (spec 0-interface, Webhook). The secret is added by the create answer alone. */
export function webhookResource(row: WebhookEntity) {
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
