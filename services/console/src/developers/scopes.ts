import { t } from '../words/words';

/** Scopes by what they are about. Those of the second list may be limited to domains: `messages:send:{domain}`. */
export const ACCOUNT_SCOPES = [
  ['domains', ['domains:read', 'domains:write']],
  ['accounts', ['accounts:read', 'accounts:write', 'accounts:billing']],
  [
    'members',
    ['accounts:members:read', 'accounts:members:add', 'accounts:members:update', 'accounts:members:remove'],
  ],
  ['suppressions', ['suppressions:read', 'suppressions:write', 'suppressions:delete', 'suppressions:wipe']],
  ['templates', ['templates:read', 'templates:write', 'templates:delete']],
  ['campaigns', ['campaigns:read', 'campaigns:write', 'campaigns:delete', 'campaigns:send']],
  [
    'audience',
    ['contacts:read', 'contacts:write', 'contacts:delete', 'lists:read', 'lists:write', 'lists:delete'],
  ],
  ['keys', ['api-keys:read', 'api-keys:write', 'api-keys:delete']],
  [
    'subAccounts',
    [
      ...['sub-accounts:read', 'sub-accounts:write', 'sub-accounts:delete', 'sub-accounts:suspend'],
      ...[
        'sub-accounts:usage',
        'sub-account-api-keys:read',
        'sub-account-api-keys:write',
        'sub-account-api-keys:delete',
      ],
    ],
  ],
] as const;

export const DOMAIN_SCOPES = [
  ['messages', ['messages:send', 'messages:read', 'messages:cancel']],
  ['webhooks', ['webhooks:read', 'webhooks:write', 'webhooks:delete']],
  ['routes', ['routes:read', 'routes:write', 'routes:delete']],
  ['smtp', ['smtp-credentials:read', 'smtp-credentials:write', 'smtp-credentials:delete']],
  ['statistics', ['statistics-transactional:read']],
  ['deleteDomains', ['domains:delete']],
] as const;

/** The use of most keys, in one click. */
export const PRESETS: Record<'send' | 'read' | 'all', readonly string[]> = {
  send: ['messages:send', 'domains:read'],
  read: [
    ...[
      'messages:read',
      'domains:read',
      'suppressions:read',
      'webhooks:read',
      'statistics-transactional:read',
    ],
    ...['templates:read', 'campaigns:read', 'contacts:read', 'lists:read'],
  ],
  all: ['*'],
};

/** @param domains none: all of the account */
export function scopesOf(chosen: readonly string[], domains: readonly string[]): string[] {
  if (chosen.includes('*')) return ['*'];
  const limited = new Set<string>(DOMAIN_SCOPES.flatMap(([, scopes]) => scopes));
  return chosen.flatMap((scope) => {
    if (!limited.has(scope)) return [scope];
    return domains.length === 0 ? [`${scope}:all`] : domains.map((domain) => `${scope}:${domain}`);
  });
}

/** A set of scopes in a few words. */
export function summaryOf(scopes: readonly string[]): string {
  if (scopes.includes('*')) return t.keys.everything;
  return scopes.length <= 2 ? scopes.join(', ') : t.keys.scopeCount(scopes.length);
}
