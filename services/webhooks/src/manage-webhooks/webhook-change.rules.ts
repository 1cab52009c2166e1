import { ApiError } from '@postmesh/contracts';
import { givenUrl } from '../database/target-url.js';
import type { OwnFields } from '../database/endpoint.entity.js';
import type { DialectFields, WebhookEntity } from '../database/webhook.entity.js';
import { EVENT_FLAGS, type EventFlag } from '../webhook-events/webhook-events.table.js';
import { normaliseDomains, type CreateBody, type UpdateBody } from './webhook.schema.js';

export type WebhookFields = Omit<OwnFields<WebhookEntity>, keyof DialectFields>;

export interface WebhookChange {
  fields: WebhookFields;
  /** domains in the request: each must be the account's */
  namedDomains: string[];
  /** added domains: each must be authorised */
  newDomains: string[];
  turnsGlobal: boolean;
}

const domainsNeeded = () => new ApiError(400, 'domains must not be empty');

const eventNeeded = () => new ApiError(400, `at least one event must be on: ${EVENT_FLAGS.join(', ')}`);

/** @throws ApiError 400 when a scoped webhook names no domain, or no event is on */
export function newWebhook(body: CreateBody): WebhookFields {
  const domains = body.scope === 'scoped' ? normaliseDomains(body.domains ?? []) : [];
  if (body.scope === 'scoped' && domains.length === 0) throw domainsNeeded();
  const { name, url, scope } = body;
  const events = eventsOf([], body);
  if (events.length === 0) throw eventNeeded();
  return { name, url, scope, domains, enabled: body.enabled ?? true, events };
}

/**
 * The result of an update: omitted and null fields stay.
 * @param now with its whole URL
 * @throws ApiError 400 when a global webhook turns scoped without naming domains, or its last event is turned off
 */
export function changeWebhook(now: WebhookFields, body: UpdateBody): WebhookChange {
  const scope = body.scope ?? now.scope;
  const named = scope === 'scoped' && body.domains ? normaliseDomains(body.domains) : [];
  if (now.scope === 'global' && scope === 'scoped' && named.length === 0) throw domainsNeeded();
  const keeps = scope === 'scoped' && !body.domains;
  const events = eventsOf(now.events, body);
  // a webhook created without events can still be renamed
  if (now.events.length > 0 && events.length === 0) throw eventNeeded();
  return {
    fields: {
      name: body.name ?? now.name,
      url: body.url ? givenUrl(body.url, now.url) : now.url,
      scope,
      domains: keeps ? now.domains : named,
      enabled: body.enabled ?? now.enabled,
      events,
    },
    namedDomains: named,
    newDomains: named.filter((domain) => !now.domains.includes(domain)),
    turnsGlobal: scope === 'global' && now.scope === 'scoped',
  };
}

/** In the order of the table. Events of a newer release, unknown to this one, stay on after them. */
function eventsOf(now: readonly EventFlag[], body: Partial<Record<EventFlag, boolean | null>>): EventFlag[] {
  const known = EVENT_FLAGS.filter((flag) => body[flag] ?? now.includes(flag));
  return [...known, ...now.filter((flag) => !EVENT_FLAGS.includes(flag))];
}
