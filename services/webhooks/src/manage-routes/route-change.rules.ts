import type { OwnFields } from '../database/endpoint.entity.js';
import type { RouteEntity } from '../database/route.entity.js';
import { givenUrl } from '../database/target-url.js';
import { readPattern } from '../match-routes/recipient-pattern.rules.js';
import { RouteErrors, type CreateRouteBody, type UpdateRouteBody } from './route.schema.js';

const FLAGS = ['attachments', 'headers', 'group_by_message_id', 'strip_replies'] as const;

/** The fields of a route that its owner sets, and the domain that follows from them. */
export type RouteFields = Omit<OwnFields<RouteEntity>, 'recipient_domain_id'>;

export interface RouteChange {
  fields: RouteFields;
  /** the recipient changes: its domain must be authorised as well */
  changesRecipient: boolean;
  /** the account must have this domain now: the request names it, or the route is enabled again */
  neededDomain: string | null;
  /** true when any field changes */
  changes: boolean;
}

export function newRoute(body: CreateRouteBody): RouteFields {
  const { name, url } = body;
  return {
    name,
    url,
    ...recipientOf(body.recipient),
    ...perFlag((flag) => body[flag] ?? false),
    enabled: body.enabled ?? true,
  };
}

/** The result of an update: omitted and null fields stay. @param now with its whole URL */
export function changeRoute(now: RouteFields, body: UpdateRouteBody): RouteChange {
  const recipient = recipientOf(body.recipient ?? now.recipient);
  const fields: RouteFields = {
    name: body.name ?? now.name,
    url: body.url ? givenUrl(body.url, now.url) : now.url,
    ...recipient,
    ...perFlag((flag) => body[flag] ?? now[flag]),
    enabled: body.enabled ?? now.enabled,
  };
  const begins = fields.enabled && !now.enabled;
  const namesRecipient = (body.recipient ?? null) !== null;
  return {
    fields,
    changesRecipient: recipient.recipient !== now.recipient,
    neededDomain: namesRecipient || begins ? recipient.recipient_domain : null,
    changes: Object.entries(fields).some(([name, value]) => now[name as keyof RouteFields] !== value),
  };
}

function recipientOf(text: string): Pick<RouteFields, 'recipient' | 'recipient_domain'> {
  const pattern = readPattern(text);
  if (!pattern) throw RouteErrors.invalidRecipient();
  return { recipient: pattern.recipient, recipient_domain: pattern.domain };
}

const perFlag = (valueOf: (flag: (typeof FLAGS)[number]) => boolean) =>
  Object.fromEntries(FLAGS.map((flag) => [flag, valueOf(flag)])) as Record<(typeof FLAGS)[number], boolean>;
