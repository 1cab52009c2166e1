import { OPERATIONS, type ApiOperationId, type OperationSpec } from './operations.js';

const C = '/console/api';
/** one campaign template */
const T = `${C}/campaign-templates/{campaign_template_id}`;
/** one sign-up form */
const S = `${C}/sign-up-forms/{sign_up_form_id}`;
/** one webhook or route */
const E = `${C}/endpoints/{endpoint_id}`;

function operation(
  line: string,
  { service = 'accounts', scope = { kind: 'none' } }: Partial<Pick<OperationSpec, 'service' | 'scope'>> = {},
): OperationSpec {
  const [method, path] = line.split(' ') as [OperationSpec['method'], string];
  return { method, path, service, scope, idempotent: false, rate: 'general', partnersOnly: false };
}

/** Requests without a session, which the gateway hands to the accounts service. */
const anonymous = { service: 'gateway', scope: { kind: 'anonymous' } } as const;
/** The handler checks the role. */
const byRole = { scope: { kind: 'handler' } } as const;
/** For the roles that manage the keys of programs. */
const ofKeys = { scope: { kind: 'static', scopes: ['api-keys:write'] } } as const;
/** Webhooks and routes: a role has the scopes of both or of none. */
const ofEndpoints = (action: 'read' | 'write') =>
  ({ service: 'webhook-dispatcher', scope: { kind: 'family', family: `webhooks:${action}` } }) as const;
const ofWebhooks = (action: 'read' | 'write') =>
  ({ service: 'webhooks', scope: { kind: 'family', family: `webhooks:${action}` } }) as const;
const ofContacts = (action: 'read' | 'write') =>
  ({ service: 'marketing', scope: { kind: 'static', scopes: [`contacts:${action}`] } }) as const;
const ofLists = (action: 'read' | 'write' | 'delete') =>
  ({ service: 'marketing', scope: { kind: 'static', scopes: [`lists:${action}`] } }) as const;
const ofSuppressions = (action: 'read' | 'write') =>
  ({ service: 'messages', scope: { kind: 'static', scopes: [`suppressions:${action}`] } }) as const;
const ofTemplates = (action: 'read' | 'write') =>
  ({ service: 'messages', scope: { kind: 'static', scopes: [`templates:${action}`] } }) as const;
const ofCampaignTemplates = (action: 'read' | 'write') =>
  ({ ...ofTemplates(action), service: 'marketing' }) as const;
const ofCampaigns = (action: 'read' | 'write' | 'send') =>
  ({ service: 'marketing', scope: { kind: 'static', scopes: [`campaigns:${action}`] } }) as const;
const ofMessages = { service: 'messages', scope: { kind: 'family', family: 'messages:read' } } as const;
const ofStatistics = {
  service: 'messages',
  scope: { kind: 'family', family: 'statistics-transactional:read' },
} as const;
/** Reports of receivers about the mail of a domain. */
const ofReports = { service: 'messages', scope: { kind: 'static', scopes: ['domains:read'] } } as const;
const ofDomains = { service: 'domains', scope: { kind: 'static', scopes: ['domains:write'] } } as const;

/** The handler checks the role. */
const ofDnsHosts = { service: 'domains', ...byRole } as const;

/**
 * The operations of the console in addition to those of the API: their callers are members with a session, never keys
 * (decision 116). They are routed, served and described like the operations of the API, in a document of their own.
 */
