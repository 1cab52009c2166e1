// @ts-check
// The secret keys of the installation, and the data under each.

/** @type {import('./requests.mjs').Commands} */
export const SECRET_COMMANDS = {
  'secrets-rotate': {
    help: 'encrypt the data of older secret keys again; exit code 0 when the older keys can be removed',
    about:
      'For use after a new key was put first in POSTMESH_SECRET_KEYS of every process (docs/operations.md). It runs in the services, whether this command waits or not, and may be repeated. API keys and passwords that an older key hashed follow when they are used (`at next use`); those that are not used by then stop working when that key is removed. An unreadable secret is under no listed key.',
    options: { status: { help: 'only show how far it is' } },
    examples: ['secrets-rotate', 'secrets-rotate --status'],
    most: 0,
    request: (_, { status }) =>
      status ? { path: '/operator/secrets' } : { method: 'POST', path: '/operator/secrets/rotate' },
    next: ({ rotating }, { status }) => (rotating && !status ? { path: '/operator/secrets' } : undefined),
    progress: ({ secrets }) => ({
      done: secrets.reduce((sum, { current }) => sum + current, 0),
      total: secrets.reduce((sum, { current, older }) => sum + current + older, 0),
      unit: 'secrets',
    }),
    present: ({ secrets, ...response }) => ({
      ...response,
      current_key_ids: response.current_key_ids.join(' '),
      older_key_ids: response.older_key_ids.join(' ') || null,
      secrets: secrets.filter(({ current, older, unreadable }) => current + older + unreadable > 0),
    }),
    fields: ['current_key_ids', 'older_key_ids', 'rotating', 'older_keys_removable'],
    tables: { secrets: ['service', 'kind', 'current', 'older', 'unreadable', 'state'] },
    isBad: (response) => !response.older_keys_removable,
  },
};
