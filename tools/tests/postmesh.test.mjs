import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { Operators, OperatorServer } from '../../services/gateway/dist/index.js';
import { COMMANDS } from '../operator-cli/commands.mjs';
import { progressOn } from '../operator-cli/progress.mjs';
import { runCommand } from '../postmesh.mjs';

const root = join(import.meta.dirname, '../..');
const TOKEN = 'pm-op-0123456789012345678901234567890123456789';
const ACCOUNT = {
  id: '0b6f4a52-7c1d-4e0f-8a39-61b2c7d8e9f0',
  name: 'Example Corp',
  state: 'active',
  owner_email: 'owner@example.test',
  parent_account_id: null,
  monthly_credit: 1000,
  rate_limits: { general: { per_second: 5, burst: 10 }, statistics: null },
};
const KEY = {
  id: 'k-1',
  label: 'Production',
  public_key: 'pm-pk-x',
  secret_key: 'pm-sk-x',
  scopes: [{ scope: 'messages:send:all' }, { scope: 'domains:read' }],
  ip_allow_list: [],
};
const MESSAGE = {
  id: 'm-1',
  status: 'Deferred',
  waiting_for: '451 later',
  waiting_until: '2026-01-05T08:05:00.000Z',
  sent_at: null,
  timeline: [
    {
      at: '2026-01-05T08:00:00.000Z',
      what: 'TransientFailure',
      host: 'mx.test',
      tls: 'none',
      reply: '451 later',
    },
  ],
};
const IMPORT = {
  id: 'i-1',
  state: 'failed',
  lines: 3,
  lines_done: 2,
  created: 1,
  errors: 1,
  first_errors: [{ line: 2, reason: 'email is required', text: ',a.test' }],
};
const DNS_HOST = { id: 't-1', zone: 'zone.test', host: 'desec', allow_rotation: true, access_key_id: null };

/** Credentials for the figures of providers. */
const VIEW = {
  provider: 'gmail',
  client_id: 'c',
  given_by: 'operator oncall',
  given_at: '2026-01-05T08:00:00.000Z',
};

/** The doctor of a domain. */
const DOCTOR = () => ({
  checks: [
    {
      ...{ id: 'dmarc', state: doctorState, text: 'p=none', fix: 'write p=reject', details: [] },
      checked_at: '2026-01-05T08:00:00.000Z',
    },
    {
      ...{ id: 'address_lists', state: 'ok', text: 'not listed', fix: null },
      ...{ details: ['bl.test: not listed'], checked_at: '2026-01-05T08:00:00.000Z' },
    },
  ],
  requirements: [
    {
      provider: 'gmail',
      items: [{ text: 'A DMARC policy', applies_to: 'bulk', checks: ['dmarc'], met: true }],
    },
  ],
  views: [
    {
      ...{
        provider: 'gmail',
        source: 'Gmail Postmaster Tools',
        read_at: '2026-01-05T08:00:00.000Z',
        trouble: null,
      },
      figures: [{ figure: 'spam_rate', value: 0.0004, day: '2026-01-03' }],
    },
  ],
});

const DOMAIN = {
  id: 'd-1',
  account_id: ACCOUNT.id,
  domain: 'shop.test',
  state: 'suspect',
  state_since: '2026-01-05T08:00:00.000Z',
  dns_valid: true,
  dns_mode: 'managed',
  sending_type: 'transactional',
  created_at: '2026-01-01T08:00:00.000Z',
  last_dns_check_at: '2026-01-05T08:00:00.000Z',
  next_dns_check_at: '2026-01-05T08:05:00.000Z',
  rotation_ready: false,
  dkim_rotation_interval_days: 30,
  paused: true,
  paused_at: '2026-01-04T08:00:00.000Z',
  pause_reason: 'bounce_rate',
  dkim: {
    selector: 'managed',
    waiting: null,
    rotation: {
      interval_days: 30,
      in_progress: false,
      started_at: null,
      verified_at: null,
      switched_at: null,
      next_at: '2026-01-06T08:00:00.000Z',
      reason: 'the standby record is not there',
    },
  },
  locks: [{ field: 'dkim_selector', value: 'managed', unlocked: true }],
  dns_records: [
    {
      label: 'SPF',
      type: 'TXT',
      host: 'shop.test',
      content: 'v=spf1',
      required: true,
      propagated: false,
      judged: true,
      explanation: { code: 'x', found: 'two\u001b[31m\nrecords', wanted: 'one', advice: 'Delete one.' },
    },
    {
      label: 'Media',
      type: 'CNAME',
      host: 'media.shop.test',
      content: 'media.svc.test',
      required: false,
      propagated: false,
      judged: false,
      explanation: null,
    },
    {
      label: 'DMARC',
      type: 'TXT',
      host: '_dmarc.shop.test',
      content: 'v=DMARC1',
      required: true,
      propagated: true,
      judged: true,
      explanation: null,
    },
  ],
  pauses: [
    {
      paused_at: '2026-01-04T08:00:00.000Z',
      reason: 'bounce_rate',
      paused_by: 'automatic',
      note: null,
      delivered: 880,
      bounced: 120,
      lifted_at: null,
      lifted_by: null,
    },
  ],
};
const seen = [];
/** The latest request of designs. */
const asked = () => (({ method, path, body }) => [method, path, body])(seen.at(-1));
let server;
let dataDir;
let healthy = true;
let doctorState = 'warning';
/** numbers of secrets under an older key in the next responses */
let sealedByOlder = [0];

function responseOfAccounts(path) {
  if (path === 'accounts/accounts') return { data: [ACCOUNT], pagination: { has_more: false } };
  if (path.endsWith('/api-keys')) return KEY;
  if (path.endsWith('/usage')) {
    const sums = { reception_count: 3, allocated_cost: 0.5 };
    return {
      currency: 'usd',
      parent: { account_id: ACCOUNT.id, ...sums },
      sub_accounts: [],
      removed_sub_accounts: sums,
      total: sums,
    };
  }
  return ACCOUNT;
}

/** Two contacts a page, three pages; the second one fails once on request. */
let breaksOff = false;
const CAMPAIGN = {
  id: 'c-1',
  account_id: '0b6f4a52-0000-4000-8000-000000000000',
  name: 'Spring',
  status: 'paused',
  status_reason: 'daily marketing limit reached',
  content: { html: '<p>Hello</p>' },
  counts: { recipients: 5, pending: 3, queued: 2, failed: 0 },
};

