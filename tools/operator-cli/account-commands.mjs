// @ts-check
// Accounts: their limits, their members, their API keys, and the settings of their domains.
import {
  OperatorTrouble,
  PAGE_OPTIONS,
  accountPath,
  fieldsOf,
  queryOf,
  readNumber,
  readRate,
  readSwitch,
} from './requests.mjs';

const ACCOUNTS = '/operator/accounts/accounts';
const ACCOUNT_FIELDS = [
  'id',
  'name',
  'state',
  'owner_email',
  'parent_account_id',
  'website',
  'created_at',
  'platform_partner',
  'monthly_credit',
  'credit_pool',
  'rate_limits',
  'member_count',
  'sub_account_count',
  'api_key_count',
  'suspended_at',
  'suspended_by',
  'suspension_reason',
  'blocked_at',
  'block_reason',
  'deleted_at',
];

/**
 * An action on one account.
 * @param {string} name
 * @param {{ help: string, about?: string, needsReason?: boolean }} about
 * @returns {import('./requests.mjs').Command}
 */
const accountAction = (name, { help, about, needsReason = true }) => ({
  usage: needsReason ? '<account id> <reason>' : '<account id>',
  help,
  about,
  least: needsReason ? 2 : 1,
  most: needsReason ? undefined : 1,
  request: ([id, ...reason]) => ({
    method: 'POST',
    path: accountPath(id, `/${name}`),
    body: needsReason ? { reason: reason.join(' ') } : undefined,
  }),
  fields: ACCOUNT_FIELDS,
});

