// API keys of any account.
import { accountPath, PAGE_OPTIONS, queryOf } from './requests.mjs';

export const KEY_COMMANDS = {
  keys: {
    usage: '<account id>',
    help: 'API keys of an account',
    options: PAGE_OPTIONS,
    least: 1,
    most: 1,
    request: ([id], { limit, after }) => ({ path: accountPath(id, `/api-keys${queryOf({ limit, after })}`) }),
    present: (response) => ({ ...response, data: response.data.map(keyRow) }),
    tables: { data: ['id', 'label', 'public_key', 'scopes', 'ip_allow_list', 'last_used_at'] },
  },
  'key-create': {
    usage: '<account id>',
    help: 'make an API key; its secret is shown this once',
    options: {
      label: { value: '<text>', help: 'what it is for', needed: true },
      scope: {
        value: '<scope>',
        help: 'what it may do, once per scope; * = everything',
        needed: true,
        multiple: true,
      },
      'allow-ip': {
        value: '<cidr>',
        help: 'address or network it may be used from, once for each; none = any',
        multiple: true,
      },
    },
    examples: [
      'key-create <account id> --label Production --scope messages:send:all --scope messages:read:all',
      "key-create <account id> --label Everything --scope '*' --allow-ip 192.0.2.0/24",
    ],
    least: 1,
    most: 1,
    request: ([id], { label, scope, 'allow-ip': networks }) => ({
      method: 'POST',
      path: accountPath(id, '/api-keys'),
      body: { label, scopes: scope, ...(networks ? { ip_allow_list: networks } : {}) },
    }),
    present: keyRow,
    fields: ['id', 'account_id', 'label', 'public_key', 'secret_key', 'scopes', 'ip_allow_list'],
  },
  'key-delete': {
    usage: '<account id> <key id>',
    help: 'take an API key back; no gateway accepts it any more when this ends',
    least: 2,
    most: 2,
    request: ([id, key]) => ({
      method: 'DELETE',
      path: accountPath(id, `/api-keys/${encodeURIComponent(key)}`),
    }),
    fields: ['message'],
  },
};

function keyRow(key) {
  return {
    ...key,
    scopes: key.scopes.map(({ scope }) => scope).join(' '),
    ip_allow_list: key.ip_allow_list.join(' ') || 'any',
  };
}
