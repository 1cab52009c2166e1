import { z } from 'zod';
import { ApiError } from '@postmesh/contracts';
import { EVENT_FLAGS, type EventFlag } from '../public-payloads/public-event.rules.js';

export type WebhookFilters = Partial<Record<EventFlag | 'enabled', boolean>>;

const FILTERS = ['enabled', ...EVENT_FLAGS] as const;

const filter = z.enum(['true', 'false']).optional().meta({ description: 'Only webhooks with this value.' });

/** What a list of webhooks can be narrowed to, as it stands in the query (spec 2-messages §17). */
export const ListWebhooksQuery = z.object(
  Object.fromEntries(FILTERS.map((name) => [name, filter])) as Record<keyof WebhookFilters, typeof filter>,
);

/** @throws ApiError 400 for a filter that is neither `true` nor `false` */
export function parseFilters(query: Readonly<Record<string, string | undefined>>): WebhookFilters {
  const filters: WebhookFilters = {};
  for (const name of FILTERS) {
    const value = filter.safeParse(query[name]);
    if (!value.success) throw new ApiError(400, `invalid ${name}, must be true or false`);
    if (value.data !== undefined) filters[name] = value.data === 'true';
  }
  return filters;
}
