import {
  CreateRouteBody,
  ListRoutesQuery,
  NewRouteResource,
  RouteResource,
  TriggerRouteBody,
  UpdateRouteBody,
} from './manage-routes/route.schema.js';
import { EndpointErrors } from './endpoints/endpoint.schema.js';
import { RecoverBody } from './failing-endpoints/recover.schema.js';
import {
  ApiErrors,
  MessageResponse,
  pageOf,
  type ServiceDocument,
  type WebhookDocuments,
} from '@postmesh/contracts';
import { RouteCall } from '@postmesh/webhooks-contract';
import {
  DialectBody,
  NewWebhookDialectResource,
  WebhookDialectResource,
} from './webhook-dialects/webhook-dialect.schema.js';
import { writeBody } from './webhook-events/event-payloads.rules.js';
import { sampleEvent } from './webhook-events/sample-events.rules.js';
import {
  EVENT_FLAGS,
  WEBHOOK_CALLS,
  WEBHOOK_EVENTS,
  type EventFlag,
} from './webhook-events/webhook-events.table.js';
import {
  CreateBody,
  ListWebhooksQuery,
  NewWebhookResource,
  TriggerBody,
  UpdateBody,
  WebhookResource,
} from './manage-webhooks/webhook.schema.js';

const notFound = { status: 404, when: `\`${ApiErrors.notFound('webhook').message}\`` } as const;
const badDomain = { status: 400, when: 'A domain that is not one of the account.' } as const;
const notPublic = { status: 400, when: 'A `url` that points to a private address.' } as const;

const lacks = (action: 'read' | 'write' | 'delete', family: 'webhooks' | 'routes' = 'webhooks') =>
  ({ status: 403, when: `\`${ApiErrors.missingDomainScope(`${family}:${action}`).message}\`` }) as const;

const noRoute = { status: 404, when: `\`${ApiErrors.notFound('route').message}\`` } as const;
const badRecipient = {
  status: 400,
  when: 'An invalid `recipient` pattern, or a domain that is not one of the account.',
} as const;

/** Common to webhooks and routes (spec 2-messages §18 rule 13). */
const RECOVERY = {
  body: RecoverBody,
  bodyOptional: true,
  example: { since: '2026-01-05T08:00:00Z' },
  response: {
    status: 202,
    description: 'The recovery has started.',
    schema: MessageResponse,
    example: { message: 'recovery started' },
  },
} as const;
const badSince = { status: 400, when: 'An invalid `since`.' } as const;

/** The API document of this service's operations (spec 2-messages §17). */
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
      { status: 403, when: `\`${EndpointErrors.limitReached('webhook').message}\`` },
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
      'Omitted and null fields keep their value. A list of domains replaces the stored one. Enabling a webhook again resets its consecutive errors.',
    body: UpdateBody,
    example: { enabled: true },
    response: { status: 200, description: 'The webhook after the change.', schema: WebhookResource },
    apiErrors: [badDomain, notPublic, lacks('write'), notFound],
  },
  'webhooks.delete': {
    summary: 'Delete a webhook',
    description: 'Pending calls are dropped.',
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
      'Posts one sample event of each of these types to the URL, also of types that the webhook does not subscribe to. The calls are signed and counted like others.',
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
      { status: 409, when: `\`${EndpointErrors.disabled('webhook').message}\`` },
    ],
  },
  'webhooks.recover': {
    summary: 'Recover the missed calls of a webhook',
    description:
      'Repeats, with the same `webhook-id`, each call since a time that has not succeeded: calls without tries left, calls that ended because the webhook was disabled, and events from the time while it was disabled. Successful calls are not repeated. Runs in the background.',
    ...RECOVERY,
    apiErrors: [
      badSince,
      lacks('write'),
      notFound,
      { status: 409, when: `\`${EndpointErrors.disabled('webhook').message}\`` },
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
      'Inbound mail whose recipient matches is posted to the URL. A route for every address of the account needs the scope for all domains; other routes need the scope for their domain.',
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
      { status: 403, when: `\`${EndpointErrors.limitReached('route').message}\`` },
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
      'Omitted and null fields keep their value. An empty recipient matches every address of the account. Enabling a route again resets its consecutive errors.',
    body: UpdateRouteBody,
    example: { enabled: true },
    response: { status: 200, description: 'The route after the change.', schema: RouteResource },
    apiErrors: [badRecipient, notPublic, lacks('write', 'routes'), noRoute],
  },
  'routes.delete': {
    summary: 'Delete a route',
    description: 'Pending calls are dropped.',
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
    description: 'Posts a sample message to the URL. The call is signed and counted like others.',
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
      { status: 409, when: `\`${EndpointErrors.disabled('route').message}\`` },
    ],
  },
  'routes.recover': {
    summary: 'Recover the missed calls of a route',
    description:
      'Repeats, with the same `webhook-id`, each call since a time that has not succeeded: calls without tries left, and calls that ended because the route was disabled. Successful calls are not repeated. Runs in the background.',
    ...RECOVERY,
    apiErrors: [
      badSince,
      lacks('write', 'routes'),
      noRoute,
      { status: 409, when: `\`${EndpointErrors.disabled('route').message}\`` },
    ],
  },
};

