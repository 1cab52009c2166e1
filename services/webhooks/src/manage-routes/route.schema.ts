import { z } from 'zod';
import { ApiError, isLongerThan, trimText } from '@postmesh/contracts';
import type { RouteEntity } from '../database/route.entity.js';
import {
  CallCounts,
  callCounts,
  FirstFields,
  firstFields,
  nameOf,
  NewSecret,
  TargetUrl,
} from '../endpoints/endpoint.schema.js';
import { readPattern } from '../match-routes/recipient-pattern.rules.js';

const MAX_RECIPIENT = 255;
const INVALID_RECIPIENT = 'invalid recipient: give <pattern>@<one of your domains>';

const name = nameOf(z.string().overwrite(trimText));

const recipient = z
  .string()
  .refine((text) => !isLongerThan(text, MAX_RECIPIENT), {
    message: `recipient must be at most ${MAX_RECIPIENT} characters`,
    abort: true,
  })
  .refine((text) => readPattern(text) !== undefined, { message: INVALID_RECIPIENT })
  .meta({
    maxLength: MAX_RECIPIENT,
    description:
      '`<local pattern>@<domain>` with one domain of the account; `*` in the local part matches any run of characters. Empty: every address of the account.',
  });

const flag = z.boolean().nullish();
const flags = {
  attachments: flag.meta({ description: 'Sends attachments along.' }),
  headers: flag.meta({ description: 'Includes the header fields.' }),
  group_by_message_id: flag.meta({
    description: 'One call per message instead of one per matching recipient.',
  }),
  strip_replies: flag.meta({ description: 'Adds the new text of a reply without its quotes.' }),
  enabled: flag,
};

export const CreateRouteBody = z.object({ name, url: TargetUrl, recipient, ...flags });
export type CreateRouteBody = z.infer<typeof CreateRouteBody>;

export const UpdateRouteBody = z.object({
  name: name.nullish(),
  url: TargetUrl.nullish(),
  recipient: recipient.nullish(),
  ...flags,
});
export type UpdateRouteBody = z.infer<typeof UpdateRouteBody>;

/** `{}` or an empty body */
export const TriggerRouteBody = z.object({});

export const ListRoutesQuery = z.object({
  domain: z.string().optional().meta({
    description:
      'Only routes of this recipient domain. A key with domain scopes has to name one of its domains.',
  }),
});
export type ListRoutesQuery = z.infer<typeof ListRoutesQuery>;

export const RouteErrors = {
  invalidRecipient: () => new ApiError(400, INVALID_RECIPIENT),
  domainNotFound: (domain: string) => new ApiError(400, `domain not found: ${domain}`),
  recipientDomainNotFound: (domain: string) => new ApiError(400, `recipient domain not found: ${domain}`),
} as const;

/** The public form (spec 1-platform §13.1). */
export const RouteResource = z
  .object({
    object: z.literal('route'),
    ...FirstFields,
    recipient: z.string().meta({ description: 'Empty: every address of the account.' }),
    attachments: z.boolean(),
    headers: z.boolean(),
    group_by_message_id: z.boolean(),
    strip_replies: z.boolean(),
    enabled: z.boolean(),
    ...CallCounts,
  })
  .meta({ id: 'Route', description: 'A URL to which inbound mail for some addresses is posted.' });
export type RouteResource = z.infer<typeof RouteResource>;

/** The response to a create, the only one with the signing secret. */
export const NewRouteResource = RouteResource.extend({ secret: NewSecret }).meta({
  id: 'NewRoute',
  description: 'A route, with its signing secret.',
});
export type NewRouteResource = z.infer<typeof NewRouteResource>;

export function routeResource(row: RouteEntity): RouteResource {
  return {
    object: 'route',
    ...firstFields(row),
    recipient: row.recipient,
    attachments: row.attachments,
    headers: row.headers,
    group_by_message_id: row.group_by_message_id,
    strip_replies: row.strip_replies,
    enabled: row.enabled,
    ...callCounts(row),
  };
}
