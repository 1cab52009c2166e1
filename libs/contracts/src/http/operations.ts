import type { ScopeFamily, StaticScope } from '../principal/scopes.js';
import type { ServiceName } from '../services.js';

/**
 * - `static`: every named scope is needed.
 * - `family`: at least one scope of the family is needed before any look-up; the handler, which knows the resource,
 *   decides the domain (spec 1-platform §1.4 rule 4).
 * - `handler`: the handler checks everything itself, because the scope depends on the body.
 * - `anonymous`: there is no caller. Only the gateway serves such an operation.
 */
export type ScopeRule =
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'none' }
  | { readonly kind: 'static'; readonly scopes: readonly StaticScope[] }
  | { readonly kind: 'family'; readonly family: ScopeFamily }
  | { readonly kind: 'handler' };

export interface OperationSpec {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** public path; `{name}` is a path parameter */
  readonly path: string;
  readonly service: ServiceName;
  readonly scope: ScopeRule;
  /** `secret`: the special rules for responses that hold an API key (spec 1-platform §4.4) */
  readonly idempotent: false | 'standard' | 'secret';
  readonly rate: 'general' | 'statistics';
  /** only for top-level accounts with the partner flag, whatever scopes a key has (spec 1-platform §10.1) */
  readonly partnersOnly: boolean;
}

type Options = Partial<Pick<OperationSpec, 'idempotent' | 'rate'>>;

const A = '/v2/accounts/{account_id}';
const S = `${A}/sub-accounts`;
/** one child */
const C = `${S}/{sub_account_id}`;
/** one transactional template */
const T = `${A}/templates/{template_id}`;
/** one list */
const L = `${A}/lists/{list_id}`;
/** one campaign */
const K = `${A}/campaigns/{campaign_id}`;
/** one campaign template */
const M = `${A}/campaign-templates/{template_id}`;
const needs = (...scopes: StaticScope[]): ScopeRule => ({ kind: 'static', scopes });
const family = (name: ScopeFamily): ScopeRule => ({ kind: 'family', family: name });
const byHandler: ScopeRule = { kind: 'handler' };

function operation(
  line: string,
  service: ServiceName,
  scope: ScopeRule,
  options: Options = {},
): OperationSpec {
  const [method, path] = line.split(' ') as [OperationSpec['method'], string];
  const partnersOnly = path.startsWith(S);
  return { method, path, service, scope, idempotent: false, rate: 'general', partnersOnly, ...options };
}

// The key is free after the process of a run died: the response is stored in the transaction of the effect, or, where
// the effect is in another service, a second run finds the work of the first one (ADR 70).
const keyed: Options = { idempotent: 'standard' };

/**
 * Every operation of the API. It is the source of the gateway's routing, of the routes, scope rules and idempotency
 * of the services, and of the API document.
 */
