import { z } from 'zod';
import { ApiError, BooleanParameter, normaliseDomain, oneOf } from '@postmesh/contracts';
import type { WebhookEntity } from '../database/webhook.entity.js';
import {
  CallCounts,
  callCounts,
  EndpointErrors,
  FirstFields,
  firstFields,
  MAX_NAME,
  nameOf,
  NewSecret,
  TargetUrl,
} from '../endpoints/endpoint.schema.js';
import {
  EVENT_FLAGS,
  EVENT_TYPES,
  perEvent,
  WEBHOOK_EVENTS,
  type EventFlag,
} from '../webhook-events/webhook-events.table.js';

// The limit of domains per account (spec 1-platform §16); a longer list only costs memory.
const MAX_DOMAINS = 10_000;

const name = nameOf(z.string());
const scope = z.enum(['global', 'scoped']).meta({
  description: '`global`: events of all domains; `scoped`: of the listed ones.',
});
const domains = z.array(z.string()).max(MAX_DOMAINS).nullish().meta({
  description: 'Domains of the account. Needed when `scoped`, ignored when `global`.',
});
const flag = z.boolean().nullish();

const optional = { enabled: flag, ...perEvent(() => flag) };

export const CreateBody = z.object({ name, url: TargetUrl, scope, domains, ...optional });
export type CreateBody = z.infer<typeof CreateBody>;

export const UpdateBody = z.object({
  name: name.nullish(),
  url: TargetUrl.nullish(),
  scope: scope.nullish(),
  domains,
  ...optional,
});
export type UpdateBody = z.infer<typeof UpdateBody>;

/**
 * The canonical spelling of each domain, without duplicates, in the given order.
 * @throws ApiError 400 for an invalid domain name, which cannot be the account's
 */
export function normaliseDomains(given: readonly string[]): string[] {
  return [
    ...new Set(
      given.map((text) => {
        const domain = normaliseDomain(text);
        if (domain === undefined) throw EndpointErrors.unknownDomain(text);
        return domain;
      }),
    ),
  ];
}

const EventType = z.enum(EVENT_TYPES);

/** The types of events to trigger. */
export const TriggerBody = z.object({
  events: z.array(z.string()).meta({
    description: `Each of them one of \`${EventType.options.join('`, `')}\`.`,
    minItems: 1,
  }),
});
export type TriggerBody = z.infer<typeof TriggerBody>;

/** @throws ApiError 400 for an empty list and for the first unknown type */
export function parseEventTypes(given: readonly string[]): EventFlag[] {
  if (given.length === 0) throw new ApiError(400, 'events must not be empty');
  const unknown = given.find((type) => !EventType.safeParse(type).success);
  if (unknown !== undefined)
    throw new ApiError(400, `unknown event type: ${unknown.slice(0, MAX_NAME)}${oneOf(EVENT_TYPES)}`);
  return EVENT_FLAGS.filter((flag) => given.includes(WEBHOOK_EVENTS[flag].type));
}

export type WebhookFilters = Partial<Record<EventFlag | 'enabled', boolean>>;

const FILTERS = ['enabled', ...EVENT_FLAGS] as const;

const filter = BooleanParameter.optional().meta({ description: 'Only webhooks with this value.' });

/** The filters of a list of webhooks, in the form of the query (spec 2-messages §17). */
export const ListWebhooksQuery = z.object(
  Object.fromEntries(FILTERS.map((name) => [name, filter])) as Record<keyof WebhookFilters, typeof filter>,
);

/** @throws ApiError 400 for a filter that is neither `true` nor `false` */
export function parseFilters(query: Readonly<Record<string, string | undefined>>): WebhookFilters {
  const filters: WebhookFilters = {};
  for (const name of FILTERS) {
    const value = filter.safeParse(query[name]);
    if (!value.success) throw new ApiError(400, `invalid ${name}, must be true or false`);
    if (value.data !== undefined) filters[name] = value.data;
  }
  return filters;
}

/** The public form (spec 0-interface §2.9). */
export const WebhookResource = z
  .object({
    object: z.literal('webhook'),
    ...FirstFields,
    enabled: z.boolean(),
    ...perEvent(() => z.boolean()),
    scope: z.enum(['global', 'scoped']),
    domains: z.array(z.string()).meta({ description: 'Empty for a global webhook.' }),
    ...CallCounts,
  })
  .meta({ id: 'Webhook', description: 'A subscription to events.' });
export type WebhookResource = z.infer<typeof WebhookResource>;

/** The response to a create, the only one with the signing secret. */
export const NewWebhookResource = WebhookResource.extend({ secret: NewSecret }).meta({
  id: 'NewWebhook',
  description: 'A subscription to events, with its signing secret.',
});
export type NewWebhookResource = z.infer<typeof NewWebhookResource>;

export function webhookResource(row: WebhookEntity): WebhookResource {
  return {
    object: 'webhook',
    ...firstFields(row),
    enabled: row.enabled,
    ...perEvent((flag) => row.events.includes(flag)),
    scope: row.scope,
    domains: row.domains,
    ...callCounts(row),
  };
}