export const CONSOLE_OPERATIONS = {
  'sign-in-links.create': operation(`POST ${C}/sign-in-links`, anonymous),
  'sessions.create': operation(`POST ${C}/sessions`, anonymous),
  'sessions.list': operation(`GET ${C}/sessions`),
  'sessions.end': operation(`DELETE ${C}/sessions/{session_id}`),
  'sessions.end-all': operation(`DELETE ${C}/sessions`),
  'session.get': operation(`GET ${C}/session`),
  'session.switch-account': operation(`POST ${C}/session/account`),
  'session.end': operation(`DELETE ${C}/session`),
  'session.confirm-options': operation(`POST ${C}/session/confirmation/options`),
  'session.confirm': operation(`POST ${C}/session/confirmation`),
  'session.confirm-oidc-options': operation(`POST ${C}/session/confirmation/oidc/options`),
  'session.confirm-oidc': operation(`POST ${C}/session/confirmation/oidc`),
  'sign-in-ways.get': operation(`GET ${C}/sign-in-ways`, anonymous),
  'oidc-sign-ins.options': operation(`POST ${C}/oidc-sign-ins/options`, anonymous),
  'oidc-sign-ins.create': operation(`POST ${C}/oidc-sign-ins`, anonymous),
  'passkey-sign-ins.options': operation(`POST ${C}/passkey-sign-ins/options`, anonymous),
  'passkey-sign-ins.create': operation(`POST ${C}/passkey-sign-ins`, anonymous),
  'passkeys.list': operation(`GET ${C}/passkeys`),
  'passkeys.options': operation(`POST ${C}/passkeys/options`),
  'passkeys.create': operation(`POST ${C}/passkeys`),
  'passkeys.remove': operation(`DELETE ${C}/passkeys/{passkey_id}`),
  'roles.list': operation(`GET ${C}/roles`),
  'member-names.list': operation(`GET ${C}/members`, {
    scope: { kind: 'static', scopes: ['accounts:members:read'] },
  }),
  'smtp-settings.get': operation(`GET ${C}/smtp-settings`, { service: 'gateway' }),
  'audit.list': operation(`GET ${C}/audit`, byRole),
  'request-log.list': operation(`GET ${C}/request-log`, ofKeys),
  'request-log.get': operation(`GET ${C}/request-log/{request_id}`, ofKeys),
  'ses-credentials.create': operation(`POST ${C}/api-keys/{key_id}/ses-credential`, ofKeys),
  'ses-credentials.delete': operation(`DELETE ${C}/api-keys/{key_id}/ses-credential`, {
    scope: { kind: 'static', scopes: ['api-keys:delete'] },
  }),
  'domains.pause': operation(`POST ${C}/domains/{domain}/pause`, ofDomains),
  'domains.resume': operation(`POST ${C}/domains/{domain}/resume`, ofDomains),
  'domain-doctor.get': operation(`GET ${C}/domains/{domain}/doctor`, {
    service: 'messages',
    scope: { kind: 'static', scopes: ['domains:read'] },
  }),
  'record-problems.list': operation(`GET ${C}/domains/{domain}/record-problems`, {
    service: 'domains',
    scope: { kind: 'static', scopes: ['domains:read'] },
  }),
  'setup-links.get': operation(`GET ${C}/domains/{domain}/setup-link`, ofDomains),
  'dns-changes.get': operation(`GET ${C}/domains/{domain}/dns-changes`, ofDomains),
  'dns-changes.write': operation(`POST ${C}/domains/{domain}/dns-changes`, ofDomains),
  'dns-hosts.list': operation(`GET ${C}/dns-hosts`, ofDnsHosts),
  'dns-hosts.create': operation(`POST ${C}/dns-hosts`, ofDnsHosts),
  'dns-hosts.update': operation(`PUT ${C}/dns-hosts/{dns_host_id}`, ofDnsHosts),
  'dns-hosts.remove': operation(`DELETE ${C}/dns-hosts/{dns_host_id}`, ofDnsHosts),
  'report-records.get': operation(`GET ${C}/domains/{domain}/report-records`, {
    service: 'domains',
    scope: { kind: 'static', scopes: ['domains:read'] },
  }),
  'domain-reports.get': operation(`GET ${C}/domains/{domain}/reports`, ofReports),
  'domain-reports.list-falls': operation(`GET ${C}/alignment-falls`, ofReports),
  'events.stream': operation(`GET ${C}/events`, { service: 'gateway' }),
  'message-search.list': operation(`GET ${C}/messages`, ofMessages),
  'message-attempts.list': operation(`GET ${C}/messages/{message_id}/attempts`, ofMessages),
  'message-calls.list': operation(`GET ${C}/message-calls`, ofEndpoints('read')),
  'sending-state.get': operation(`GET ${C}/sending-state`, {
    service: 'messages',
    scope: { kind: 'static', scopes: ['accounts:read'] },
  }),
  'listed-suppressions.list': operation(`GET ${C}/suppressions`, ofSuppressions('read')),
  'suppression-batches.create': operation(`POST ${C}/suppression-batches`, ofSuppressions('write')),
  'suppression-batches.translate': operation(
    `POST ${C}/suppression-batches/translation`,
    ofSuppressions('read'),
  ),
  'suppression-batches.preview': operation(`POST ${C}/suppression-batches/preview`, ofSuppressions('read')),
  'contact-batches.create': operation(`POST ${C}/contact-batches`, ofContacts('write')),
  'contact-batches.preview': operation(`POST ${C}/contact-batches/preview`, ofContacts('read')),
  'contact-attributes.list': operation(`GET ${C}/contact-attributes`, ofContacts('read')),
  'contact-attributes.create': operation(`POST ${C}/contact-attributes`, ofContacts('write')),
  'segments.list': operation(`GET ${C}/segments`, ofLists('read')),
  'segments.create': operation(`POST ${C}/segments`, ofLists('write')),
  'segments.get': operation(`GET ${C}/segments/{segment_id}`, ofLists('read')),
  'segments.update': operation(`PUT ${C}/segments/{segment_id}`, ofLists('write')),
  'segments.delete': operation(`DELETE ${C}/segments/{segment_id}`, ofLists('delete')),
  'segment-counts.create': operation(`POST ${C}/segment-counts`, ofLists('read')),
  'campaign-audiences.get': operation(`GET ${C}/campaigns/{campaign_id}/audience`, ofCampaigns('read')),
  'campaign-audiences.put': operation(`PUT ${C}/campaigns/{campaign_id}/audience`, ofCampaigns('write')),
  'campaign-skips.get': operation(`GET ${C}/campaigns/{campaign_id}/skips`, ofCampaigns('read')),
  'campaign-trials.get': operation(`GET ${C}/campaigns/{campaign_id}/trial`, ofCampaigns('read')),
  'campaign-trials.put': operation(`PUT ${C}/campaigns/{campaign_id}/trial`, ofCampaigns('write')),
  'sign-up-forms.list': operation(`GET ${C}/sign-up-forms`, ofLists('read')),
  'sign-up-forms.create': operation(`POST ${C}/sign-up-forms`, ofLists('write')),
  'sign-up-forms.get': operation(`GET ${S}`, ofLists('read')),
  'sign-up-forms.update': operation(`PUT ${S}`, ofLists('write')),
  'sign-ups.create': operation(`POST ${S}/sign-ups`, ofLists('write')),
  'sign-up-forms.delete': operation(`DELETE ${S}`, ofLists('delete')),
  'consents.list': operation(`GET ${C}/consents`, ofContacts('read')),
  'consents.verify': operation(`GET ${C}/consents/verification`, ofContacts('read')),
  'consents.of-contact': operation(`GET ${C}/contacts/{contact_id}/consents`, ofContacts('read')),
  'contact-preferences.get': operation(`GET ${C}/contacts/{contact_id}/preferences`, ofContacts('read')),
  'public-lists.get': operation(`GET ${C}/lists/{list_id}/preferences`, ofLists('read')),
  'public-lists.put': operation(`PUT ${C}/lists/{list_id}/preferences`, ofLists('write')),
  'campaigns.pause': operation(`POST ${C}/campaigns/{campaign_id}/pause`, ofCampaigns('send')),
  'campaigns.resume': operation(`POST ${C}/campaigns/{campaign_id}/resume`, ofCampaigns('send')),
  'campaigns.cancel': operation(`POST ${C}/campaigns/{campaign_id}/cancel`, ofCampaigns('send')),
  'template-translations.create': operation(`POST ${C}/template-translations`, ofTemplates('read')),
  'template-blocks.get': operation(`GET ${C}/templates/{template_id}/blocks`, ofTemplates('read')),
  'template-blocks.put': operation(`PUT ${C}/templates/{template_id}/blocks`, ofTemplates('write')),
  'campaign-blocks.get': operation(`GET ${C}/campaigns/{campaign_id}/blocks`, ofCampaigns('read')),
  'campaign-blocks.put': operation(`PUT ${C}/campaigns/{campaign_id}/blocks`, ofCampaigns('write')),
  'campaign-templates.preview': operation(`POST ${T}/preview`, ofCampaignTemplates('read')),
  'campaign-templates.duplicate': operation(`POST ${T}/duplicate`, ofCampaignTemplates('write')),
  'campaign-template-blocks.create': operation(`POST ${C}/campaign-templates`, ofCampaignTemplates('write')),
  'campaign-template-blocks.get': operation(`GET ${T}/blocks`, ofCampaignTemplates('read')),
  'campaign-template-blocks.put': operation(`PUT ${T}/blocks`, ofCampaignTemplates('write')),
  'statistics-overview.get': operation(`GET ${C}/statistics`, ofStatistics),
  'statistics-groups.templates': operation(`GET ${C}/statistics/templates`, ofStatistics),
  'statistics-groups.providers': operation(`GET ${C}/statistics/providers`, ofStatistics),
  'statistics-groups.campaigns': operation(`GET ${C}/statistics/campaigns`, ofCampaigns('read')),
  'webhook-dialects.get': operation(`GET ${C}/webhooks/{webhook_id}/dialect`, ofWebhooks('read')),
  'webhook-dialects.put': operation(`PUT ${C}/webhooks/{webhook_id}/dialect`, ofWebhooks('write')),
  'endpoint-deliveries.list': operation(`GET ${E}/deliveries`, ofEndpoints('read')),
  'endpoint-deliveries.get': operation(`GET ${E}/deliveries/{delivery_id}`, ofEndpoints('read')),
  'endpoint-deliveries.replay': operation(`POST ${E}/deliveries/{delivery_id}/replay`, ofEndpoints('write')),
  'endpoint-replays.create': operation(`POST ${E}/replays`, ofEndpoints('write')),
  'endpoint-replays.list': operation(`GET ${E}/replays`, ofEndpoints('read')),
  'endpoint-replays.get': operation(`GET ${E}/replays/{replay_id}`, ofEndpoints('read')),
} as const satisfies Record<string, OperationSpec>;

