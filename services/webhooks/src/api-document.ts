import {
  CreateRouteBody,
  ListRoutesQuery,
  NewRouteResource,
  RouteErrors,
  RouteResource,
  TriggerRouteBody,
  UpdateRouteBody,
} from './manage-routes/route.schema.js';
import { MessageResponse, pageOf, ApiErrors, type ServiceDocument } from '@postmesh/contracts';
import { RecoverBody } from './failing-endpoints/recover.schema.js';
import {
  CreateBody,
  ListWebhooksQuery,
  NewWebhookResource,
  TriggerBody,
  UpdateBody,
  WebhookErrors,
  WebhookResource,
} from './manage-webhooks/webhook.schema.js';

const notFound = { status: 404, when: `\`${ApiErrors.notFound('webhook').message}\`` } as const;
const badDomain = { status: 400, when: 'A domain that is not one of the account.' } as const;
const notPublic = { status: 400, when: 'A `url` that points to a private address.' } as const;

const lacks = (action: 'read' | 'write' | 'delete', family: 'webhooks' | 'routes' = 'webhooks') =>
  ({ status: 403, when: `\`${ApiErrors.missingDomainScope(action, family).message}\`` }) as const;

const noRoute = { status: 404, when: `\`${ApiErrors.notFound('route').message}\`` } as const;
const badRecipient = {
  status: 400,
  when: 'A `recipient` that is no pattern, or whose domain is not one of the account.',
} as const;

