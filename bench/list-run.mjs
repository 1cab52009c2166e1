// @ts-check
// (g) Lists of messages of an account with very many and of an account with ten: the same filters alternately, so that
// other load on the machine affects both. The messages are generated; Postmesh itself makes the search index.
import { percentiles, ratio, round } from './figures.rules.mjs';
import { checkFound, generateMessages, LIST_FILTERS } from './list-messages.mjs';
import { newAccount, readAs, timed } from './readers.mjs';
import { sleep, waitUntil } from '../tools/processes.mjs';
import { withParts } from './stack.mjs';

const SEGMENT_SIZE = 8_192;
const INDEX_LIMIT_MS = 3_600_000;
const SMALL = 10;
const WARM_UP = 3;

/** @param {import('./options.mjs').Context} context @returns {Promise<Record<string, any>>} figures */
export function measureLists({ options, note }) {
  return withParts({ tls: options.tls, note }, async ({ stack }) => {
    const small = await newAccount(stack, 'Small');
    const full = { id: stack.credentials.account_id, key: stack.credentials.api_key };
    const count = options.listMessages;
    const begun = Date.now();
    await stack.askDatabase((client) => generateMessages(client, { accountId: small.id, count: SMALL }));
    await stack.askDatabase((client) => generateMessages(client, { accountId: full.id, count }));
    const generated = Date.now();
    const isIndexed = (client) =>
      segmentsOf(client, full.id).then((made) => (made + 1) * SEGMENT_SIZE > count);
    const indexed = await waitUntil(() => stack.askDatabase(isIndexed), {
      limitMs: INDEX_LIMIT_MS,
      everyMs: 1_000,
    });
    if (!indexed) throw new Error('the messages were not indexed in time');
    const ended = Date.now();
    await stack.askDatabase((client) => client.query('vacuum analyze messages.search_postings'));
    return {
      name: 'lists of an account with many messages and of one with ten',
      messages: count,
      generated_s: round((generated - begun) / 1_000, 1),
      indexed_s: round((ended - generated) / 1_000, 1),
      tables: await stack.askDatabase(sizes),
      ...(await readLists(stack, { full, small }, options)),
    };
  });
}

/** Reads of both accounts alternately, and the effect of the large one on the other. */
const readLists = async (stack, accounts, options) => ({
  reads: await compare(stack, accounts, options),
  neighbour: await measureNeighbour(stack, accounts),
});

async function compare(stack, { full, small }, { listRequests }) {
  const results = [];
  for (const { name, query, found } of LIST_FILTERS) {
    /** @type {Record<'full' | 'small', number[]>} */
    const times = { full: [], small: [] };
    let page = { data: [] };
    for (let nth = -WARM_UP; nth < listRequests; nth++) {
      const ofFull = await timed(() => list(stack, full, query));
      // after a hard search the next one of the account waits as long again
      await sleep(ofFull.micros / 1_000);
      const ofSmall = await timed(() => list(stack, small, query));
      page = ofFull.result;
      if (nth < 0) continue;
      times.full.push(ofFull.micros);
      times.small.push(ofSmall.micros);
    }
    checkFound(name, page, found);
    const [fullMs, smallMs] = [percentiles(times.full), percentiles(times.small)];
    results.push({
      name,
      found: page.data.length,
      full_ms: fullMs,
      small_ms: smallMs,
      ratio_p50: ratio(fullMs?.p50, smallMs?.p50),
    });
  }
  return results;
}

/** Latency of another account while eight clients run hard searches. */
async function measureNeighbour(stack, { full, small }) {
  const alone = await smallReads(stack, small);
  let isOver = false;
  let searches = 0;
  const hard = LIST_FILTERS.filter(({ isHard }) => isHard);
  const searcher = async (_, nth) => {
    for (let at = nth; !isOver; at++) {
      await list(stack, full, hard[at % hard.length]?.query ?? {}).catch(() => undefined);
      searches += 1;
    }
  };
  const searchers = Array.from({ length: 8 }, searcher);
  const during = await smallReads(stack, small);
  isOver = true;
  await Promise.all(searchers);
  return { concurrent_searches: searches, read_ms: { alone, during } };
}

async function smallReads(stack, account) {
  const micros = [];
  for (let nth = 0; nth < 60; nth++) {
    micros.push((await timed(() => list(stack, account, { status: 'Delivered' }))).micros);
    await sleep(20);
  }
  return percentiles(micros);
}

async function list(stack, account, query) {
  const bytes = await readAs(stack, account, `messages?${new URLSearchParams(query)}`);
  return JSON.parse(bytes.toString());
}

async function segmentsOf(client, accountId) {
  const { rows } = await client.query('select segments from messages.search_accounts where account_id = $1', [
    accountId,
  ]);
  return Number(rows[0]?.segments ?? 0);
}

async function sizes(client) {
  const { rows } = await client.query(
    `select relname as name, reltuples::float8 as rows, round(pg_total_relation_size(oid) / 1048576.0)::float8 as mib
     from pg_class where relname in ('messages', 'send_requests', 'search_segments', 'search_postings')
       and relkind = 'r' order by relname`,
  );
  return Object.fromEntries(rows.map(({ name, ...size }) => [name, size]));
}
