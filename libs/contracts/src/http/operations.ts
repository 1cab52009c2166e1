import type { ScopeFamily, StaticScope } from '../principal/scopes.js';
import type { ServiceName } from '../services.js';

/**
 * - `static`: every named scope is needed.
 * - `family`: at least one scope of the family is needed before anything is looked up; which domain
 *   counts is decided by the handler, which knows the resource (spec 1-platform §1.4 rule 4).
 * - `handler`: the handler checks everything itself, because the scope depends on the body.
 */
export type ScopeRule =
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
  /** for top-level accounts with the partner flag alone, whatever scopes a key has (spec 1-platform §10.1) */
  readonly partnersOnly: boolean;
}

type Options = Partial<Pick<OperationSpec, 'idempotent' | 'rate'>>;

const A = '/v2/accounts/{account_id}';
const S = `${A}/sub-accounts`;
/** one child */
const C = `${S}/{sub_account_id}`;
/** one transactional template */
const T = `${A}/templates/{template_id}`;
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

const keyed: Options = { idempotent: 'standard' };

/**
 * Every operation of the API that is served: the gateway routes by it, the services take their routes,
 * scope rules and idempotency from it, and the API document is made from it.
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

  'webhooks.trigger': operation(`POST ${A}/webhooks/{webhook_id}/trigger`, 'webhooks', family('webhooks:write')),

  'routes.list': operation(`GET ${A}/routes`, 'webhooks', family('routes:read')),
  'routes.create': operation(`POST ${A}/routes`, 'webhooks', family('routes:write'), keyed),
  'routes.get': operation(`GET ${A}/routes/{route_id}`, 'webhooks', family('routes:read')),
  'routes.update': operation(`PUT ${A}/routes/{route_id}`, 'webhooks', family('routes:write')),
  'routes.delete': operation(`DELETE ${A}/routes/{route_id}`, 'webhooks', family('routes:delete')),
  'routes.trigger': operation(`POST ${A}/routes/{route_id}/trigger`, 'webhooks', family('routes:write')),
} as const satisfies Record<string, OperationSpec>;

export type OperationId = keyof typeof OPERATIONS;
export const operationSpec = (id: OperationId): OperationSpec => OPERATIONS[id];