/** What the API document says about the operations of this service (spec 2-messages §17). */
export const API_DOCUMENT: ServiceDocument = {
  'webhooks.list': {
    summary: 'List webhooks',
    description: 'A key with domain scopes sees the webhooks that cover one of its domains.',
    query: ListWebhooksQuery,
    paginated: true,
    response: { status: 200, description: 'One page of webhooks.', schema: pageOf(WebhookResource) },
    apiErrors: [lacks('read')],
  },
  'webhooks.create': {
    summary: 'Create a webhook',
    description:
      'A global webhook needs the scope for all domains; a scoped one the scope for each domain that it lists.',
    body: CreateBody,
    example: { name: 'Bounces', url: 'https://hooks.example.com/mail', scope: 'global', on_bounced: true },
    response: { status: 201, description: 'The new webhook with its secret.', schema: NewWebhookResource },
    apiErrors: [
      badDomain,
      notPublic,
      lacks('write'),
      { status: 403, when: `\`${WebhookErrors.limitReached().message}\`` },
    ],
  },
  'webhooks.get': {
    summary: 'Get a webhook',
    response: { status: 200, description: 'The webhook.', schema: WebhookResource },
    apiErrors: [lacks('read'), notFound],
  },
  'webhooks.update': {
    summary: 'Change a webhook',
    description:
      'Fields that are left out, or null, stay. A list of domains replaces the one before. Enabling a webhook again forgets its errors in a row.',
    body: UpdateBody,
    example: { enabled: true },
    response: { status: 200, description: 'The webhook after the change.', schema: WebhookResource },
    apiErrors: [badDomain, notPublic, lacks('write'), notFound],
  },
  'webhooks.delete': {
    summary: 'Delete a webhook',
    description: 'Calls that are still due are dropped.',
    response: {
      status: 200,
      description: 'It is deleted.',
      schema: MessageResponse,
      example: { message: 'webhook deleted successfully' },
    },
    apiErrors: [lacks('delete'), notFound],
  },
  'webhooks.trigger': {
    summary: 'Try a webhook',
    description:
      'Posts made-up events of these types to the URL, one of each, whatever the webhook listens to, signed and counted like any other.',
    body: TriggerBody,
    example: { events: ['message.delivered'] },
    response: {
      status: 202,
      description: 'The calls are queued.',
      schema: MessageResponse,
      example: { message: 'sample events queued' },
    },
    apiErrors: [
      { status: 400, when: 'An unknown event type.' },
      lacks('write'),
      notFound,
      { status: 409, when: `\`${WebhookErrors.disabled().message}\`` },
    ],
  },
  'webhooks.recover': {
    summary: 'Recover what a webhook did not get',
    description:
      'Makes again, with the same `webhook-id`, each call since a time that has not succeeded: those that used up their tries, those that ended because the webhook was disabled, and events of the time while it was. Calls that succeeded are left out. A background task.',
    body: RecoverBody,
    bodyOptional: true,
    example: { since: '2026-01-05T08:00:00Z' },
    response: { status: 202, description: 'The recovery has started.', schema: MessageResponse },
    apiErrors: [
      { status: 400, when: 'A `since` that is no timestamp.' },
      lacks('write'),
      notFound,
      { status: 409, when: `\`${WebhookErrors.disabled().message}\`` },
    ],
  },
  'routes.list': {
    summary: 'List routes',
    description: 'A key with domain scopes has to name one of its domains.',
    query: ListRoutesQuery,
    paginated: true,
    response: { status: 200, description: 'One page of routes.', schema: pageOf(RouteResource) },
    apiErrors: [{ status: 400, when: 'A `domain` that is not one of the account.' }, lacks('read', 'routes')],
  },
  'routes.create': {
    summary: 'Create a route',
    description:
      'Inbound mail whose recipient matches is posted to the URL. A route for every address of the account needs the scope for all domains, any other the scope for its domain.',
    body: CreateRouteBody,
    example: {
      name: 'Tickets',
      url: 'https://hooks.example.com/tickets',
      recipient: 'ticket-*@shop.example',
      strip_replies: true,
    },
    response: { status: 201, description: 'The new route with its secret.', schema: NewRouteResource },
    apiErrors: [
      badRecipient,
      notPublic,
      lacks('write', 'routes'),
      { status: 403, when: `\`${RouteErrors.limitReached().message}\`` },
    ],
  },
  'routes.get': {
    summary: 'Get a route',
    response: { status: 200, description: 'The route.', schema: RouteResource },
    apiErrors: [lacks('read', 'routes'), noRoute],
  },
  'routes.update': {
    summary: 'Change a route',
    description:
      'Fields that are left out, or null, stay. An empty recipient takes every address of the account. Enabling a route again forgets its errors in a row.',
    body: UpdateRouteBody,
    example: { enabled: true },
    response: { status: 200, description: 'The route after the change.', schema: RouteResource },
    apiErrors: [badRecipient, notPublic, lacks('write', 'routes'), noRoute],
  },
  'routes.delete': {
    summary: 'Delete a route',
    description: 'Calls that are still due are dropped.',
    response: {
      status: 200,
      description: 'It is deleted.',
      schema: MessageResponse,
      example: { message: 'route deleted successfully' },
    },
    apiErrors: [lacks('delete', 'routes'), noRoute],
  },
  'routes.trigger': {
    summary: 'Try a route',
    description: 'Posts a made-up message to the URL, signed and counted like any other.',
    body: TriggerRouteBody,
    bodyOptional: true,
    response: {
      status: 202,
      description: 'The call is queued.',
      schema: MessageResponse,
      example: { message: 'sample message queued' },
    },
    apiErrors: [
      lacks('write', 'routes'),
      noRoute,
      { status: 409, when: `\`${RouteErrors.disabled().message}\`` },
    ],
  },
  'routes.recover': {
    summary: 'Recover what a route did not get',
    description:
      'Makes again, with the same `webhook-id`, each call since a time that has not succeeded: those that used up their tries, those that ended because the route was disabled. Calls that succeeded are left out. A background task.',
    body: RecoverBody,
    bodyOptional: true,
    example: { since: '2026-01-05T08:00:00Z' },
    response: { status: 202, description: 'The recovery has started.', schema: MessageResponse },
    apiErrors: [
      { status: 400, when: 'A `since` that is no timestamp.' },
      lacks('write', 'routes'),
      noRoute,
      { status: 409, when: `\`${RouteErrors.disabled().message}\`` },
    ],
  },
};