export type ConsoleOperationId = keyof typeof CONSOLE_OPERATIONS;
export type OperationId = ApiOperationId | ConsoleOperationId;

/** Everything that a gateway routes. Their paths keep the two kinds of callers apart. */
export const ALL_OPERATIONS: Readonly<Record<OperationId, OperationSpec>> = {
  ...OPERATIONS,
  ...CONSOLE_OPERATIONS,
};
export const operationSpec = (id: OperationId): OperationSpec => ALL_OPERATIONS[id];

// Deletions of things that are made again in a moment.
const HARMLESS = new Set<string>([
  'messages.cancel',
  'templates.discard-draft',
  'lists.remove-contact',
  'session.end',
]);
const GUARDED =
  /^(api-keys|sub-account-api-keys|smtp-credentials|ses-credentials|members|passkeys|dns-hosts)\./;

/**
 * Whether a member who has a passkey, or has come by OpenID Connect, confirms this operation in the console: changes of
 * secrets and members, and deletions. Sessions are ended without it.
 */
export const needsConfirmation = (id: OperationId): boolean => {
  const { method } = operationSpec(id);
  if (method === 'GET' || HARMLESS.has(id) || id.startsWith('sessions.')) return false;
  return method === 'DELETE' || (GUARDED.test(id) && id !== 'passkeys.options');
};

/** Below this path the caller is a session; `/v2/…` behind it is an operation of the API. */
export const CONSOLE_PREFIX = C;

/** The cookie of a session: its value is a secret. */
export const SESSION_COOKIE = '__Host-postmesh-session';

/** The cookie of a browser that was sent to the OpenID Connect provider; the gateway hands its value on in a header. */
export const OIDC_COOKIE = '__Host-postmesh-oidc';
export const BROWSER_HEADER = 'x-browser-secret';