/** @type {import('./requests.mjs').Commands} */
export const ACCOUNT_COMMANDS = {
  accounts: {
    help: 'accounts and their state, newest first',
    about: 'Deleted accounts are listed with --state deleted only.',
    options: {
      search: { value: '<text>', help: 'part of the name or of the owner’s address' },
      state: { value: '<state>', help: 'active, suspended, parent-suspended, blocked or deleted' },
      parent: { value: '<account id>', help: 'its sub-accounts; none = top-level accounts' },
      ...PAGE_OPTIONS,
    },
    examples: ['accounts --search example.com', 'accounts --parent none --state suspended'],
    most: 0,
    request: (_, { search, state, parent, limit, after }) => ({
      path: `${ACCOUNTS}${queryOf({ search, state, parent, limit, after })}`,
    }),
    tables: { data: ['id', 'state', 'name', 'owner_email', 'created_at', 'parent_account_id'] },
  },
  account: {
    usage: '<account id>',
    help: 'one account with its limits, credit and counts',
    least: 1,
    most: 1,
    request: ([id]) => ({ path: accountPath(id) }),
    fields: ACCOUNT_FIELDS,
  },
  'account-create': {
    help: 'create a top-level account with its owner',
    about: 'The owner becomes its first member. It has no API key yet: see key-create.',
    options: {
      name: { value: '<text>', help: 'name of the account', needed: true },
      'owner-email': { value: '<address>', help: 'who owns it', needed: true },
      'owner-name': { value: '<text>', help: 'name of the owner, for a new address' },
      website: { value: '<url>', help: 'its website' },
    },
    examples: ['account-create --name "Example Corp" --owner-email owner@example.com'],
    most: 0,
    request: (_, options) => ({
      method: 'POST',
      path: ACCOUNTS,
      body: fieldsOf(options, {
        name: ['name'],
        'owner-email': ['owner_email'],
        'owner-name': ['owner_name'],
        website: ['website'],
      }),
    }),
    fields: ACCOUNT_FIELDS,
  },
  'account-update': {
    usage: '<account id>',
    help: 'change name, flags and limits of an account',
    about: 'Omitted fields keep their value. Changes apply from the next request on.',
    options: {
      name: { value: '<text>', help: 'name of the account' },
      'platform-partner': { value: '<on|off>', help: 'whether it may have sub-accounts' },
      'monthly-credit': {
        value: '<messages>',
        help: 'most messages per calendar month (UTC), 0 = no cap; of a top-level account together with its sub-accounts',
      },
      'rate-general': {
        value: '<per second>/<burst>',
        help: 'its own limit of API requests; default = the limit of the settings',
      },
      'rate-statistics': { value: '<per second>/<burst>', help: 'the same for statistics' },
    },
    examples: [
      'account-update <account id> --monthly-credit 100000',
      'account-update <account id> --rate-general 500/1000',
    ],
    least: 1,
    most: 1,
    request: ([id], options) => ({ method: 'PUT', path: accountPath(id), body: limitsOf(options) }),
    fields: ACCOUNT_FIELDS,
  },
  'account-suspend': accountAction('suspend', {
    help: 'stop an account and its sub-accounts from sending',
    about:
      'Its API continues to work; waiting messages are suspended. Only an operator can lift it: account-resume.',
  }),
  'account-resume': accountAction('resume', {
    help: 'end a suspension; suspended messages are sent',
    needsReason: false,
  }),
  'account-block': accountAction('block', {
    help: 'refuse every request of an account and its sub-accounts',
    about: 'Every request gets 401 and nothing is sent, until account-unblock.',
  }),
  'account-unblock': accountAction('unblock', { help: 'end a block', needsReason: false }),
  'account-delete': {
    ...accountAction('', {
      help: 'delete an account with its sub-accounts, finally',
      about:
        'Keys stop working, waiting messages are cancelled, other accounts can add its domains. It cannot be undone; operators can still read the account.',
    }),
    request: ([id, ...reason]) => ({
      method: 'DELETE',
      path: accountPath(id),
      body: { reason: reason.join(' ') },
    }),
  },
  'account-transfer': {
    usage: '<account id> <address>',
    help: 'give an account, with its sub-accounts, to another of its members',
    about: 'The address must belong to a member (see members), who becomes an Administrator.',
    least: 2,
    most: 2,
    request: ([id, email]) => ({ method: 'POST', path: accountPath(id, '/owner'), body: { email } }),
    fields: ACCOUNT_FIELDS,
  },
  usage: {
    usage: '<account id>',
    help: 'usage of a top-level account and its sub-accounts in this month',
    least: 1,
    most: 1,
    request: ([id]) => ({ path: accountPath(id, '/usage') }),
    present: ({ parent, sub_accounts: children, removed_sub_accounts: removed, total, ...rest }) => ({
      ...rest,
      usage: [
        { name: 'the account itself', ...parent },
        ...children,
        { name: 'deleted sub-accounts', ...removed },
        { name: 'all', ...total },
      ],
    }),
    tables: { usage: ['account_id', 'name', 'reception_count', 'allocated_cost'] },
  },
  members: {
    usage: '<account id>',
    help: 'the members of an account',
    options: PAGE_OPTIONS,
    least: 1,
    most: 1,
    request: ([id], { limit, after }) => ({ path: accountPath(id, `/members${queryOf({ limit, after })}`) }),
    tables: { data: ['user_id', 'email', 'name', 'role', 'owner', 'created_at'] },
  },
  'console-link': {
    usage: '<address>',
    help: 'a link that signs a member in to the console, once, within 15 minutes',
    about:
      'For the first sign-in, and where no mail arrives. The link gives the rights of the member: hand it to no other person.',
    options: {
      account: { value: '<account id>', help: 'the account to begin in; default: their first one' },
    },
    examples: ['console-link ann@example.com'],
    least: 1,
    most: 1,
    request: ([email], { account }) => ({
      method: 'POST',
      path: '/operator/accounts/sign-in-links',
      body: { email, ...(account === undefined ? {} : { account_id: account }) },
    }),
    fields: ['url', 'expires_at', 'account_id', 'user_id'],
  },
};

/** @param {import('./requests.mjs').Options} options @returns {Record<string, unknown>} body of the change */
function limitsOf(options) {
  const rates = fieldsOf(options, {
    'rate-general': ['general', readRate],
    'rate-statistics': ['statistics', readRate],
  });
  const fields = fieldsOf(options, {
    name: ['name'],
    'platform-partner': ['platform_partner', readSwitch],
    'monthly-credit': ['monthly_credit', readNumber],
  });
  const wish = { ...fields, ...(Object.keys(rates).length > 0 ? { rate_limits: rates } : {}) };
  if (Object.keys(wish).length === 0) throw new OperatorTrouble('nothing to change: name an option');
  return wish;
}

