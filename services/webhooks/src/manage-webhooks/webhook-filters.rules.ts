import { ApiError } from '@postmesh/contracts';
import { EVENT_FLAGS, type EventFlag } from '../public-payloads/public-event.rules.js';

export type WebhookFilters = Partial<Record<EventFlag | 'enabled', boolean>>;

const FILTERS = ['enabled', ...EVENT_FLAGS] as const;

/** @throws ApiError 400 for a filter that is neither `true` nor `false` */
export function parseFilters(query: Readonly<Record<string, string | undefined>>): WebhookFilters {
  const filters: WebhookFilters = {};
  for (const name of FILTERS) {
    const value = query[name];
    if (value === undefined) continue;
    if (value !== 'true' && value !== 'false') {
      throw new ApiError(400, `invalid ${name}, must be true or false`);
    }
    filters[name] = value === 'true';
  }
  return filters;
}
