// @ts-check
// (m) Contacts and lists of an account with very many and of an account with a hundred: the same reads alternately,
// so that other load on the machine affects both; then batches of a thousand, with the statements that each takes.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { request } from 'undici';
import { percentiles, ratio, round } from './figures.rules.mjs';
import { newAccount, readAs, timed } from './readers.mjs';
import { sleep } from '../tools/processes.mjs';
import { withParts } from './stack.mjs';

const SMALL = 100;
const LISTS = 100;
const WARM_UP = 3;
const BATCH = 1_000;
const BATCHES = 5;
/** rows of one statement that makes contacts or memberships */
const PIECE = 50_000;

/** @typedef {{ id: string, key: string, contacts: number, everybody: string, middle: string, someone: string }} Account */

/** @param {import('./options.mjs').Context} context @returns {Promise<Record<string, any>>} figures */
export function measureContacts({ options, note }) {
  return withParts({ tls: options.tls, note }, async ({ stack }) => {
    const begun = Date.now();
    const small = await fill(stack, { ...(await newAccount(stack, 'Small')), contacts: SMALL });
    const { account_id: id, api_key: key } = stack.credentials;
    const full = await fill(stack, { id, key, contacts: options.contacts });
    await stack.askDatabase((client) =>
      client.query('vacuum analyze marketing.contacts, marketing.memberships, marketing.lists'),
    );
    const generated = Date.now();
    const reads = await compareReads(stack, { full, small }, options);
    return {
      name: `contacts on ${LISTS} lists, and of an account with ${SMALL}`,
      contacts: full.contacts,
      generated_s: round((generated - begun) / 1_000, 1),
      tables: await stack.askDatabase(sizes),
      reads,
      counts_exact: await checkCounts(stack, { full, small }),
      batches: await measureBatches(stack, { full, small }),
    };
  });
}

/** Every contact is on the first list and on one of the others. @returns {Promise<Account>} */
async function fill(stack, { id, key, contacts }) {
  return stack.askDatabase(async (client) => {
    await client.query('set search_path to marketing');
    await client.query(INSERT_LISTS, [id, LISTS]);
    for (let from = 0; from < contacts; from += PIECE) {
      await client.query(INSERT_CONTACTS, [id, from, Math.min(from + PIECE, contacts)]);
      await client.query(INSERT_MEMBERSHIPS, [id, from, Math.min(from + PIECE, contacts), LISTS]);
    }
    const { rows } = await client.query(FACTS, [id, Math.floor(contacts / 2)]);
    return { id, key, contacts, ...rows[0] };
  });
}

// Ids and times as if contacts had come one after another, a second each.
const ID = `overlay(overlay(md5($1::uuid::text || n) placing lpad(to_hex(n), 8, '0') from 1 for 8) placing '7' from 13 for 1)::uuid`;
const TIME = `timestamptz '2026-01-01T00:00:00Z' + n * interval '1 second'`;
const INSERT_LISTS = `
  insert into lists (id, account_id, created_at, updated_at, name, description, tags)
  select ${ID}, $1::uuid, ${TIME}, ${TIME}, 'List ' || n, '', '{}' from generate_series(0, $2::int - 1) as n`;
const INSERT_CONTACTS = `
  insert into contacts (id, account_id, created_at, updated_at, email, first_name, last_name, status, status_reason,
    unsubscribed, unsubscribed_at, attributes)
  select ${ID}, $1::uuid, ${TIME}, ${TIME}, 'person' || n || '@r00.test', 'Pat', 'Example',
    case when n % 50 = 7 then 'disabled' else 'enabled' end, '', n % 50 = 9,
    case when n % 50 = 9 then ${TIME} end, '{"customer": true, "score": 12.5}'
    from generate_series($2::int, $3::int - 1) as n`;
