import { z } from 'zod';
import { ApiError, isLongerThan, Timestamp, trimText } from '@postmesh/contracts';
import { INVALID_URL, MAX_URL_LENGTH, readTargetUrl } from '@postmesh/outgoing-http';
import type { RouteEntity } from '../database/route.entity.js';
import { readPattern } from '../match-routes/recipient-pattern.rules.js';

const MAX_TEXT = 255;
const INVALID_RECIPIENT = 'invalid recipient: give <pattern>@<one of your domains>';

const tooLong = (field: string) => ({ message: `${field} must be at most ${MAX_TEXT} characters` });

const name = z
  .string()
  .overwrite(trimText)
  .min(1)
  .refine((text) => !isLongerThan(text, MAX_TEXT), tooLong('name'))
  // Postgres keeps no such character
  .refine((text) => !text.includes('\u0000'), { message: 'name must not contain a NUL character' })
  .meta({ maxLength: MAX_TEXT });

const url = z
  .string()
  .max(MAX_URL_LENGTH)
  .refine((text) => readTargetUrl(text) !== undefined, { message: INVALID_URL })
  .meta({ format: 'uri', description: 'Absolute, http or https, at a public address.' });

const recipient = z
  .string()
  .refine((text) => !isLongerThan(text, MAX_TEXT), { ...tooLong('recipient'), abort: true })
  .refine((text) => readPattern(text) !== undefined, { message: INVALID_RECIPIENT })
  .meta({
    maxLength: MAX_TEXT,
    description:
      '`<local pattern>@<domain>` with one domain of the account; `*` in the local part stands for any run of characters. Empty: every address of the account.',
  });

const flag = z.boolean().nullish();
const flags = {
  attachments: flag.meta({ description: 'Sends attachments along.' }),
  headers: flag.meta({ description: 'Sends the header fields along.' }),
  group_by_message_id: flag.meta({
    description: 'One call per message instead of one per recipient that matches.',
  }),
  strip_replies: flag.meta({ description: 'Sends the new text of a reply apart from what it quotes.' }),
  enabled: flag,
};

export const CreateRouteBody = z.object({ name, url, recipient, ...flags });
export type CreateRouteBody = z.infer<typeof CreateRouteBody>;

export const UpdateRouteBody = z.object({
  name: name.nullish(),
  url: url.nullish(),
  recipient: recipient.nullish(),
  ...flags,
});
export type UpdateRouteBody = z.infer<typeof UpdateRouteBody>;

/** `{}` or nothing at all */
export const TriggerRouteBody = z.object({});

export const READ_ONLY_ROUTE_FIELDS = [
  'object',
  'id',
  'account_id',
  'created_at',
  'updated_at',
  'success_count',
  'error_count',
  'errors_since_last_success',
  'last_request_at',
  'secret',
] as const;

export const ListRoutesQuery = z.object({
  domain: z.string().optional().meta({
    description: 'Only routes of this recipient domain. A key with domain scopes has to name one of its own.',
  }),
});
export type ListRoutesQuery = z.infer<typeof ListRoutesQuery>;

export const RouteErrors = {
  invalidRecipient: () => new ApiError(400, INVALID_RECIPIENT),
  domainNotFound: (domain: string) => new ApiError(400, `domain not found: ${domain}`),
  recipientDomainNotFound: (domain: string) => new ApiError(400, `recipient domain not found: ${domain}`),
  limitReached: () => new ApiError(403, 'route limit reached'),
  disabled: () => new ApiError(409, 'route is disabled'),
} as const;

const count = z.number().int().min(0);

/** The public form (spec 1-platform §13.1). */
export const RouteResource = z
  .object({
    object: z.literal('route'),
    id: z.uuid(),
    created_at: Timestamp,
    updated_at: Timestamp,
    name: z.string(),
    url: z.string(),
    recipient: z.string().meta({ description: 'Empty: every address of the account.' }),
    attachments: z.boolean(),
    headers: z.boolean(),
    group_by_message_id: z.boolean(),
    strip_replies: z.boolean(),
    enabled: z.boolean(),
    success_count: count,
    error_count: count,
    errors_since_last_success: count,
    last_request_at: Timestamp.nullable(),
  })
  .meta({ id: 'Route', description: 'Where inbound mail to some addresses is posted.' });
export type RouteResource = z.infer<typeof RouteResource>;

/** The response of create, which alone shows the signing secret. */
export const NewRouteResource = RouteResource.extend({
  secret: z.string().meta({ description: 'Signs every call. Shown this once.' }),
}).meta({ id: 'NewRoute', description: 'A route, with its signing secret.' });
export type NewRouteResource = z.infer<typeof NewRouteResource>;

export function routeResource(row: RouteEntity): RouteResource {
  return {
    object: 'route',
    id: row.id,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    name: row.name,
    url: row.url,
    recipient: row.recipient,
    attachments: row.attachments,
    headers: row.headers,
    group_by_message_id: row.group_by_message_id,
    strip_replies: row.strip_replies,
    enabled: row.enabled,
    success_count: Number(row.success_count),
    error_count: Number(row.error_count),
    errors_since_last_success: row.errors_since_last_success,
    last_request_at: row.last_request_at?.toISOString() ?? null,
  };
}