/** @type {import('./requests.mjs').Commands} */
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
    help: 'create an API key; only this response shows its secret',
    options: {
      label: { value: '<text>', help: 'what it is for', needed: true },
      scope: {
        value: '<scope>',
        help: 'a scope of the key; * = all scopes',
        needed: true,
        multiple: true,
      },
      'allow-ip': {
        value: '<cidr>',
        help: 'an address or network that may use it; none = any',
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
    help: 'delete an API key; no gateway accepts it when this command ends',
    least: 2,
    most: 2,
    request: ([id, key]) => ({
      method: 'DELETE',
      path: accountPath(id, `/api-keys/${encodeURIComponent(key)}`),
    }),
    fields: ['message'],
  },
};

/** @param {any} key as the interface shows it */
function keyRow(key) {
  return {
    ...key,
    scopes: key.scopes.map(({ scope }) => scope).join(' '),
    ip_allow_list: key.ip_allow_list.join(' ') || 'any',
  };
}

const settingsPath = (id) => `/operator/domains/accounts/${encodeURIComponent(id)}/settings`;

// Readers of options with the value `default`, which restores the installation's setting.
/** @param {(text: string, name: string) => unknown} read @returns {(text: string, name: string) => unknown} */
const orDefault = (read) => (text, name) => (text === 'default' ? null : read(text, name));
const text = (value) => value;

/**
 * By option.
 * @typedef {[field: string, read: (text: string, name: string) => unknown, value: string, help: string]} Setting
 * @type {Record<string, Setting>}
 */
const SETTINGS = {
  'dns-mode': ['dns_mode', orDefault(text), '<managed|manual>', 'DNS mode of new domains'],
  'domain-limit': ['domain_limit', orDefault(readNumber), '<count>', 'most domains'],
  'return-path-satisfies-spf': [
    'return_path_satisfies_spf',
    readSwitch,
    '<on|off>',
    'a valid return path counts as SPF',
  ],
  'dkim-selector': ['dkim_selector', orDefault(text), '<label>', 'selector of domains without their own'],
  'dkim-rotation-days': [
    'dkim_rotation_days',
    orDefault(readNumber),
    '<days>',
    'days between rotations of keys',
  ],
  'tracking-subdomain': ['tracking_subdomain', orDefault(text), '<label>', 'subdomain for opens and clicks'],
  'return-path-subdomain': ['return_path_subdomain', orDefault(text), '<label>', 'subdomain for bounces'],
  'subscription-subdomain': [
    'subscription_subdomain',
    orDefault(text),
    '<label>',
    'subdomain for subscription pages',
  ],
  'media-subdomain': ['media_subdomain', orDefault(text), '<label>', 'subdomain for pictures'],
  'spf-host': ['spf_host', orDefault(text), '<host>', 'a partner’s own host in SPF records'],
  'return-path-host': [
    'return_path_host',
    orDefault(text),
    '<host>',
    'a partner’s own target of return paths',
  ],
  'tracking-host': ['tracking_host', orDefault(text), '<host>', 'a partner’s own target of tracking'],
  'mx-host': ['mx_host', orDefault(text), '<host>', 'a partner’s own MX'],
};

/** @type {import('./requests.mjs').Commands} */
export const ACCOUNT_DOMAIN_COMMANDS = {
  'domain-settings': {
    usage: '<account id>',
    help: 'the settings of an account’s domains; with options, change them',
    about: 'Omitted settings keep their value; `default` restores the value of the installation.',
    options: Object.fromEntries(
      Object.entries(SETTINGS).map(([option, [, , value, help]]) => [option, { value, help }]),
    ),
    examples: [
      'domain-settings <account id>',
      'domain-settings <account id> --domain-limit 50 --dns-mode manual',
    ],
    least: 1,
    most: 1,
    request: ([id], options) => {
      const change = fieldsOf(options, SETTINGS);
      return Object.keys(change).length === 0
        ? { path: settingsPath(id) }
        : { method: 'PUT', path: settingsPath(id), body: change };
    },
    fields: 'all',
  },
};