const INSERT_MEMBERSHIPS = `
  insert into memberships (list_id, contact_id, account_id, subscription_status, subscribed_at, unsubscribed_at,
    created_at, updated_at)
  select list.id, ${ID}, $1::uuid, case when n % 50 = 11 then 'unsubscribed' else 'confirmed' end, ${TIME},
    case when n % 50 = 11 then ${TIME} end, ${TIME}, ${TIME}
    from generate_series($2::int, $3::int - 1) as n
    join lists list on list.account_id = $1 and list.name in ('List 0', 'List ' || 1 + n % ($4::int - 1))`;
const FACTS = `
  select (select id from lists where account_id = $1 and name = 'List 0') as everybody,
    to_char(created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as middle, id as someone
    from contacts where account_id = $1 and email = 'person' || $2::int || '@r00.test'`;

/** @type {{ name: string, path: (account: Account) => string, found?: number }[]} */
const READS = [
  { name: 'contacts, first page', path: () => 'contacts' },
  { name: 'contacts, from the middle', path: ({ middle }) => `contacts?to_time=${middle}` },
  { name: 'contacts, one address', path: () => 'contacts?email=person50@r00.test' },
  { name: 'contacts, disabled', path: () => 'contacts?status=disabled' },
  { name: 'contacts, unsubscribed', path: () => 'contacts?subscribed=false' },
  { name: 'one contact', path: ({ someone }) => `contacts/${someone}` },
  { name: `${LISTS} lists with their counts`, path: () => 'lists' },
  { name: 'one list with its count', path: ({ everybody }) => `lists/${everybody}` },
  { name: 'members, first page', path: ({ everybody }) => `lists/${everybody}/contacts` },
  {
    name: 'members with contacts',
    path: ({ everybody }) => `lists/${everybody}/contacts?include_contacts=true`,
  },
  {
    name: 'members, unsubscribed',
    path: ({ everybody }) => `lists/${everybody}/contacts?subscription_status=unsubscribed`,
  },
  {
    name: 'members, one address',
    path: ({ everybody }) => `lists/${everybody}/contacts?email=person50@r00.test`,
  },
  { name: 'lists of a contact', path: ({ someone }) => `contacts/${someone}/lists` },
];

async function compareReads(stack, { full, small }, { contactRequests }) {
  const results = [];
  for (const { name, path } of READS) {
    /** @type {Record<'full' | 'small', number[]>} */
    const times = { full: [], small: [] };
    let bytes = Buffer.alloc(0);
    for (let nth = -WARM_UP; nth < contactRequests; nth++) {
      const ofFull = await timed(() => readAs(stack, full, path(full)));
      const ofSmall = await timed(() => readAs(stack, small, path(small)));
      bytes = ofFull.result;
      if (nth < 0) continue;
      times.full.push(ofFull.micros);
      times.small.push(ofSmall.micros);
    }
    const [fullMs, smallMs] = [percentiles(times.full), percentiles(times.small)];
    results.push({
      name,
      response_kib: round(bytes.length / 1024, 1),
      full_ms: fullMs,
      small_ms: smallMs,
      ratio_p50: ratio(fullMs?.p50, smallMs?.p50),
    });
  }
  return results;
}

/** The count of the largest list from the API and from the rows, and again right after a change. */
async function checkCounts(stack, accounts) {
  for (const account of Object.values(accounts)) {
    const said = async () =>
      JSON.parse((await readAs(stack, account, `lists/${account.everybody}`)).toString()).contact_count;
    const counted = () => stack.askDatabase((client) => countMembers(client, account.everybody));
    if ((await said()) !== (await counted())) return false;
    await write(stack, account, 'PUT', `contacts/person50@r00.test`, { unsubscribed: true });
    if ((await said()) !== (await counted())) return false;
  }
  return true;
}

async function countMembers(client, list) {
  const { rows } = await client.query(
    `select count(*)::int as count from marketing.memberships m join marketing.contacts c on c.id = m.contact_id
      where list_id = $1 and subscription_status = 'confirmed' and mailable`,
    [list],
  );
  return rows[0].count;
}