/** Operations of the console in this service (decision 116). */
export const CONSOLE_DOCUMENT: ServiceDocument = {
  'webhook-dialects.get': {
    summary: 'Get the dialect of a webhook',
    response: { status: 200, description: 'The form of its calls.', schema: WebhookDialectResource },
    apiErrors: [lacks('read'), notFound],
  },
  'webhook-dialects.put': {
    summary: 'Choose the dialect of a webhook',
    description:
      'The calls have the form of this service from then on (docs/dialects.md). Each request makes a new secret, or takes the given one.',
    body: DialectBody,
    example: { dialect: 'resend' },
    response: {
      status: 200,
      description: 'The form of its calls, with the secret.',
      schema: NewWebhookDialectResource,
    },
    apiErrors: [{ status: 400, when: 'A `secret` of another form.' }, lacks('write'), notFound],
  },
};

const WEBHOOK = { account_id: '0b6f4a52-7c1d-4e0f-8a39-61b2c7d8e9f0', domains: ['shop.example.com'] };
const WEBHOOK_ID = '5d0c6c3e-2f6b-4a58-9a54-0d1f5b7c9e10';

/** The calls of webhooks and routes (spec 2-messages §18, §19). */
export const WEBHOOK_DOCUMENTS: WebhookDocuments = {
  ...Object.fromEntries(
    EVENT_FLAGS.map((flag) => {
      const { type, summary, description } = WEBHOOK_EVENTS[flag];
      const asks = `For webhooks with \`${flag}\`. ${description}`;
      const example = exampleCall(flag);
      return [type, { family: 'webhooks', summary, description: asks, body: WEBHOOK_CALLS[flag], example }];
    }),
  ),
  'message.routing': {
    family: 'routes',
    summary: 'A message arrived for a route',
    description: 'One call for each matching recipient, or with `group_by_message_id` one for the message.',
    body: RouteCall,
    example: {
      type: 'message.routing',
      timestamp: '2026-03-01T09:00:00.25Z',
      route_id: '7b0a9d51-3a44-4a0e-b6f0-2f7c1d9e8a55',
      data: {
        id: '01980f4a9c2e7d00b1c23d4e5f607182',
        from: 'Zoe <zoe@mail.example.com>',
        reply_to: 'zoe@mail.example.com',
        to: 'ticket-9@shop.example.com',
        subject: 'Re: ticket 9',
        message_id: '<abc@mail.example.com>',
        size: 2411,
        spam_score: 0,
        bounce: false,
        cc: '',
        date: 'Sun, 01 Mar 2026 10:59:58 +0100',
        in_reply_to: '<t9@shop.example.com>',
        references: '<t9@shop.example.com>',
        auto_submitted: '',
        html_body: '<p>Works.</p>',
        plain_body: 'Works.\r\n\r\n> Does it work?',
        reply_from_plain_body: 'Works.',
        attachments: [],
      },
    },
  },
};

/** The sample of a trigger, with constant values. */
function exampleCall(flag: EventFlag): unknown {
  const event = sampleEvent(flag, WEBHOOK, new Date('2026-03-01T09:00:00.000Z'));
  const body = JSON.parse(writeBody(event, WEBHOOK_ID)) as { data: Record<string, unknown> };
  const { id, message_id_header: messageId } = body.data;
  if (id === undefined) return body;
  const uuid = '01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a01';
  const fixed = {
    id: uuid.replaceAll('-', ''),
    message_id_header: String(messageId).replace(/^<[^@]*/, `<${uuid}`),
  };
  return { ...body, data: { ...body.data, ...fixed } };
}