export const OPERATIONS = {
  ping: operation('GET /v2/ping', 'gateway', { kind: 'none' }),

  'account.get': operation(`GET ${A}`, 'accounts', needs('accounts:read')),
  'account.update': operation(`PUT ${A}`, 'accounts', needs('accounts:write')),

  'members.list': operation(`GET ${A}/members`, 'accounts', needs('accounts:members:read')),
  'members.add': operation(`POST ${A}/members`, 'accounts', needs('accounts:members:add'), keyed),
  'members.update': operation(`PUT ${A}/members/{user_id}`, 'accounts', needs('accounts:members:update')),
  'members.remove': operation(`DELETE ${A}/members/{user_id}`, 'accounts', needs('accounts:members:remove')),

  'api-keys.list': operation(`GET ${A}/api-keys`, 'accounts', needs('api-keys:read')),
  'api-keys.create': operation(`POST ${A}/api-keys`, 'accounts', needs('api-keys:write'), {
    idempotent: 'secret',
  }),
  'api-keys.get': operation(`GET ${A}/api-keys/{key_id}`, 'accounts', needs('api-keys:read')),
  'api-keys.update': operation(`PUT ${A}/api-keys/{key_id}`, 'accounts', needs('api-keys:write')),
  'api-keys.delete': operation(`DELETE ${A}/api-keys/{key_id}`, 'accounts', needs('api-keys:delete')),

  'sub-accounts.list': operation(`GET ${S}`, 'accounts', needs('sub-accounts:read')),
  'sub-accounts.create': operation(`POST ${S}`, 'accounts', needs('sub-accounts:write'), keyed),
  'sub-accounts.usage': operation(`GET ${S}/usage`, 'accounts', needs('sub-accounts:usage')),
  'sub-accounts.get': operation(`GET ${C}`, 'accounts', needs('sub-accounts:read')),
  'sub-accounts.update': operation(`PUT ${C}`, 'accounts', needs('sub-accounts:write')),
  'sub-accounts.delete': operation(`DELETE ${C}`, 'accounts', needs('sub-accounts:delete')),
  'sub-accounts.suspend': operation(`POST ${C}/suspend`, 'accounts', needs('sub-accounts:suspend')),
  'sub-accounts.unsuspend': operation(`POST ${C}/unsuspend`, 'accounts', needs('sub-accounts:suspend')),
  'sub-accounts.unpause-domain': operation(
    `POST ${C}/domains/{domain}/unpause`,
    'domains',
    needs('sub-accounts:suspend'),
  ),
  'sub-account-api-keys.list': operation(`GET ${C}/api-keys`, 'accounts', needs('sub-account-api-keys:read')),
  'sub-account-api-keys.create': operation(
    `POST ${C}/api-keys`,
    'accounts',
    needs('sub-account-api-keys:write'),
    { idempotent: 'secret' },
  ),
  'sub-account-api-keys.get': operation(
    `GET ${C}/api-keys/{key_id}`,
    'accounts',
    needs('sub-account-api-keys:read'),
  ),
  'sub-account-api-keys.update': operation(
    `PUT ${C}/api-keys/{key_id}`,
    'accounts',
    needs('sub-account-api-keys:write'),
  ),
  'sub-account-api-keys.delete': operation(
    `DELETE ${C}/api-keys/{key_id}`,
    'accounts',
    needs('sub-account-api-keys:delete'),
  ),

  'smtp-credentials.list': operation(
    `GET ${A}/smtp-credentials`,
    'accounts',
    family('smtp-credentials:read'),
  ),
  'smtp-credentials.create': operation(
    `POST ${A}/smtp-credentials`,
    'accounts',
    family('smtp-credentials:write'),
    keyed,
  ),
  'smtp-credentials.get': operation(
    `GET ${A}/smtp-credentials/{smtp_credential_id}`,
    'accounts',
    family('smtp-credentials:read'),
  ),
  'smtp-credentials.delete': operation(
    `DELETE ${A}/smtp-credentials/{smtp_credential_id}`,
    'accounts',
    family('smtp-credentials:delete'),
  ),

  'domains.list': operation(`GET ${A}/domains`, 'domains', needs('domains:read')),
  'domains.create': operation(`POST ${A}/domains`, 'domains', needs('domains:write'), keyed),
  'domains.get': operation(`GET ${A}/domains/{domain}`, 'domains', needs('domains:read')),
  'domains.update': operation(`PUT ${A}/domains/{domain}`, 'domains', needs('domains:write')),
  'domains.delete': operation(`DELETE ${A}/domains/{domain}`, 'domains', family('domains:delete')),
  'domains.check-dns': operation(`POST ${A}/domains/{domain}/check-dns`, 'domains', needs('domains:write')),

  'messages.send': operation(`POST ${A}/messages`, 'messages', byHandler, keyed),
  'messages.send-conversation': operation(`POST ${A}/messages/conversation`, 'messages', byHandler, keyed),
  'messages.send-template': operation(`POST ${A}/messages/template`, 'messages', byHandler, keyed),
  'messages.list': operation(`GET ${A}/messages`, 'messages', family('messages:read')),
  'messages.get': operation(`GET ${A}/messages/{message_id}`, 'messages', byHandler),
  'messages.cancel': operation(
    `DELETE ${A}/messages/{message_id}/cancel`,
    'messages',
    family('messages:cancel'),
  ),

  'templates.list': operation(`GET ${A}/templates`, 'messages', needs('templates:read')),
  'templates.create': operation(`POST ${A}/templates`, 'messages', needs('templates:write'), keyed),
  'templates.get': operation(`GET ${T}`, 'messages', needs('templates:read')),
  'templates.update': operation(`PUT ${T}`, 'messages', needs('templates:write'), keyed),
  'templates.delete': operation(`DELETE ${T}`, 'messages', needs('templates:delete')),
  'templates.get-draft': operation(`GET ${T}/draft`, 'messages', needs('templates:read')),
  'templates.discard-draft': operation(`DELETE ${T}/draft`, 'messages', needs('templates:write')),
  'templates.publish': operation(`POST ${T}/publish`, 'messages', needs('templates:write'), keyed),
  'templates.preview': operation(`POST ${T}/preview`, 'messages', needs('templates:read')),
  'templates.list-versions': operation(`GET ${T}/versions`, 'messages', needs('templates:read')),
  'templates.get-version': operation(`GET ${T}/versions/{version_id}`, 'messages', needs('templates:read')),
  'templates.restore-version': operation(
    `POST ${T}/versions/{version_id}/restore`,
    'messages',
    needs('templates:write'),
    keyed,
  ),

  'suppressions.list': operation(`GET ${A}/suppressions`, 'messages', needs('suppressions:read')),
  'suppressions.create': operation(`POST ${A}/suppressions`, 'messages', needs('suppressions:write'), keyed),
  'suppressions.delete': operation(`DELETE ${A}/suppressions`, 'messages', needs('suppressions:delete')),
  'suppressions.wipe': operation(`DELETE ${A}/suppressions/all`, 'messages', needs('suppressions:wipe')),
  'statistics.deliverability': operation(
    `GET ${A}/statistics/transactional/deliverability`,
    'messages',
    family('statistics-transactional:read'),
    { rate: 'statistics' },
  ),
  'statistics.bounce': operation(
    `GET ${A}/statistics/transactional/bounce`,
    'messages',
    family('statistics-transactional:read'),
    { rate: 'statistics' },
  ),
  'statistics.delivery-time': operation(
    `GET ${A}/statistics/transactional/delivery-time`,
    'messages',
    family('statistics-transactional:read'),
    { rate: 'statistics' },
  ),

  'webhooks.list': operation(`GET ${A}/webhooks`, 'webhooks', family('webhooks:read')),
  'webhooks.create': operation(`POST ${A}/webhooks`, 'webhooks', family('webhooks:write'), keyed),
  'webhooks.get': operation(`GET ${A}/webhooks/{webhook_id}`, 'webhooks', family('webhooks:read')),
  'webhooks.update': operation(`PUT ${A}/webhooks/{webhook_id}`, 'webhooks', family('webhooks:write')),
  'webhooks.delete': operation(`DELETE ${A}/webhooks/{webhook_id}`, 'webhooks', family('webhooks:delete')),

  'webhooks.trigger': operation(
    `POST ${A}/webhooks/{webhook_id}/trigger`,
    'webhooks',
    family('webhooks:write'),
  ),

  'webhooks.recover': operation(
    `POST ${A}/webhooks/{webhook_id}/recover`,
    'webhooks',
    family('webhooks:write'),
  ),

  'routes.list': operation(`GET ${A}/routes`, 'webhooks', family('routes:read')),
  'routes.create': operation(`POST ${A}/routes`, 'webhooks', family('routes:write'), keyed),
  'routes.get': operation(`GET ${A}/routes/{route_id}`, 'webhooks', family('routes:read')),
  'routes.update': operation(`PUT ${A}/routes/{route_id}`, 'webhooks', family('routes:write')),
  'routes.delete': operation(`DELETE ${A}/routes/{route_id}`, 'webhooks', family('routes:delete')),
  'routes.trigger': operation(`POST ${A}/routes/{route_id}/trigger`, 'webhooks', family('routes:write')),
  'routes.recover': operation(`POST ${A}/routes/{route_id}/recover`, 'webhooks', family('routes:write')),

  'contacts.list': operation(`GET ${A}/contacts`, 'marketing', needs('contacts:read')),
  'contacts.create': operation(`POST ${A}/contacts`, 'marketing', needs('contacts:write'), keyed),
  'contacts.get': operation(`GET ${A}/contacts/{id_or_email}`, 'marketing', needs('contacts:read')),
  'contacts.update': operation(`PUT ${A}/contacts/{id_or_email}`, 'marketing', needs('contacts:write')),
  'contacts.delete': operation(`DELETE ${A}/contacts/{id_or_email}`, 'marketing', needs('contacts:delete')),
  'contacts.batch': operation(`POST ${A}/contacts/batch`, 'marketing', needs('contacts:write'), keyed),
  'contacts.list-lists': operation(`GET ${A}/contacts/{id_or_email}/lists`, 'marketing', needs('lists:read')),

  'lists.list': operation(`GET ${A}/lists`, 'marketing', needs('lists:read')),
  'lists.create': operation(`POST ${A}/lists`, 'marketing', needs('lists:write'), keyed),
  'lists.get': operation(`GET ${L}`, 'marketing', needs('lists:read')),
  'lists.update': operation(`PUT ${L}`, 'marketing', needs('lists:write')),
  'lists.delete': operation(`DELETE ${L}`, 'marketing', needs('lists:delete')),
  'lists.list-contacts': operation(`GET ${L}/contacts`, 'marketing', needs('lists:read')),
  'lists.put-contact': operation(`PUT ${L}/contacts/{id_or_email}`, 'marketing', needs('lists:write')),
  'lists.remove-contact': operation(`DELETE ${L}/contacts/{id_or_email}`, 'marketing', needs('lists:write')),
  'lists.add-contacts': operation(`POST ${L}/contacts/batch`, 'marketing', needs('lists:write'), keyed),

  'campaigns.list': operation(`GET ${A}/campaigns`, 'marketing', needs('campaigns:read')),
  'campaigns.create': operation(`POST ${A}/campaigns`, 'marketing', needs('campaigns:write'), keyed),
  'campaigns.get': operation(`GET ${K}`, 'marketing', needs('campaigns:read')),
  'campaigns.update': operation(`PUT ${K}`, 'marketing', needs('campaigns:write'), keyed),
  'campaigns.delete': operation(`DELETE ${K}`, 'marketing', needs('campaigns:delete')),
  'campaigns.duplicate': operation(`POST ${K}/duplicate`, 'marketing', needs('campaigns:write'), keyed),
  'campaigns.send': operation(`POST ${K}/send`, 'marketing', needs('campaigns:send'), keyed),
  'campaigns.unschedule': operation(`POST ${K}/unschedule`, 'marketing', needs('campaigns:send'), keyed),
  'campaigns.test-send': operation(`POST ${K}/test-send`, 'marketing', needs('campaigns:send'), keyed),
  'campaigns.preview': operation(`POST ${K}/preview`, 'marketing', needs('campaigns:read')),
  'campaigns.stats': operation(`GET ${K}/stats`, 'marketing', needs('campaigns:read')),
  'campaigns.recipients': operation(`GET ${K}/recipients`, 'marketing', needs('campaigns:read')),

  'campaign-templates.list': operation(`GET ${A}/campaign-templates`, 'marketing', needs('templates:read')),
  'campaign-templates.create': operation(
    `POST ${A}/campaign-templates`,
    'marketing',
    needs('templates:write'),
    keyed,
  ),
  'campaign-templates.get': operation(`GET ${M}`, 'marketing', needs('templates:read')),
  'campaign-templates.update': operation(`PUT ${M}`, 'marketing', needs('templates:write'), keyed),
  'campaign-templates.delete': operation(`DELETE ${M}`, 'marketing', needs('templates:delete')),
} as const satisfies Record<string, OperationSpec>;

export type ApiOperationId = keyof typeof OPERATIONS;