async function responseOfMarketing({ method, path, query, body, stream }) {
  if (path.endsWith('/attributes'))
    return method === 'GET' ? { data: [{ key: 'plan', type: 'string' }] } : body;
  if (path.endsWith('/marketing'))
    return { daily_limit: null, has_daily_limit: true, used_today: 7, review_every_campaign: true };
  if (!/contact|attributes/.test(path)) return { editor: 'simple' };
  if (path.includes('/attributes/')) return { message: 'attribute plan deleted successfully' };
  if (path.includes('/contacts/'))
    return {
      ...{ object: 'contact', id: 'c-1', created_at: 'then', email: 'a@mail.test', first_name: 'Ann' },
      ...{ attributes: { plan: 'gold' }, last_validated_at: null, added_later: 'too' },
      unsubscribes: [{ source: 'import' }],
    };
  if (path.endsWith('/contact-export')) {
    const page = Number(query.get('after') ?? 0);
    if (page === 1 && breaksOff) {
      breaksOff = false;
      throw new Error('the connection broke off');
    }
    return {
      text: `${page === 0 ? 'email\n' : ''}a${page}@mail.test\nb${page}@mail.test\n`,
      contacts: 2,
      ...(page === 0 ? { total: 6 } : {}),
      keys: ['plan'],
      next: page === 2 ? null : String(page + 1),
    };
  }
  if (method === 'GET') return { data: [IMPORT] };
  let text = '';
  for await (const part of stream.bytes) text += part;
  return { ...IMPORT, id: 'i-2', state: 'waiting', lines: text.split('\n').length, listed: 0 };
}

before(async () => {
  server = new OperatorServer({
    host: '127.0.0.1',
    port: 0,
    operators: new Operators([{ name: 'operator', token: TOKEN }]),
    logger: console,
    // readiness and metrics are not requested here
    .../** @type {any} */ ({}),
  });
  const answers = {
    'operator/doctor': () => ({
      ok: healthy,
      checks: [{ check: 'gateway is ready', ok: healthy, detail: 'so' }],
    }),
    'operator/dead-letters': () => ({
      dead_letters: [
        {
          died_at: '2026-01-05T08:00:00.000Z',
          consumer: 'webhooks.count-calls',
          id: '1',
          event_id: 'e-1',
          pattern: 'x.v1',
          kind: 'Bug',
          reason: 'bad\u001b[31m\nred',
        },
      ],
    }),
    'operator/dead-letters/replay': () => ({ replayed: 2, failed: 1 }),
    'operator/accounts/accounts': ({ path }) => responseOfAccounts(path),
    'operator/accounts/sign-in-links': ({ body }) => ({
      url: 'http://localhost:8080/console/sign-in#abc',
      expires_at: '2026-01-05T08:15:00.000Z',
      account_id: body.account_id ?? ACCOUNT.id,
      user_id: '0b6f4a52-7c1d-4e0f-8a39-61b2c7d8e9f1',
    }),
    'operator/accounts/audit/chain': ({ query }) => {
      const after = Number(query.get('after') ?? 0);
      const problem = query.has('noted') ? 'the chain until entry 2 is not the one that was noted' : null;
      return {
        seq: after + 2,
        hash: 'ab',
        waiting: 0,
        problem,
        next: after < 4 && problem === null ? after + 2 : null,
      };
    },
    'operator/domains/dkim-rotations': () => ({ data: [], pagination: { has_more: false } }),
    'operator/accounts/audit': () => ({
      data: [
        {
          at: '2026-01-05T08:00:00.000Z',
          actor: 'operator oncall',
          action: 'account.block',
          account_id: ACCOUNT.id,
          subject_id: ACCOUNT.id,
          details: { reason: 'spam' },
        },
      ],
      pagination: { has_more: true, next_cursor: 'abc' },
    }),
    'operator/domains/accounts': ({ method, path }) => {
      if (path.endsWith('/dns-hosts')) return method === 'POST' ? DNS_HOST : { data: [DNS_HOST] };
      if (path.includes('/dns-hosts/')) return { removed: 't-1' };
      return path.endsWith('/settings')
        ? { dnsMode: 'managed', records: { hosts: { mx: 'mx.postmesh.test' } } }
        : { data: [DOMAIN], has_more: false };
    },
    'operator/domains/provider-views': () => ({ data: [VIEW] }),
    'operator/domains/domains': () => ({ data: [DOMAIN], has_more: true }),
    'operator/domains/zone': ({ method }) =>
      method === 'POST'
        ? { waiting: 7 }
        : {
            driver: 'dynamic-update',
            zone: 'svc.test',
            waiting: 2,
            to_withdraw: 0,
            problem: 'zone update failed: REFUSED',
            failing_since: '2026-10-05T07:00:00.000Z',
            next_at: '2026-10-05T07:01:00.000Z',
          },
    'operator/domains/domain-connect': () => ({
      file_name: 'mail.example.com.mail.json',
      template: { providerId: 'mail.example.com', serviceId: 'mail', records: [] },
      key_records: [{ type: 'TXT', host: '_dck1.svc.test', content: 'p=1,a=RS256,d=MIIB' }],
    }),
    'operator/domains/system-domain': () => ({
      domain: 'postmesh.test',
      dns_valid: false,
      last_dns_check_at: null,
      dns_records: [
        {
          type: 'TXT',
          host: 'x',
          content: 'k'.repeat(400),
          required: true,
          propagated: false,
          label: 'DKIM',
        },
      ],
    }),
    'operator/delivery-worker/explanations': ({ query }) => ({
      of: 'google',
      groups: [
        {
          group: 'p:google',
          provider: 'google',
          sources: [
            {
              ...{ source: null, ceiling: 'pace', per_second: 0.5, connections: 1 },
              set_by: 'Google takes 0.5 messages a second from us (421 4.7.28), since 2026-01-05',
              ...{ reply: '421 4.7.28 slow', reply_at: '2026-01-05T08:00:00.000Z', raised_by: 'use' },
            },
          ],
          ...{ per_second: 0.5, per_second_allowed: 0.5, due: 40, in_flight: 1, later: 0, accounts: 2 },
          ...{ empties_at: '2026-01-05T08:02:00.000Z', latest_at: null },
          account: query.has('account_id')
            ? { id: 'acc-1', due: 10, share: 0.5, per_second: 0.25, empties_at: null, latest_at: null }
            : null,
        },
      ],
    }),
    'operator/jobs': () => ({
      queues: { 'domains.recheck': { waiting: 0, active: 1, delayed: 2, failed: 3 } },
    }),
    'operator/messages/feedback': ({ path }) =>
      path.endsWith('m-1')
        ? { id: 'm-1', kind: 'unknown', sender: 'fbl@provider.test', text: 'The code is 4711.\n', html: '' }
        : {
            address: 'fbl@rp.postmesh.test',
            complaints: [{ form: 'yahoo', matched: 3, unmatched: 1, last_at: '2026-01-05T08:00:00Z' }],
            mail: [{ id: 'm-1', kind: 'unknown', sender: 'fbl@provider.test', subject: 'Confirm' }],
          },
    'operator/messages/messages': ({ path, query }) => {
      if (path !== 'messages/messages') return MESSAGE;
      const to = query.get('recipient');
      const one = {
        created_at: '2026-01-05T08:00:00.000Z',
        status: 'Deferred',
        subject: 'Hello',
        sender: 'a',
      };
      const count = { 'ann@mail.test': 1, 'ben@mail.test': 2 }[to] ?? 0;
      return { data: Array.from({ length: count }, (_, nth) => ({ ...one, id: `m-${nth + 1}` })) };
    },
    'operator/marketing/campaign-recipients': ({ query }) => ({
      data:
        query.get('email') === 'cleo@mail.test'
          ? [{ message_id: 'm-9', campaign: 'Spring', status: 'bounced', campaign_id: 'c-1' }]
          : [],
    }),
    'operator/messages/accounts': async ({ method, path, stream }) => {
      if (path.endsWith('/doctor')) return DOCTOR();
      if (method === 'GET') return { data: [IMPORT] };
      let text = '';
      for await (const part of stream.bytes) text += part;
      return { ...IMPORT, state: 'waiting', lines: text.split('\n').length, operator: stream.contentType };
    },
    'operator/messages/suppression-imports': ({ method }) =>
      method === 'DELETE' ? { ...IMPORT, problem: 'canceled by operator' } : IMPORT,
    'operator/marketing/accounts': responseOfMarketing,
    'operator/marketing/contact-imports': ({ path }) => ({
      ...IMPORT,
      id: path.split('/').at(-1),
      state: path.endsWith('i-2') ? 'done' : IMPORT.state,
      list_id: 'l-1',
      listed: 1,
    }),
    'operator/marketing/campaigns': ({ path }) =>
      path.endsWith('campaigns') ? { data: [CAMPAIGN], has_more: false } : CAMPAIGN,
    'operator/marketing': () => ({ editor: 'simple' }),
    'operator/secrets': () => {
      const older = (sealedByOlder.length > 1 ? sealedByOlder.shift() : sealedByOlder[0]) ?? 0;
      return {
        current_key_ids: ['b0b0'],
        older_key_ids: ['a0a0'],
        rotating: older > 1,
        older_keys_removable: older === 0,
        secrets: [
          { service: 'domains', kind: 'dkim-keys', current: 9 - older, older, unreadable: 0, state: 's' },
          { service: 'messages', kind: 'stored-responses', current: 0, older: 0, unreadable: 0, state: 's' },
        ],
      };
    },
    'operator/delivery-worker': ({ method }) =>
      method === 'POST'
        ? { group: 'p:google', resumed: 1 }
        : {
            deliveries: 0,
            in_flight: 0,
            due: 0,
            suspended: 0,
            next_due_at: null,
            suspended_accounts: [],
            groups: [],
            suspensions: [],
            destinations: [],
            waiting: [],
          },
  };
  for (const [prefix, response] of Object.entries(
    /** @type {Record<string, (request: any) => unknown>} */ (answers),
  )) {
    server.route('*', prefix, async (request) => {
      seen.push({ ...request, query: Object.fromEntries(request.query) });
      return { body: await response(request) };
    });
  }
  const port = await server.listen();
  dataDir = mkdtempSync(join(tmpdir(), 'postmesh-cli-'));
  writeFileSync(
    join(dataDir, 'credentials.json'),
    JSON.stringify({ operator_url: `http://127.0.0.1:${port}`, operator_token: TOKEN }),
  );
});
after(async () => {
  await server.close();
  rmSync(dataDir, { recursive: true });
});

