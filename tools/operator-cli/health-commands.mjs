// @ts-check
// The installation: its health and queues, its audit, and its own DNS.
import { OperatorTrouble, PAGE_OPTIONS, queryOf, readTime } from './requests.mjs';

/** @type {import('./requests.mjs').Commands} */
export const HEALTH_COMMANDS = {
  doctor: {
    help: 'health of all parts, or the deliverability of a domain; exit code 1 when a check fails',
    about: [
      'With --domain: DNS of the domain, alignment, reverse DNS and block lists of the sending addresses, MTA-STS, TLSRPT, BIMI,',
      'complaints, and the requirements of Gmail and Outlook, for each account that has the domain. Answers of DNS are kept',
      'for ten minutes; checked_at says how old it is. The exit code is 1 at a fault, not at a warning.',
    ].join('\n'),
    options: {
      domain: { value: '<name>', help: 'a sending domain' },
      account: { value: '<account id>', help: 'with --domain: as this account has it' },
    },
    examples: ['doctor', 'doctor --domain mail.example.com'],
    most: 0,
    run: async (_, { domain, account }, { ask }) => {
      if (domain === undefined) return ask({ path: '/operator/doctor' });
      return examineDomain(domain, account, ask);
    },
    tables: {
      checks: ['ok', 'check', 'detail'],
      findings: ['account', 'state', 'check', 'text', 'fix', 'checked_at'],
      details: ['account', 'check', 'detail'],
      requirements: ['account', 'provider', 'applies_to', 'requirement', 'met'],
      views: ['account', 'source', 'figure', 'value', 'day', 'read_at', 'trouble'],
    },
    whole: true,
    isBad: ({ ok }) => !ok,
  },
  queue: {
    usage: '[resume <group>]',
    help: 'waiting messages with reason and time; suspended providers; lift a suspension',
    about: [
      'groups: MX groups that are suspended, in use, or whose limits changed last: connections and messages a second that all',
      'workers together use and may use, and the last reply that changed that. `needs_operator`: the provider says that nothing',
      'changes before something is done (a delisting, a DNS record). suspensions: of one sending domain or account only.',
      '`queue resume <group>` lifts what suspends a group: one message goes out at once, and its answer decides.',
    ].join('\n'),
    examples: ['queue', 'queue resume p:google'],
    most: 2,
    request: ([action, group]) => {
      if (action === undefined) return { path: '/operator/delivery-worker/queue' };
      if (action !== 'resume') throw new OperatorTrouble(`queue takes resume <group>, not '${action}'`);
      if (group === undefined) throw new OperatorTrouble('name the group, as `npx postmesh queue` lists it');
      return {
        method: 'POST',
        path: `/operator/delivery-worker/queue/groups/${encodeURIComponent(group)}/resume`,
      };
    },
    present: (response) =>
      'resumed' in response ? { resumed: [response] } : { ...response, totals: [response] },
    tables: {
      resumed: ['group', 'resumed'],
      totals: ['deliveries', 'in_flight', 'due', 'suspended', 'next_due_at'],
      suspended_accounts: ['account_id', 'deliveries', 'reason', 'next_end_at'],
      groups: [
        'group',
        'source',
        'state',
        'connections',
        'connections_allowed',
        'per_second',
        'per_second_allowed',
        'per_connection',
        'suspended_until',
        'needs_operator',
        'done',
        'done_at',
        'reply',
      ],
      suspensions: ['group', 'source', 'scope', 'subject', 'suspended_until', 'needs_operator', 'reply'],
      destinations: ['destination', 'deliveries', 'next_due_at'],
      waiting: ['message_id', 'destination', 'state', 'attempts', 'due_at', 'suspended_until', 'reason'],
    },
  },
  explain: {
    usage: '<provider or domain>',
    help: 'why mail to a provider is not faster: its ceiling, what set it, when its queue is empty',
    about: [
      'A provider by its id (google, outlook, yahoo …), or a domain, whose mail hosts are looked up. The ceiling of each source',
      'address with the rule, the setting or the reply that set it, and what would raise it. `empties_at` runs the rules of',
      'shaping ahead: limits rise with use, and a slow-down comes again where it came before; `latest_at` if it goes a little',
      'worse. Accounts take turns: --account shows the share of one and the end of its mail.',
    ].join('\n'),
    options: { account: { value: '<account id>', help: 'the part of this account, too' } },
    examples: ['explain google', 'explain example.com --account 0198c2de-0000-7000-8000-000000000000'],
    least: 1,
    most: 1,
    request: ([name = ''], { account }) => ({
      path: `/operator/delivery-worker/explanations/${encodeURIComponent(name)}${queryOf({ account_id: account })}`,
    }),
    present: ({ groups, notice }) => ({
      notice: notice === undefined ? [] : [{ notice }],
      groups,
      sources: groups.flatMap(({ group, sources }) => sources.map((source) => ({ group, ...source }))),
      accounts: groups.flatMap(({ group, account }) => (account === null ? [] : [{ group, ...account }])),
    }),
    tables: {
      notice: ['notice'],
      groups: [
        ...['group', 'per_second', 'per_second_allowed', 'due', 'in_flight', 'later', 'accounts'],
        ...['empties_at', 'latest_at'],
      ],
      sources: [
        ...['group', 'source', 'ceiling', 'per_second', 'connections'],
        ...['set_by', 'raised_by', 'reply_at', 'reply'],
      ],
      accounts: ['group', 'id', 'due', 'share', 'per_second', 'empties_at', 'latest_at'],
    },
  },
  'webhook-deliveries': {
    help: 'waiting webhook deliveries with reason and time',
    request: () => ({ path: '/operator/webhook-dispatcher/queue' }),
    tables: {
      '.': ['deliveries', 'in_flight', 'due', 'next_due_at'],
      hosts: ['host', 'deliveries', 'next_due_at'],
      waiting: ['delivery_id', 'target', 'endpoint_id', 'event_type', 'host', 'attempts', 'due_at', 'reason'],
    },
  },
  'webhook-delivery': {
    usage: '<id>',
    help: 'one webhook delivery, its outcome and its attempts',
    about:
      'The id is that of `npx postmesh webhook-deliveries`, or the header `webhook-id` that a receiver got.',
    least: 1,
    most: 1,
    request: ([id = '']) => ({ path: `/operator/webhook-dispatcher/deliveries/${deliveryId(id)}` }),
    present: ({ waiting, ended, ...response }) => ({
      ...response,
      waiting: waiting ? [waiting] : [],
      ended: ended ? [ended] : [],
    }),
    tables: {
      waiting: [
        'target',
        'endpoint_id',
        'event_type',
        'host',
        'state',
        'attempts',
        'due_at',
        'reason',
        'replay_of',
      ],
      ended: [
        'target',
        'endpoint_id',
        'event_type',
        'outcome',
        'attempts',
        'ended_at',
        'can_be_replayed',
        'replay_of',
      ],
      attempts: ['attempt', 'started_at', 'duration_ms', 'outcome', 'status', 'reason', 'response', 'host'],
    },
  },
  lag: {
    help: 'number of events that each service has not handled yet',
    request: () => ({ path: '/operator/lag' }),
    tables: { groups: ['group', 'stream', 'behind'] },
  },
  'dead-letters': {
    usage: '[consumer]',
    help: 'events that a consumer gave up, of all consumers or of one',
    about: 'With the reason of each failure. `replay` passes them to their consumer again.',
    most: 1,
    request: ([consumer]) => ({
      path: `/operator/dead-letters${consumer === undefined ? '' : queryOf({ consumer })}`,
    }),
    tables: { dead_letters: ['died_at', 'consumer', 'id', 'event_id', 'pattern', 'kind', 'reason'] },
  },
  replay: {
    usage: '<consumer> [id …]',
    help: 'pass dead letters to their own consumer again, all or some',
    about: 'Events that fail again stay dead letters, with their latest reason.',
    least: 1,
    request: ([consumer, ...ids]) => ({
      method: 'POST',
      path: '/operator/dead-letters/replay',
      body: { consumer, ...(ids.length > 0 ? { ids } : {}) },
    }),
    tables: { '.': ['replayed', 'failed'] },
  },
  jobs: {
    help: 'periodic and delayed work by kind',
    request: () => ({ path: '/operator/jobs' }),
    tables: { queues: ['name', 'waiting', 'active', 'delayed', 'failed'] },
  },
  'jobs-failed': {
    help: 'jobs without attempts left',
    request: () => ({ path: '/operator/jobs/failed' }),
    tables: { failed: ['failedAt', 'job', 'id', 'attempts', 'reason'] },
  },
  'jobs-retry': {
    help: 'try failed jobs again',
    request: () => ({ method: 'POST', path: '/operator/jobs/retry' }),
    tables: { '.': ['retried'] },
  },
};

