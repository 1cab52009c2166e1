// @ts-check
// Ways out: pools, source addresses, relays, rules, and the budgets of new addresses.
import { OperatorTrouble } from './requests.mjs';

const PATH = '/operator/delivery-worker/egress';
const KINDS = { pool: 'pools', source: 'sources', relay: 'relays', rule: 'rules' };

/** Option → field of the body. */
const FIELDS = {
  order: 'order',
  'when-blocked': 'when_blocked',
  'over-budget': 'over_budget',
  address: 'address',
  ehlo: 'ehlo',
  'warm-up': 'warm_up',
  pool: 'pool',
  host: 'host',
  port: 'port',
  tls: 'tls',
  user: 'user',
  place: 'place',
  'allow-plaintext': 'allow_plaintext',
  account: 'account_id',
  domain: 'sending_domain',
  provider: 'provider',
  stream: 'stream',
  tag: 'tag',
};
const NUMBERS = ['port', 'place'];

/** @param {import('./requests.mjs').Options} options @param {string | undefined} password */
function bodyOf(options, password) {
  /** @type {Record<string, unknown>} */
  const body = {};
  for (const [option, field] of Object.entries(FIELDS)) {
    const value = options[option];
    if (value === undefined) continue;
    if (NUMBERS.includes(option)) body[field] = Number(value);
    else if (option === 'warm-up') body[field] = value === 'on';
    else body[field] = value;
  }
  return password === undefined ? body : { ...body, password };
}

/** @type {import('./requests.mjs').Commands} */
export const EGRESS_COMMANDS = {
  egress: {
    usage: '[pool|source|relay|rule <id>] [remove <kind> <id>]',
    help: 'ways out: pools, source addresses, relays, rules, budgets of new addresses',
    about: [
      'Without words it lists them. `egress <kind> <id>` with options makes or changes one; the next attempt uses it.',
      'pool: --order sources|sources-relays|relays-sources|relays, --when-blocked and --over-budget move|wait.',
      'source: --address, --ehlo, --pool, --warm-up on|off. relay: --host, --port, --tls required|implicit|opportunistic,',
      '--allow-plaintext, --user, --pool, --place; its password is read from POSTMESH_RELAY_PASSWORD.',
      'rule: --pool and conditions, which all have to hold: --account, --domain, --provider, --stream single|bulk, --tag;',
      'the first rule by --place decides, and mail without a rule is of the pool default.',
    ].join('\n'),
    examples: [
      'egress',
      'egress pool vip',
      'egress source a2 --address 192.0.2.11 --ehlo mta-2.example.com --pool vip --warm-up on',
      'egress relay ses --host email-smtp.eu-west-1.amazonaws.com --user AKIA --pool vip',
      'egress rule vip --account <account id> --pool vip',
      'egress remove rule vip',
    ],
    most: 3,
    options: {
      order: { value: '<order>', help: 'which ways of a pool are used, in their order' },
      'when-blocked': { value: 'move|wait', help: 'mail of a source that a provider blocks' },
      'over-budget': { value: 'move|wait', help: 'mail beyond the budget of a new address' },
      address: { value: '<ip>', help: 'an address that a machine with a delivery worker has' },
      ehlo: { value: '<name>', help: 'its name; the PTR record should be the same' },
      'warm-up': { value: 'on|off', help: 'it is new: budgets per mailbox provider' },
      pool: { value: '<id>', help: 'the pool of a source or relay, or the one that a rule gives mail to' },
      host: { value: '<name>', help: 'of a relay' },
      port: { value: '<port>', help: '587, or 465 with implicit TLS, unless given' },
      tls: { value: '<how>', help: 'required unless given' },
      'allow-plaintext': { help: 'with opportunistic TLS' },
      user: { value: '<name>', help: 'of a relay; the password is in POSTMESH_RELAY_PASSWORD' },
      place: { value: '<n>', help: 'order of relays in their pool, and of rules' },
      account: { value: '<id>', help: 'an account or a sub-account' },
      domain: { value: '<name>', help: 'a sending domain' },
      provider: { value: '<id>', help: 'a mailbox provider, or an MX group' },
      stream: { value: 'single|bulk', help: 'the priority of the mail' },
      tag: { value: '<tag>', help: 'of messages' },
    },
    run: async ([word, second, third], options, { env, ask }) => {
      if (word === undefined) return ask({ path: `${PATH}/ways` });
      if (word === 'remove') {
        const id = needed(third, 'remove takes a kind and an id: remove rule vip');
        return ask({ method: 'DELETE', path: `${PATH}/${kindOf(second)}/${encodeURIComponent(id)}` });
      }
      const id = needed(second, `name the ${word}`);
      const password = word === 'relay' ? env['POSTMESH_RELAY_PASSWORD'] : undefined;
      const body = bodyOf(options, password);
      return ask({ method: 'PUT', path: `${PATH}/${kindOf(word)}/${encodeURIComponent(id)}`, body });
    },
    present: (response) => ('pools' in response ? response : { changed: [response] }),
    tables: {
      changed: ['id'],
      pools: ['id', 'order', 'when_blocked', 'over_budget', 'origin'],
      sources: ['id', 'pool', 'address', 'ehlo', 'here', 'answered', 'in_spf', 'warm_up', 'origin'],
      relays: ['id', 'pool', 'place', 'host', 'port', 'tls', 'user', 'origin'],
      rules: ['id', 'place', 'pool', 'account_id', 'sending_domain', 'provider', 'stream', 'tag'],
      budgets: [
        ...['source', 'provider', 'stage', 'a_day', 'an_hour', 'used_today', 'used_this_hour'],
        ...['delivered', 'deferred', 'refused', 'complaints', 'signals'],
      ],
    },
  },
};

/** @param {string | undefined} word */
function kindOf(word = '') {
  const kind = Object.entries(KINDS).find(([one]) => one === word)?.[1];
  if (kind === undefined)
    throw new OperatorTrouble(`egress takes pool, source, relay or rule, not '${word}'`);
  return kind;
}

/** @param {string | undefined} word @param {string} otherwise */
function needed(word, otherwise) {
  if (word === undefined) throw new OperatorTrouble(otherwise);
  return word;
}