const run = (words, env = {}) => runCommand(words.split(' '), { POSTMESH_DATA_DIR: dataDir, ...env });

describe('npx postmesh', () => {
  it('shows the checks of doctor, and fails when one fails', async () => {
    assert.deepEqual(await run('doctor'), {
      text: 'ok   check             detail\nyes  gateway is ready  so',
      code: 0,
    });
    healthy = false;
    assert.equal((await run('doctor')).code, 1);
    healthy = true;
  });

  it('shows the doctor of a domain in each account that has it, and fails at a fault alone', async () => {
    const { text, code } = await run('doctor --domain shop.test');
    assert.match(
      text,
      /^account +state +check +text +fix +checked_at\n.* warning +dmarc +p=none +write p=reject /,
    );
    assert.match(text, /\n\naccount +check +detail\n.* address_lists +bl\.test: not listed/);
    assert.match(text, /\n.* gmail +bulk +A DMARC policy +yes\n/);
    assert.match(text, / Gmail Postmaster Tools +spam_rate +0\.0004 +2026-01-03 /);
    assert.equal(code, 0);
    assert.equal(seen.at(-1).path, `messages/accounts/${DOMAIN.account_id}/domains/shop.test/doctor`);
    doctorState = 'fault';
    assert.equal((await run(`doctor --domain shop.test --account ${DOMAIN.account_id}`)).code, 1);
    doctorState = 'warning';
    await assert.rejects(
      run('doctor --domain shop.test --account other'),
      /account other does not have shop\.test/,
    );
  });

  it('gives credentials for the figures of Gmail, with its secrets from the environment', async () => {
    assert.match((await run('provider-views')).text, /^provider +client_id .*\ngmail +c +operator oncall /);
    await assert.rejects(run('provider-views set gmail c'), /set POSTMESH_PROVIDER_SECRET/);
    await assert.rejects(run('provider-views set yahoo c'), /takes set gmail/);
    await run('provider-views set gmail c', {
      POSTMESH_PROVIDER_SECRET: 's',
      POSTMESH_PROVIDER_REFRESH_TOKEN: 'r',
    });
    assert.deepEqual(seen.at(-1).body, { client_id: 'c', client_secret: 's', refresh_token: 'r' });
    await run('provider-views remove gmail');
    assert.deepEqual([seen.at(-1).method, seen.at(-1).path], ['DELETE', 'domains/provider-views/gmail']);
  });

  it('gives the key of Microsoft SNDS, from the environment', async () => {
    await assert.rejects(run('provider-views set snds'), /set POSTMESH_PROVIDER_SECRET/);
    await assert.rejects(run('provider-views set snds k', { POSTMESH_PROVIDER_SECRET: 's' }), /nothing else/);
    await run('provider-views set snds', { POSTMESH_PROVIDER_SECRET: 's' });
    assert.deepEqual(
      [seen.at(-1).method, seen.at(-1).path, seen.at(-1).body],
      ['PUT', 'domains/provider-views/snds', { key: 's' }],
    );
    await run('provider-views remove snds');
    assert.deepEqual([seen.at(-1).method, seen.at(-1).path], ['DELETE', 'domains/provider-views/snds']);
  });

  it('shows dead letters without letting their text steer the terminal', async () => {
    const { text } = await run('dead-letters webhooks.count-calls');
    assert.match(text, /e-1 +x\.v1 +Bug +bad \[31m red$/);
    assert.deepEqual(seen.at(-1).query, { consumer: 'webhooks.count-calls' });
    await run('dead-letters');
    assert.deepEqual(seen.at(-1).query, {});
  });

  it('replays all dead letters, or those that are named', async () => {
    assert.match((await run('replay webhooks.count-calls')).text, /replayed +failed\n2 +1/);
    assert.deepEqual(seen.at(-1).body, { consumer: 'webhooks.count-calls' });
    await run('replay webhooks.count-calls 1 e-2');
    assert.deepEqual(seen.at(-1).body, { consumer: 'webhooks.count-calls', ids: ['1', 'e-2'] });
  });

  it('shows maps as tables and leaves out lists that are empty', async () => {
    assert.match((await run('jobs')).text, /^name +waiting.*\ndomains\.recheck +0 +1 +2 +3$/);
    assert.equal(
      (await run('queue')).text,
      'deliveries  in_flight  due  suspended  next_due_at\n0           0          0    0          -',
    );
  });

  it('lifts only the suspension of a group', async () => {
    assert.match((await run('queue resume p:google')).text, /^group +resumed\np:google +1$/);
    assert.deepEqual([seen.at(-1).method, seen.at(-1).rest], ['POST', 'queue/groups/p%3Agoogle/resume']);
    await assert.rejects(run('queue stop p:google'), /queue takes resume <group>, not 'stop'/);
    await assert.rejects(run('queue resume'), /name the group/);
  });

  it('explains a provider: its queue, the ceiling of each source, the share of an account', async () => {
    const { text } = await run('explain google --account acc-1');
    assert.deepEqual(seen.at(-1).query, { account_id: 'acc-1' });
    assert.match(text, /^group +per_second .*\np:google +0\.5 /);
    assert.match(text, /\np:google +- +pace +0\.5 +1 +Google takes 0\.5 messages a second/);
    assert.match(text, /\np:google +acc-1 +10 +0\.5 /);
    await run('explain mail.test');
    assert.deepEqual([seen.at(-1).query, seen.at(-1).rest], [{}, 'mail.test']);
    await assert.rejects(run('explain'), /explain/);
  });

  it('prints the answer itself with --json', async () => {
    assert.deepEqual(JSON.parse((await run('doctor --json')).text).ok, true);
  });

  it('requests any path', async () => {
    await run('put /operator/delivery-worker/thing/x {"a":1}');
    assert.deepEqual([seen.at(-1).method, seen.at(-1).rest, seen.at(-1).body], ['PUT', 'thing/x', { a: 1 }]);
  });

  const A = ACCOUNT.id;
  const wishes = [
    ['accounts', 'GET', 'accounts/accounts', {}, undefined],
    [
      'accounts --search example --state active --parent none --limit 5 --after c',
      'GET',
      'accounts/accounts',
      { search: 'example', state: 'active', parent: 'none', limit: '5', after: 'c' },
      undefined,
    ],
    [`account ${A}`, 'GET', `accounts/accounts/${A}`, {}, undefined],
    [
      'account-create --name Corp --owner-email o@corp.test',
      'POST',
      'accounts/accounts',
      {},
      { name: 'Corp', owner_email: 'o@corp.test' },
    ],
    [
      `account-update ${A} --platform-partner off --monthly-credit 7 --rate-general 5/10 --rate-statistics default`,
      'PUT',
      `accounts/accounts/${A}`,
      {},
      {
        platform_partner: false,
        monthly_credit: 7,
        rate_limits: { general: { per_second: 5, burst: 10 }, statistics: null },
      },
    ],
    [
      `account-suspend ${A} too many bounces`,
      'POST',
      `accounts/accounts/${A}/suspend`,
      {},
      { reason: 'too many bounces' },
    ],
    [`account-resume ${A}`, 'POST', `accounts/accounts/${A}/resume`, {}, undefined],
    [`account-block ${A} spam`, 'POST', `accounts/accounts/${A}/block`, {}, { reason: 'spam' }],
    [`account-unblock ${A}`, 'POST', `accounts/accounts/${A}/unblock`, {}, undefined],
    [`account-delete ${A} asked for it`, 'DELETE', `accounts/accounts/${A}`, {}, { reason: 'asked for it' }],
    [
      `account-transfer ${A} heir@corp.test`,
      'POST',
      `accounts/accounts/${A}/owner`,
      {},
      { email: 'heir@corp.test' },
    ],
    [`usage ${A}`, 'GET', `accounts/accounts/${A}/usage`, {}, undefined],
    [
      `key-create ${A} --label Live --scope a --scope b --allow-ip 192.0.2.1`,
      'POST',
      `accounts/accounts/${A}/api-keys`,
      {},
      { label: 'Live', scopes: ['a', 'b'], ip_allow_list: ['192.0.2.1'] },
    ],
    [`key-delete ${A} k-1`, 'DELETE', `accounts/accounts/${A}/api-keys/k-1`, {}, undefined],
    [
      `audit --account ${A} --actor oncall --action account.* --since 2026-01-31 --until 2026-02-01T00:00:00Z`,
      'GET',
      'accounts/audit',
      {
        account_id: A,
        actor: 'oncall',
        action: 'account.*',
        since: '2026-01-31T00:00:00Z',
        until: '2026-02-01T00:00:00Z',
      },
      undefined,
    ],
    [`domain-settings ${A}`, 'GET', `domains/accounts/${A}/settings`, {}, undefined],
    [
      `domain-settings ${A} --domain-limit 50 --dns-mode default --return-path-satisfies-spf on`,
      'PUT',
      `domains/accounts/${A}/settings`,
      {},
      { domain_limit: 50, dns_mode: null, return_path_satisfies_spf: true },
    ],
    ['zone-status', 'GET', 'domains/zone/publication', {}, undefined],
    ['zone-republish', 'POST', 'domains/zone/republish', {}, undefined],
    ['dkim-keys --troubled', 'GET', 'domains/dkim-rotations', { troubled: 'true' }, undefined],
    ['domain mail.shop.test', 'GET', 'domains/domains/mail.shop.test', {}, undefined],
    [
      `domain-pause ${A} shop.test complaints of a provider`,
      'POST',
      `domains/accounts/${A}/domains/shop.test/pause`,
      {},
      { reason: 'complaints of a provider' },
    ],
    [
      `domain-unpause ${A} shop.test`,
      'POST',
      `domains/accounts/${A}/domains/shop.test/unpause`,
      {},
      undefined,
    ],
    [
      `domain-unlock ${A} shop.test tracking_subdomain dkim_selector`,
      'POST',
      `domains/accounts/${A}/domains/shop.test/unlock`,
      {},
      { fields: ['tracking_subdomain', 'dkim_selector'] },
    ],
    ['system-domain', 'GET', 'domains/system-domain', {}, undefined],
    ['campaigns', 'GET', 'marketing/campaigns', {}, undefined],
    [
      `campaigns --status paused --account ${A} --limit 5 --after c`,
      'GET',
      'marketing/campaigns',
      { status: 'paused', account: A, limit: '5', after: 'c' },
      undefined,
    ],
    ['campaign c/1', 'GET', 'marketing/campaigns/c%2F1', {}, undefined],
    ['campaign-approve c-1', 'POST', 'marketing/campaigns/c-1/approve', {}, undefined],
    [
      'campaign-return c-1 Add your imprint',
      'POST',
      'marketing/campaigns/c-1/return',
      {},
      { note: 'Add your imprint' },
    ],
    ['campaign-reject c-1', 'POST', 'marketing/campaigns/c-1/reject', {}, undefined],
    ['campaign-reject c-1 no consent', 'POST', 'marketing/campaigns/c-1/reject', {}, { note: 'no consent' }],
    ['campaign-pause c-1', 'POST', 'marketing/campaigns/c-1/pause', {}, undefined],
    ['campaign-resume c-1', 'POST', 'marketing/campaigns/c-1/resume', {}, undefined],
    ['campaign-cancel c-1', 'POST', 'marketing/campaigns/c-1/cancel', {}, undefined],
    [`marketing ${A}`, 'GET', `marketing/accounts/${A}/marketing`, {}, undefined],
    ...[
      ['--daily-limit none', { daily_limit: null }],
      ['--daily-limit default', { daily_limit: 'default' }],
      ['--daily-limit 0 --review off', { daily_limit: 0, review_every_campaign: false }],
    ].map(([options, body]) => [
      `marketing ${A} ${options}`,
      'PUT',
      `marketing/accounts/${A}/marketing`,
      {},
      body,
    ]),
    ['message <m@x.test>', 'GET', 'messages/messages/%3Cm%40x.test%3E', {}, undefined],
  ];
  for (const [words, method, path, query, body] of wishes) {
    it(`sends the request of ${words}`, async () => {
      await run(words);
      const request = seen.at(-1);
      assert.deepEqual([request.method, request.path, request.query], [method, path, query]);
      assert.deepEqual(request.body, body);
    });
  }

  it('shows the address of feedback loops and its mail, and reads one mail', async () => {
    const { text } = await run('feedback');
    assert.match(text, /^address +fbl@rp\.postmesh\.test$/m);
    assert.match(text, /^yahoo +3 +1 +2026-01-05/m);
    assert.match(text, /^m-1 .* +fbl@provider\.test +Confirm$/m);
    assert.match((await run('feedback m-1')).text, /^text +The code is 4711\./m);
  });

  it('sends the file of an import unchanged, and shows its progress', async () => {
    const [csv, other] = ['list.csv', 'list.txt'].map((name) => join(dataDir, name));
    writeFileSync(csv, 'email\n' + 'ann@mail.test\n'.repeat(200_000));
    writeFileSync(other, '{}');
    const env = { POSTMESH_DATA_DIR: dataDir };
    const sent = async (...words) => {
      const progress = [];
      const given = ['suppressions', 'import', ...words, '--account', A];
      const { text } = await runCommand(given, env, (shown) => void progress.push(shown));
      // it is followed until it ends
      assert.match(text, /^state +failed$/m);
      const { path, stream } = seen.findLast(({ method }) => method === 'POST');
      assert.equal(path, `messages/accounts/${A}/suppression-imports`);
      return [stream.contentType, progress];
    };
    assert.deepEqual(await sent(csv), ['text/csv', [{ done: 2, total: 200_002, unit: 'lines' }]]);
    assert.equal((await sent(other))[0], 'application/x-ndjson');
    assert.equal((await sent(other, '--format', 'csv'))[0], 'text/csv');
    assert.equal((await sent(csv, '--encoding', 'windows-1252'))[0], 'text/csv; charset=windows-1252');
    const status = await run('suppressions import-status i-1');
    assert.match(status.text, /^lines_done +2$[^]*^2 +email is required +,a\.test$/m);
    assert.equal(status.code, 1);
    const canceled = await run('suppressions import-cancel i-1');
    assert.match(canceled.text, /^problem +canceled by operator$/m);
    assert.equal(canceled.code, 0);
    assert.match((await run(`suppressions imports --account ${A}`)).text, /^i-1 +failed +3 +2/m);
  });

  it('imports contacts and shows the progress until the end', async () => {
    const file = join(dataDir, 'people.csv');
    writeFileSync(file, 'email\nann@mail.test\n');
    const { text, code } = await run(`contacts-import ${file} --account ${A} --list l-1`);
    assert.match(text, /^state +done$[^]*^list_id +l-1$/m);
    assert.equal(code, 0);
    const [sent] = seen.filter(({ method, path }) => method === 'POST' && path.endsWith('/contact-imports'));
    assert.deepEqual(sent.query, { list_id: 'l-1' });
    assert.equal((await run('contacts-import-status i-1')).code, 1);
    await run('contacts-import-cancel i-1');
    assert.equal(seen.at(-1).method, 'DELETE');
    assert.match((await run(`contacts-imports --account ${A}`)).text, /^i-1 /m);
  });

  it('exports contacts, and continues after a kill', async () => {
    const file = join(dataDir, 'export.csv');
    const whole = 'email\n' + [0, 1, 2].map((n) => `a${n}@mail.test\nb${n}@mail.test\n`).join('');
    breaksOff = true;
    await assert.rejects(run(`contacts-export ${file} --account ${A}`), /500/);
    // half a line of a partial page
    writeFileSync(file, `${readFileSync(file, 'utf8')}a1@ma`);
    await assert.rejects(
      run(`contacts-export ${file} --account other`),
      /belongs to an export of another account/,
    );
    const { text } = await run(`contacts-export ${file} --account ${A}`);
    assert.match(text, /^6 contacts are in .*export\.csv$/);
    assert.equal(readFileSync(file, 'utf8'), whole);
    assert.equal(existsSync(`${file}.resume`), false);
    assert.deepEqual(seen.at(-1).query, { format: 'csv', after: '2', keys: 'plan' });
    await assert.rejects(run(`contacts-export ${file} --account ${A}`), /exists already/);
  });

  it('shows why a campaign waits, its counters without the zeros, and its content with --json only', async () => {
    assert.match((await run('campaigns')).text, /^c-1 +paused +daily marketing limit reached +Spring/m);
    const { text } = await run('campaign c-1');
    assert.match(text, /^status_reason +daily marketing limit reached$/m);
    assert.match(text, /^counts +recipients 5, pending 3, queued 2$/m);
    assert.doesNotMatch(text, /Hello/);
    assert.equal(JSON.parse((await run('campaign c-1 --json')).text).content.html, '<p>Hello</p>');
    assert.match((await run(`marketing ${A}`)).text, /^daily_limit +none$/m);
    await assert.rejects(run('campaign-return c-1'), /something is missing/);
    await assert.rejects(run('campaign-pause c-1 x'), /'x' is too much/);
    await assert.rejects(run(`marketing ${A} --daily-limit much`), /--daily-limit must be a whole number/);
    await assert.rejects(run(`marketing ${A} --review maybe`), /--review must be on or off/);
  });

  it('shows a contact and the attributes of contacts', async () => {
    const [fields, unsubscribes] = (await run(`contact a@mail.test --account ${A}`)).text.split('\n\n');
    assert.deepEqual(
      fields.split('\n').map((line) => line.split(/ +/)),
      [
        ['id', 'c-1'],
        ['email', 'a@mail.test'],
        ['first_name', 'Ann'],
        ['added_later', 'too'],
        ['attributes', '{"plan":"gold"}'],
        ['created_at', 'then'],
      ],
    );
    assert.match(unsubscribes, / import /);
    assert.equal(seen.at(-1).path, `marketing/accounts/${A}/contacts/a%40mail.test`);
    assert.match((await run(`attributes --account ${A}`)).text, /^plan +string/m);
    assert.match((await run(`attributes add plan string --account ${A}`)).text, /^key +plan$/m);
    assert.match((await run(`attributes delete plan --account ${A}`)).text, /deleted successfully/);
    await assert.rejects(run(`attributes drop plan --account ${A}`), /takes add and delete/);
    await assert.rejects(run(`attributes add plan --account ${A}`), /name the type/);
  });

  it('sends a design of blocks with its HTML, or shows the existing one', async () => {
    const [blocks, html, own] = ['design.json', 'design.html', 'design.txt'].map((name) =>
      join(dataDir, name),
    );
    writeFileSync(blocks, '{"rows":[1]}');
    writeFileSync(html, '<p>Hello</p>');
    writeFileSync(own, 'Hello you');
    const files = `--blocks ${blocks} --html ${html}`;
    const path = `marketing/accounts/${A}/campaign-templates`;
    await run(`simple-template-create ${A} --name Newsletter ${files}`);
    const design = { blocks: { rows: [1] }, content: { html: '<p>Hello</p>' } };
    assert.deepEqual(asked(), ['POST', path, { name: 'Newsletter', ...design }]);
    await run(`simple-template ${A} t-1`);
    assert.deepEqual(asked(), ['GET', `${path}/t-1/simple-design`, undefined]);
    await run(`simple-template ${A} t-1 ${files} --text ${own}`);
    const content = { html: '<p>Hello</p>', text: 'Hello you' };
    assert.deepEqual(asked(), ['PUT', `${path}/t-1/simple-design`, { ...design, content }]);
    await run(`simple-campaign ${A} c-1 ${files} --made-text`);
    assert.deepEqual(asked(), [
      'PUT',
      `marketing/accounts/${A}/campaigns/c-1/simple-design`,
      { ...design, content: { html: '<p>Hello</p>', text: null } },
    ]);
    await assert.rejects(run(`simple-campaign ${A} c-1 --html ${html}`), /a design needs --blocks/);
    await assert.rejects(
      run(`simple-campaign ${A} c-1 ${files} --text ${own} --made-text`),
      /cannot be given/,
    );
    await assert.rejects(run(`simple-campaign ${A} c-1 --blocks ${html} --html ${html}`), /invalid JSON/);
    await assert.rejects(run(`simple-campaign ${A} c-1 --blocks none --html ${html}`), /none cannot be read/);
  });

  it('names the missing input of an import', async () => {
    await assert.rejects(
      run(`suppressions import no-such-file --account ${A}`),
      /no-such-file cannot be read/,
    );
    await assert.rejects(run('suppressions import x'), /name the account with --account/);
    await assert.rejects(run(`suppressions import x --account ${A} --format xls`), /must be csv or ndjson/);
    await assert.rejects(run('suppressions import-status'), /name the import/);
    await assert.rejects(
      run('suppressions wipe'),
      /takes import, import-status, import-cancel, imports, not 'wipe'/,
    );
  });

  it('shows one account line by line, without fields that are not set', async () => {
    assert.equal(
      (await run(`account ${A}`)).text,
      [
        `id              ${A}`,
        'name            Example Corp',
        'state           active',
        'owner_email     owner@example.test',
        'monthly_credit  1000',
        'rate_limits     {"general":{"per_second":5,"burst":10},"statistics":null}',
      ].join('\n'),
    );
  });

  it('shows the state of a message, and its timeline', async () => {
    const { text } = await run('message m-1');
    assert.match(text, /^waiting_until +2026-01-05T08:05:00\.000Z$/m);
    assert.doesNotMatch(text, /sent_at/);
    assert.match(text, /2026-01-05T08:00:00\.000Z +TransientFailure +mx\.test +- +- +none +451 later/);
  });

  it('shows the problems of a domain with advice', async () => {
    const { text } = await run('domain shop.test');
    const lines = [
      /^shop\.test$/m,
      /^  account {2,}0b6f4a52-/m,
      /^  state {2,}suspect since 2026-01-05T08:00:00\.000Z$/m,
      /^  checked {2,}2026-01-05T08:00:00\.000Z, next 2026-01-05T08:05:00\.000Z$/m,
      /^  sending {2,}PAUSED since 2026-01-04T08:00:00\.000Z, bounce_rate by automatic$/m,
      /^  DKIM {2,}signs with selector managed; no rotation in progress; standby record NOT seen; every 30 days/m,
      /\(the standby record is not there\)$/m,
      /^  locked {2,}dkim_selector managed \(unlocked for one change\)$/m,
      /^    WRONG {2,}SPF {2,}TXT {2,}shop\.test\n      found {2,}two \[31m records\n      wanted {2,}one\n      to do {2,}Delete one\.$/m,
      /^    not checked {2,}Media {2,}CNAME {2,}media\.shop\.test\n      wanted {2,}media\.svc\.test$/m,
      /^    ok {2,}DMARC {2,}TXT {2,}_dmarc\.shop\.test$/m,
      /^    2026-01-04T08:00:00\.000Z  bounce_rate by automatic, 120 of 1000 bounced; lasts$/m,
      /^more accounts have this domain than are shown$/m,
    ];
    for (const line of lines) assert.match(text, line);
    assert.deepEqual(JSON.parse((await run('domain shop.test --json')).text).data, [DOMAIN]);
  });

  it('shows the secret of a new key, and scopes as words', async () => {
    const { text } = await run(`key-create ${A} --label Production --scope messages:send:all`);
    assert.match(text, /^secret_key +pm-sk-x$/m);
    assert.match(text, /^scopes +messages:send:all domains:read$/m);
  });

  it('shows complete DNS records, and fails while they are not right', async () => {
    const { text, code } = await run('system-domain');
    assert.match(text, /^yes +NO +TXT +x +k{400}$/m);
    assert.equal(code, 1);
    const zone = await run('zone-status');
    assert.match(zone.text, /^dynamic-update +svc\.test +2 +0 +zone update failed: REFUSED/m);
    assert.equal(zone.code, 1);
  });

  it('shows the template of Domain Connect, and the records of its key', async () => {
    const { text } = await run('domain-connect-template');
    assert.match(text, /^_dck1\.svc\.test  TXT  p=1,a=RS256,d=MIIB\n\nmail\.example\.com\.mail\.json\n\{/);
  });

  it('reads the token of a DNS host from the environment, and lists and removes it', async () => {
    await assert.rejects(run(`dns-host-add ${A} zone.test desec`), /set POSTMESH_DNS_HOST_TOKEN/);
    const added = await run(`dns-host-add ${A} zone.test desec --allow-rotation`, {
      POSTMESH_DNS_HOST_TOKEN: 'of-the-host',
    });
    assert.deepEqual(seen.at(-1).body, {
      zone: 'zone.test',
      host: 'desec',
      token: 'of-the-host',
      allow_rotation: true,
    });
    assert.match(added.text, /^zone +zone\.test$/m);
    assert.doesNotMatch(added.text, /of-the-host/);
    assert.match((await run(`dns-hosts ${A}`)).text, /^t-1 +zone\.test +desec +yes/m);
    await run(`dns-host-remove ${A} t-1`);
    assert.equal(seen.at(-1).path, `domains/accounts/${A}/dns-hosts/t-1`);
  });

  it('finds messages by their recipient, those of campaigns too, and a single one with all details', async () => {
    assert.match((await run('message ann@mail.test')).text, /^waiting_for +451 later$/m);
    assert.match((await run('message ben@mail.test')).text, /^created_at .*\n.* m-1 .*\n.* m-2 /);
    assert.match((await run('message cleo@mail.test')).text, /^sent_at .*\n- +bounced +- +m-9 +Spring +c-1$/);
    await run(`message ben@mail.test --account ${A}`);
    assert.deepEqual(seen.at(-1).query, { email: 'ben@mail.test', account: A });
    // a foreign Message-ID looks like an address
    await run('message x@client.test');
    assert.equal(seen.at(-1).path, 'messages/messages/x%40client.test');
    await run('message 0198f2a4-7d3e-7b6a-9f1c-2e4d5a6b7c8d@shop.test');
    assert.match(seen.at(-1).path, /^messages\/messages\/0198f2a4.*%40shop.test$/);
  });

  it('draws its progress in one line of a terminal, and nothing into a file', async () => {
    const drawn = [];
    const stream = Object.assign(
      new Writable({ write: (text, _, done) => (drawn.push(String(text)), done()) }),
      {
        isTTY: true,
        columns: 120,
      },
    );
    const progress = progressOn(stream);
    await progress.show({ done: 0, total: 0, unit: 'lines' });
    assert.deepEqual(drawn, []);
    await progress.show({ done: 500, total: 1000, unit: 'lines' });
    progress.end();
    assert.match(drawn.join(''), /50% \| 500 of 1000 lines \| \d+\/s \| .+ left/);
    assert.ok(!drawn.join('').includes('\n'));
    stream.isTTY = false;
    await progressOn(stream).show({ done: 1, total: 2, unit: 'lines' });
  });

  it('prints the cursor of the next page', async () => {
    const { text } = await run('audit');
    assert.match(text, /operator oncall +account\.block .*{"reason":"spam"}\n\nmore entries: --after abc$/);
  });

  it('makes a link to the console', async () => {
    const { text } = await run('console-link ann@mail.test');
    assert.match(text, /^url +http:\/\/localhost:8080\/console\/sign-in#abc\nexpires_at /);
    assert.deepEqual(seen.at(-1).body, { email: 'ann@mail.test' });
  });

  it('verifies the whole audit, and exits with 1 when something is wrong', async () => {
    const { text, code } = await run('audit-verify');
    assert.match(text, /^seq +6\nhash +ab\nwaiting +0$/);
    assert.equal(code, 0);
    assert.deepEqual(
      seen.slice(-3).map(({ query }) => query.after),
      [undefined, '2', '4'],
    );
    const bad = await run(`audit-verify --noted 2:${'0'.repeat(64)}`);
    assert.match(bad.text, /^problem +the chain until entry 2 /);
    assert.equal(bad.code, 1);
  });

  it('sums up the usage of a family', async () => {
    assert.match((await run(`usage ${A}`)).text, /^- +all +3 +0\.5$/m);
  });

  it('rotates secrets, shows the progress, and exits with 0 when the old key can be removed', async () => {
    sealedByOlder = [9, 4, 0];
    const progress = [];
    const env = { POSTMESH_DATA_DIR: dataDir };
    const { text, code } = await runCommand(['secrets-rotate'], env, (shown) => void progress.push(shown));
    assert.deepEqual(progress, [
      { done: 0, total: 9, unit: 'secrets' },
      { done: 5, total: 9, unit: 'secrets' },
    ]);
    assert.match(text, /^older_keys_removable +yes\n\nservice .*\ndomains +dkim-keys +9 +0 +0 +s$/m);
    assert.equal(code, 0);
    const asked = seen.slice(-3).map(({ method, path }) => `${method} ${path}`);
    assert.deepEqual(asked, ['POST secrets/rotate', 'GET secrets', 'GET secrets']);
  });

  it('only shows the progress of a rotation with --status, and does not wait', async () => {
    sealedByOlder = [4];
    assert.equal((await run('secrets-rotate --status')).code, 1);
    assert.deepEqual([seen.at(-1).method, seen.at(-1).path], ['GET', 'secrets']);
    sealedByOlder = [0];
  });

  it('reads times in the form of an age', async () => {
    await run('audit --since 24h');
    const since = Date.parse(seen.at(-1).query.since);
    assert.ok(Math.abs(Date.now() - 86_400_000 - since) < 60_000);
  });

  /** @type {any[][]} */
  const troubles = [
    [
      'an unknown option',
      'accounts --serach x',
      {},
      /^Error: Unknown option '--serach' \(did you mean --search\?\)\n\nusage: npx postmesh accounts/,
    ],
    ['an option without a value', 'accounts --search', {}, /--search <value>' argument missing/],
    ['a missing option', 'account-create --name x', {}, /^Error: --owner-email is needed\n\nusage/],
    ['a missing reason', `account-block ${A}`, {}, /^Error: something is missing\n\nusage: .*<reason>/],
    ['a word too many', `account ${A} x`, {}, /^Error: 'x' is too much/],
    ['nothing to change', `account-update ${A}`, {}, /^Error: nothing to change: name an option/],
    [
      'no number',
      `account-update ${A} --monthly-credit 1e3`,
      {},
      /^Error: --monthly-credit must be a whole number/,
    ],
    [
      'no switch',
      `account-update ${A} --platform-partner maybe`,
      {},
      /^Error: --platform-partner must be on or off/,
    ],
    [
      'no rate',
      `account-update ${A} --rate-general 5`,
      {},
      /^Error: --rate-general must be <per second>\/<burst>/,
    ],
    ['an unknown command', 'nonsense', {}, /no command nonsense\n/],
    ['a misspelt command', 'mesage x', {}, /no command mesage \(did you mean message\?\)/],
    ['a command called like a property of every object', 'constructor', {}, /no command constructor/],
    ['a missing word', 'replay', {}, /usage: npx postmesh replay <consumer>/],
    ['a wrong path', 'get /operator/nope', {}, /GET \/operator\/nope: 404 not found/],
    ['a wrong token', 'lag', { POSTMESH_OPERATOR_TOKEN: 'x' }, /401 missing or wrong operator token/],
    [
      'no listener',
      'lag',
      { POSTMESH_OPERATOR_URL: 'http://127.0.0.1:1' },
      /no response from http:\/\/127.0.0.1:1/,
    ],
    [
      'no credentials',
      'lag',
      { POSTMESH_DATA_DIR: join(tmpdir(), 'no-such') },
      /does not exist: start Postmesh first/,
    ],
    ['JSON that is none', 'post /operator/jobs {a', {}, /invalid JSON/],
  ];
  for (const [what, words, env, expected] of troubles) {
    it(`names ${what}`, () => assert.rejects(run(words, env), expected));
  }

  it('explains every command', async () => {
    const { text } = await runCommand([], {});
    for (const name of Object.keys(COMMANDS)) assert.match(text, new RegExp(`^  ${name} `, 'm'));
    for (const [name, command] of Object.entries(COMMANDS)) {
      const asked = [
        [name, '--help'],
        ['help', name],
        [name, 'x', '-h'],
      ];
      for (const words of asked) {
        const help = await runCommand(words, {});
        assert.ok(help.text.startsWith(`usage: npx postmesh ${name}`), words.join(' '));
        assert.ok(help.text.includes(command.help));
        for (const option of Object.keys(command.options ?? {})) {
          assert.match(help.text, new RegExp(`^  --${option} .*[a-z]`, 'm'));
        }
      }
    }
  });

  it('shows examples that can be typed', async () => {
    for (const [name, { examples = [] }] of Object.entries(COMMANDS)) {
      for (const example of examples) {
        const words = example.replaceAll('<account id>', A).match(/"[^"]*"|'[^']*'|\S+/g) ?? [];
        assert.equal(words[0], name);
        await runCommand(
          words.map((word) => word.replaceAll(/^["']|["']$/g, '')),
          { POSTMESH_DATA_DIR: dataDir },
        ).catch((error) =>
          assert.match(error.message, /: 404 |cannot be read|there is no |is an incomplete backup/, example),
        );
      }
    }
  });

  it('is a program of this package', () => {
    const { bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    assert.match(
      execFileSync(join(root, bin.postmesh), ['help'], { encoding: 'utf8' }),
      /^npx postmesh <command>/,
    );
  });
});

describe('import', () => {
  const account = {
    POSTMESH_BASE_URL: 'http://127.0.0.1:9',
    POSTMESH_API_KEY: 'k',
    POSTMESH_ACCOUNT_ID: 'a',
  };
  const file = join(root, 'package.json');
  const cases = [
    { words: ['sendgird', 'contacts', file], says: /^import takes sendgrid, mailgun, / },
    { words: ['sendgrid', 'contact', file], says: /^import sendgrid takes suppressions, contacts, / },
    { words: ['sendgrid', 'contacts', '/nowhere.csv'], says: /^\/nowhere.csv cannot be read/ },
    { words: ['sendgrid', 'contacts', file, '--apply', '--dry-run'], says: /exclude each other/ },
    { words: ['postmark', 'contacts', file], env: account, says: /^Postmark has no contacts/ },
    {
      words: ['sendgrid', 'contacts', file],
      says: /^set POSTMESH_BASE_URL, POSTMESH_API_KEY and POSTMESH_ACCOUNT_ID/,
    },
    { words: ['sendgrid', 'suppressions', file], env: account, says: /operator interface alone/ },
  ];
  for (const { words, env, says } of cases) {
    it(`${words.join(' ')} says ${says}`, () =>
      assert.rejects(runCommand(['import', ...words], { POSTMESH_DATA_DIR: '/nowhere', ...env }), {
        message: says,
      }));
  }
});