/**
 * The doctor of a domain, in each account that has it.
 * @param {string} name @param {string | undefined} account @param {(request: import('./requests.mjs').OperatorRequest) => Promise<any>} ask
 */
async function examineDomain(name, account, ask) {
  const domain = encodeURIComponent(name);
  const { data } = await ask({ path: `/operator/domains/domains/${domain}` });
  const accounts = data
    .map(({ account_id: id }) => id)
    .filter((id) => account === undefined || id === account);
  if (accounts.length === 0) throw new OperatorTrouble(`account ${account} does not have ${name}`);
  /** @type {{ ok: boolean, findings: object[], details: object[], requirements: object[], views: object[] }} */
  const response = { ok: true, findings: [], details: [], requirements: [], views: [] };
  for (const id of accounts) {
    const path = `/operator/messages/accounts/${encodeURIComponent(id)}/domains/${domain}/doctor`;
    const { checks, requirements, views, feedback_views = [] } = await ask({ path });
    if (checks.some(({ state }) => state === 'fault')) response.ok = false;
    for (const { id: check, details, ...found } of checks) {
      response.findings.push({ account: id, check, ...found });
      response.details.push(...details.map((detail) => ({ account: id, check, detail })));
    }
    for (const { figures, ...of } of views)
      response.views.push(
        ...[...figures, ...(of.trouble ? [{}] : [])].map((figure) => ({ account: id, ...of, ...figure })),
      );
    for (const { source, read_at, last_report_day: day, complained, share } of feedback_views)
      response.views.push(
        { account: id, source, figure: 'complaints', value: complained, day, read_at },
        { account: id, source, figure: 'complaint_rate', value: share, day, read_at },
      );
    for (const { provider, items } of requirements)
      response.requirements.push(
        ...items.map(({ text, ...item }) => ({ account: id, provider, requirement: text, ...item })),
      );
  }
  return response;
}

