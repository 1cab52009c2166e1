import { MessageResponse, pageOf, ApiErrors, type ServiceDocument } from '@postmesh/contracts';
import {
  CreateBody,
  ListWebhooksQuery,
  NewWebhookResource,
  UpdateBody,
  WebhookResource,
} from './manage-webhooks/webhook.schema.js';

const notFound = { status: 404, when: `\`${ApiErrors.notFound('webhook').message}\`` } as const;
const badDomain = { status: 400, when: 'A domain that is not one of the account.' } as const;
const notPublic = { status: 400, when: 'A `url` that points to a private address.' } as const;

const lacks = (action: 'read' | 'write' | 'delete') =>
  ({ status: 403, when: `\`${ApiErrors.missingDomainScope(action, 'webhooks').message}\`` }) as const;

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
    apiErrors: [badDomain, notPublic, lacks('write')],
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
    response: { status: 200, description: 'It is deleted.', schema: MessageResponse },
    apiErrors: [lacks('delete'), notFound],
  },
};