/** A thousand each, in the account with very many contacts and in the other. */
async function measureBatches(stack, accounts) {
  const addresses = (name) =>
    Array.from({ length: BATCH }, (_, nth) => ({ email: `${name}.${nth}@batch.test` }));
  const kinds = [
    { name: 'contacts created', path: () => 'contacts/batch', entries: addresses },
    {
      name: 'contacts updated',
      path: () => 'contacts/batch',
      entries: (name) => addresses(name).map((entry) => ({ ...entry, first_name: 'New' })),
    },
    {
      name: 'added to a list',
      path: ({ everybody }) => `lists/${everybody}/contacts/batch`,
      entries: addresses,
    },
    {
      name: 'unsubscribed, on the list',
      path: () => 'contacts/batch',
      entries: (name) => addresses(name).map((entry) => ({ ...entry, unsubscribed: true })),
    },
  ];
  const log = await StatementLog.open(stack);
  const results = [];
  for (const { name, path, entries } of kinds) {
    /** @type {Record<string, number[]>} */
    const times = { full: [], small: [] };
    const statements = [];
    for (let nth = 0; nth < BATCHES; nth += 1) {
      for (const [which, account] of Object.entries(accounts)) {
        const body = { data: entries(`batch${nth}`) };
        const { result, micros } = await timed(() =>
          log.during(() => write(stack, account, 'POST', path(account), body)),
        );
        if (result.response.failed > 0)
          throw new Error(`${name}: ${result.response.failed} of ${BATCH} failed`);
        times[which]?.push(micros - result.waitedMicros);
        statements.push(result.statements);
      }
    }
    const [fullMs, smallMs] = [percentiles(times['full'] ?? []), percentiles(times['small'] ?? [])];
    results.push({
      name,
      entries: BATCH,
      // some include concurrent periodic work of the service
      statements: Math.min(...statements),
      full_ms: fullMs,
      small_ms: smallMs,
      ratio_p50: ratio(fullMs?.p50, smallMs?.p50),
    });
  }
  await log.close();
  return results;
}

/** Counts the statements of the marketing service in the log of PostgreSQL. */
class StatementLog {
  constructor(stack) {
    this.stack = stack;
    this.file = join(stack.dataDir, 'postgres', 'instance', 'server.log');
  }

  static async open(stack) {
    const log = new StatementLog(stack);
    await log.set(["log_statement = 'all'", "log_line_prefix = '%a '"]);
    return log;
  }

  /** @template T @param {() => Promise<T>} work */
  async during(work) {
    const from = statSync(this.file).size;
    const response = await work();
    const ended = performance.now();
    await sleep(50);
    const said = readFileSync(this.file).subarray(from).toString();
    const statements = said.match(/^postmesh-marketing\S* LOG: {2}(?:execute|statement)/gm)?.length ?? 0;
    return { response, statements, waitedMicros: (performance.now() - ended) * 1_000 };
  }

  close() {
    return this.set(["log_statement = 'none'", "log_line_prefix = '%m [%p] '"]);
  }

  /** @param {readonly string[]} settings */
  async set(settings) {
    await this.stack.askDatabase(async (client) => {
      for (const setting of settings) await client.query(`alter system set ${setting}`);
      await client.query('select pg_reload_conf()');
    });
    await sleep(500);
  }
}

/** @param {'POST' | 'PUT'} method */
async function write(stack, { id, key }, method, path, body) {
  const { host, port } = stack.address;
  const { statusCode, body: response } = await request(`http://${host}:${port}/v2/accounts/${id}/${path}`, {
    method,
    dispatcher: stack.agent,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (statusCode !== 200) throw new Error(`${method} ${path}: ${statusCode} ${text.slice(0, 300)}`);
  return JSON.parse(text);
}

async function sizes(client) {
  const { rows } = await client.query(
    `select relname as name, reltuples::float8 as rows, round(pg_total_relation_size(oid) / 1048576.0)::float8 as mib
     from pg_class where relnamespace = 'marketing'::regnamespace and relkind = 'r'
       and relname in ('contacts', 'memberships', 'lists') order by relname`,
  );
  return Object.fromEntries(rows.map(({ name, ...size }) => [name, size]));
}