/** Receivers know a delivery as `msg_` and the digits of its id. @param {string} text */
function deliveryId(text) {
  const digits = /^msg_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/.exec(text);
  return encodeURIComponent(digits ? digits.slice(1).join('-') : text);
}

/** @type {import('./requests.mjs').Commands} */
export const AUDIT_COMMANDS = {
  audit: {
    help: 'actions with their authors and times, newest first',
    about:
      'Actions of operators, of members in the console, and of API keys. `status` in the details of an operator’s request is the HTTP status of its response; null = unknown.',
    options: {
      account: { value: '<account id>', help: 'what was done to it' },
      actor: { value: '<who>', help: 'the name of an operator, the id of an API key or a user, or system' },
      action: { value: '<action>', help: 'such as account.block; account.* = all actions with this prefix' },
      since: { value: '<time>', help: '2026-01-31, 2026-01-31T08:00:00Z, or 30m, 24h, 7d ago' },
      until: { value: '<time>', help: 'the same form, exclusive' },
      ...PAGE_OPTIONS,
    },
    examples: ['audit --since 24h', 'audit --actor oncall --action account.*'],
    most: 0,
    request: (_, { account, actor, action, since, until, limit, after }) => ({
      path: `/operator/accounts/audit${queryOf({
        account_id: account,
        actor,
        action,
        since: readTime(since),
        until: readTime(until),
        limit,
        after,
      })}`,
    }),
    tables: { data: ['at', 'actor', 'action', 'account_id', 'subject_id', 'details'] },
  },
  'audit-verify': {
    help: 'whether an entry of the audit was changed or removed; exit code 1 then',
    about: [
      'Recomputes the hash of every entry over the one before it, and prints the end of the chain as `seq` and `hash`. A chain',
      'that was made anew as a whole is good in itself: note its end elsewhere, and give it with --noted later. Entries of the',
      'last seconds, and actions without an outcome yet, are `waiting` to be sealed.',
    ].join('\n'),
    options: { noted: { value: '<seq>:<hash>', help: 'an end that was noted earlier' } },
    examples: ['audit-verify', `audit-verify --noted 812:${'0'.repeat(64)}`],
    most: 0,
    request: (_, { noted }) => chainRequest(noted),
    next: ({ next }, { noted }) => (next === null ? undefined : chainRequest(noted, next)),
    nextMs: 0,
    progress: ({ seq }) => ({ done: seq, unit: 'entries' }),
    fields: ['problem', 'seq', 'hash', 'waiting'],
    isBad: ({ problem }) => problem !== null,
  },
};

