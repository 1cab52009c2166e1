// @ts-check
// (r) The search of the console in an account that has most of the messages of an installation, through the gateway and
// with the session of a member. The messages are generated; Postmesh itself makes the search index.
import { request } from 'undici';
import { percentiles, round } from './figures.rules.mjs';
import { sleep, waitUntil } from '../tools/processes.mjs';
import { newAccount, timed } from './readers.mjs';
import { checkPage, generateMonth, searches } from './search-messages.mjs';
import { withParts } from './stack.mjs';

/** p95 of a search among ten million messages (decision 120). */
const AIM_MS = 200;
const ACCOUNTS = 12;
const SEGMENT_SIZE = 8_192;
const INDEX_LIMIT_MS = 3_600_000;
const PAGE = 25;
const WARM_UP = 3;
/** the newest message is older than the index leaves out, and than statuses that are noted */
const NEWEST_AGE_MS = 10 * 60_000;
const OWNER = 'owner@mail.test';

/** @param {import('./options.mjs').Context} context @returns {Promise<Record<string, any>>} figures */
export function measureSearch({ options, note }) {
  return withParts({ tls: options.tls, note }, async ({ stack }) => {
    const accountIds = [];
    for (let nth = 0; nth < ACCOUNTS; nth++) accountIds.push((await newAccount(stack, `Account ${nth}`)).id);
    const [accountId] = accountIds;
    const count = options.searchMessages;
    const base = new Date(Date.now() - NEWEST_AGE_MS);
    const begun = Date.now();
    await stack.askDatabase((client) => generateMonth(client, { accountIds, count, base }));
    const generated = Date.now();
    const indexed = await waitUntil(() => stack.askDatabase((client) => isIndexed(client, accountIds)), {
      limitMs: INDEX_LIMIT_MS,
      everyMs: 1_000,
    });
    if (!indexed) throw new Error('the messages were not indexed in time');
    const ended = Date.now();
    await stack.askDatabase((client) => client.query('vacuum analyze messages.search_postings'));
    const before = await stack.askDatabase(rowsScanned);
    const cookie = await signIn(stack, accountId);
    const reads = await readAll(stack, cookie, { base, requests: options.searchRequests });
    const after = await stack.askDatabase(rowsScanned);
    return {
      name: 'the search of the console',
      messages: count,
      of_the_account: await stack.askDatabase((client) => countOf(client, accountId)),
      aim_ms: AIM_MS,
      generated_s: round((generated - begun) / 1_000, 1),
      indexed_s: round((ended - generated) / 1_000, 1),
      rows_scanned: after - before,
      reads,
    };
  });
}

async function readAll(stack, cookie, { base, requests }) {
  const results = [];
  for (const { name, query, found } of searches(base)) {
    const micros = [];
    let page = { data: [], searched_until: null };
    const before = stack.cpu();
    for (let nth = -WARM_UP; nth < requests; nth++) {
      const read = await timed(() => search(stack, cookie, query));
      // after a hard search the next one of the account waits as long again
      await sleep(read.micros / 1_000);
      page = read.result;
      if (nth >= 0) micros.push(read.micros);
    }
    checkPage(name, page, found, PAGE);
    const ms = percentiles(micros);
    results.push({
      name,
      found: page.data.length,
      goes_on: page.data.length < PAGE && page.searched_until !== null,
      ms,
      // says on a busy machine what a search costs; with what else the system does meanwhile
      cpu_ms: stack.cpuPerThousand(before, requests + WARM_UP),
      is_within: ms !== null && ms.p95 <= AIM_MS,
    });
  }
  return results;
}

async function search(stack, cookie, query) {
  const path = `/console/api/messages?${new URLSearchParams({ ...query, limit: String(PAGE) })}`;
  return JSON.parse((await ask(stack, { method: 'GET', path, cookie })).text);
}

/** A member's session in the account. @returns {Promise<string>} its cookie */
async function signIn(stack, accountId) {
  const { url } = await stack.operate('/operator/accounts/sign-in-links', { email: OWNER });
  const token = url.split('#')[1];
  const begun = await ask(stack, { method: 'POST', path: '/console/api/sessions', body: { token } });
  const cookie = String(begun.headers['set-cookie']).split(';')[0] ?? '';
  const path = '/console/api/session/account';
  await ask(stack, { method: 'POST', path, cookie, body: { account_id: accountId } });
  return cookie;
}

/**
 * As a page of the console asks.
 * @param {any} stack @param {{ method: 'GET' | 'POST', path: string, cookie?: string, body?: object }} about
 * @throws Error for anything but a success
 */
async function ask(stack, { method, path, cookie = '', body }) {
  const { host, port } = stack.address;
  const answer = await request(`http://${host}:${port}${path}`, {
    dispatcher: stack.agent,
    method,
    headers: {
      ...{ cookie, origin: `http://${host}:${port}`, 'sec-fetch-site': 'same-origin' },
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.body.text();
  if (answer.statusCode >= 300) throw new Error(`${path}: ${answer.statusCode} ${text.slice(0, 300)}`);
  return { headers: answer.headers, text };
}

const countOf = async (client, accountId) =>
  Number(
    (await client.query('select count(*) from messages.messages where account_id = $1', [accountId])).rows[0]
      .count,
  );

/** Every account whose messages outside of campaigns fill a segment has all of its segments. */
async function isIndexed(client, accountIds) {
  const { rows } = await client.query(
    `select bool_and((coalesce(a.segments, 0) + 1) * ${SEGMENT_SIZE} > m.count) as done
     from (select account_id, count(*) from messages.messages where campaign_id is null and account_id = any($1::uuid[])
           group by account_id) as m
     left join messages.search_accounts a using (account_id)`,
    [accountIds],
  );
  return rows[0].done;
}

/** Rows of large tables that plans read from one end to the other, by the count of the server. */
async function rowsScanned(client) {
  // a connection writes its counts down within a second after its last transaction
  await sleep(2_000);
  const { rows } = await client.query(
    `select sum(seq_tup_read)::float8 as rows from pg_stat_user_tables
     where schemaname = 'messages' and relname in ('messages', 'send_requests', 'search_segments', 'search_postings')`,
  );
  return rows[0].rows;
}