/** @param {string | undefined} noted @param {number} [after] the last entry that was verified */
const chainRequest = (noted, after) => ({
  path: `/operator/accounts/audit/chain${queryOf({ noted, after: after === undefined ? undefined : `${after}` })}`,
});

const RECORDS = ['type', 'host', 'content'];

/** @type {import('./requests.mjs').Commands} */
export const SERVICE_DOMAIN_COMMANDS = {
  'system-domain': {
    help: 'DNS records of the sender domain of Postmesh itself; exit code 1 while they are wrong',
    about: 'The domain of POSTMESH_SYSTEM_SENDER. Without these records, receivers reject its messages.',
    most: 0,
    request: () => ({ path: '/operator/domains/system-domain' }),
    tables: {
      '.': ['domain', 'dns_valid', 'last_dns_check_at'],
      dns_records: ['required', 'propagated', ...RECORDS],
    },
    whole: true,
    isBad: (response) => !response.dns_valid,
  },
  zone: {
    help: 'DNS records that have to be in the zone of the service',
    about: 'The zone is POSTMESH_SERVICE_ZONE. The list includes the DKIM keys of managed domains.',
    most: 0,
    request: () => ({ path: '/operator/domains/zone' }),
    tables: { serviceRecords: RECORDS },
    whole: true,
  },
  'domain-connect-template': {
    help: 'the template and the key records to register Domain Connect with DNS hosts',
    about: [
      'Needs POSTMESH_DOMAIN_CONNECT_PROVIDER_ID and POSTMESH_DOMAIN_CONNECT_KEY. The template is a file for the repository of',
      'templates that DNS hosts take theirs from; the records are published in the zone of the service (docs/operations.md).',
    ].join('\n'),
    most: 0,
    request: () => ({ path: '/operator/domains/domain-connect/template' }),
    text: ({ file_name, template, key_records }) =>
      [
        ...key_records.map(({ host, type, content }) => `${host}  ${type}  ${content}`),
        '',
        file_name,
        JSON.stringify(template, null, 2),
      ].join('\n'),
  },
  'zone-status': {
    help: 'whether the DKIM keys of managed domains are in the zone; exit code 1 while they cannot be written',
    about:
      'With POSTMESH_ZONE_UPDATE_SERVER, Postmesh writes them there; otherwise another program publishes the list of `zone`.',
    most: 0,
    request: () => ({ path: '/operator/domains/zone/publication' }),
    tables: { '.': ['driver', 'zone', 'waiting', 'to_withdraw', 'problem', 'failing_since', 'next_at'] },
    isBad: (response) => response.problem !== null,
  },
  'dkim-keys': {
    help: 'DKIM keys of managed domains, and how far their rotation is',
    about: [
      'signing = not due; due = no rotation has begun; publishing = not every resolver sees the next key; verified = all do, it',
      'signs a day later; switched = it signs, the old key stays published. In trouble is a domain that sends and has been due',
      'for a day, or publishing for an hour; `domain <name>` says more.',
    ].join('\n'),
    options: {
      troubled: { help: 'only those in trouble' },
      state: { value: '<state>', help: 'signing, due, publishing, verified or switched' },
      search: { value: '<text>', help: 'a part of the name' },
      account: { value: '<account id>', help: 'of this account only' },
      ...PAGE_OPTIONS,
    },
    examples: ['dkim-keys --troubled'],
    most: 0,
    request: (_, { troubled, state, search, account, limit, after }) => ({
      path: `/operator/domains/dkim-rotations${queryOf({
        troubled: troubled ? 'true' : undefined,
        state,
        search,
        account,
        limit,
        after,
      })}`,
    }),
    tables: {
      data: ['domain', 'state', 'troubled', 'dns_valid', 'bits', 'due_at', 'next_at', 'reason', 'account_id'],
    },
  },
  'zone-republish': {
    help: 'write the DKIM keys of all managed domains into the zone again',
    about: 'After the zone was lost, restored from a backup, or moved to another server.',
    most: 0,
    request: () => ({ method: 'POST', path: '/operator/domains/zone/republish' }),
    tables: { '.': ['waiting'] },
  },
};
