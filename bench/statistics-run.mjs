// @ts-check
// (e) Statistics of an account with a year of many messages and of an account that never sent: the same reads
// alternately, so that other load on the machine affects both. The year is generated; Postmesh itself sums up days and
// months.
import { percentiles, ratio, round } from './figures.rules.mjs';
import { sleep, waitUntil } from '../tools/processes.mjs';
import { newAccount, readAs, timed } from './readers.mjs';
import { withParts } from './stack.mjs';
import { checkYear, generateYear, writeLoudFacts } from './statistics-year.mjs';

const ROLL_UP_LIMIT_MS = 1_800_000;
const FOLD_LIMIT_MS = 600_000;
const WARM_UP = 3;
const DAY_MS = 86_400_000;

/** @param {Date} now */
const READS = (now) => {
  const from = (days) => new Date(now.getTime() - days * DAY_MS).toISOString();
  const year = { from_time: from(365) };
  return [
    { name: 'deliverability, year by day', path: 'deliverability', query: { ...year, group_by: 'day' } },
    { name: 'deliverability, year by month', path: 'deliverability', query: { ...year, group_by: 'month' } },
    {
      name: 'deliverability, 30 days by hour',
      path: 'deliverability',
      query: { from_time: from(30), group_by: 'hour' },
    },
    { name: 'deliverability, as it is called without parameters', path: 'deliverability', query: {} },
    {
      name: 'deliverability, year by day, of one recipient domain',
      path: 'deliverability',
      query: { ...year, group_by: 'day', recipient_domains: 'd1.example' },
    },
    {
      name: 'deliverability, year by month, of two tags',
      path: 'deliverability',
      query: { ...year, group_by: 'month', tags: 't1,t2' },
    },
    { name: 'bounce, year by day', path: 'bounce', query: { ...year, group_by: 'day' } },
    { name: 'bounce, 30 days by hour', path: 'bounce', query: { from_time: from(30), group_by: 'hour' } },
    { name: 'delivery time, year by month', path: 'delivery-time', query: { ...year, group_by: 'month' } },
    { name: 'delivery time, 30 days by day', path: 'delivery-time', query: {} },
    { name: 'delivery time, year by day', path: 'delivery-time', query: { ...year, group_by: 'day' } },
  ];
};

/** @param {import('./options.mjs').Context} context @returns {Promise<Record<string, any>>} figures */
export function measureStatistics({ options, note }) {
  return withParts({ tls: options.tls, note }, async ({ stack }) => {
    const empty = await newAccount(stack, 'Empty');
    const full = { id: stack.credentials.account_id, key: stack.credentials.api_key };
    const year = {
      accountId: full.id,
      messages: options.statisticsMessages,
      recipientDomains: options.recipientDomains,
    };
    const begun = Date.now();
    await stack.askDatabase((client) => generateYear(client, year));
    const generated = Date.now();
    const rolledUp = await waitUntil(() => stack.askDatabase(isRolledUp), {
      limitMs: ROLL_UP_LIMIT_MS,
      everyMs: 1_000,
    });
    if (!rolledUp) throw new Error('days and months were not summed up in time');
    const ended = Date.now();
    await stack.askDatabase((client) => checkYear(client, year));
    return {
      name: 'an account with a year of messages and one without',
      messages: options.statisticsMessages,
      recipient_domains: options.recipientDomains,
      generated_s: round((generated - begun) / 1_000, 1),
      rolled_up_s: round((ended - generated) / 1_000, 1),
      tables: await stack.askDatabase(sizes),
      reads: await compare(stack, { full, empty }, options),
      fairness: await measureFairness(stack, { full, empty }, options),
    };
  });
}

async function compare(stack, { full, empty }, { statisticsRequests }) {
  const results = [];
  for (const { name, path, query } of READS(new Date())) {
    /** @type {Record<'full' | 'empty', number[]>} */
    const times = { full: [], empty: [] };
    let size = 0;
    for (let nth = -WARM_UP; nth < statisticsRequests; nth++) {
      const ofFull = await timed(() => read(stack, full, path, query));
      const ofEmpty = await timed(() => read(stack, empty, path, query));
      size = ofFull.result.length;
      if (nth < 0) continue;
      times.full.push(ofFull.micros);
      times.empty.push(ofEmpty.micros);
    }
    const [fullMs, emptyMs] = [percentiles(times.full), percentiles(times.empty)];
    results.push({
      name,
      full_ms: fullMs,
      empty_ms: emptyMs,
      ratio_p50: ratio(fullMs?.p50, emptyMs?.p50),
      response_kib: round(size / 1024, 1),
    });
  }
  return results;
}

/**
 * Effect on a quiet account when another one sends to as many recipient domains, each with a tag of its own: the time
 * of its reads, and until a message of its own is counted.
 */
async function measureFairness(stack, { full, empty: quiet }, { loudFacts }) {
  const alone = await quietReads(stack, quiet, 40);
  const countedAlone = await untilCounted(stack, quiet);
  await stack.askDatabase((client) => writeLoudFacts(client, { accountId: full.id, facts: loudFacts }));
  const written = Date.now();
  const [during, counted] = await Promise.all([quietReads(stack, quiet, 40), untilCounted(stack, quiet)]);
  const folded = await waitUntil(() => stack.askDatabase(isFolded), { limitMs: FOLD_LIMIT_MS, everyMs: 200 });
  if (!folded) throw new Error('the facts were not folded in time');
  return {
    facts_of_the_loud_account: loudFacts,
    folded_per_second: round(loudFacts / ((Date.now() - written) / 1_000)),
    quiet_account: {
      read_ms: { alone, during },
      counted_after_s: { alone: countedAlone, during: counted },
    },
  };
}

async function quietReads(stack, account, count) {
  const micros = [];
  for (let nth = 0; nth < count; nth++) {
    micros.push((await timed(() => read(stack, account, 'deliverability', {}))).micros);
    await sleep(20);
  }
  return percentiles(micros);
}

/** @returns seconds */
async function untilCounted(stack, account) {
  const received = async () => {
    const { data } = JSON.parse((await read(stack, account, 'deliverability', {})).toString());
    return data.reduce((sum, bucket) => sum + bucket.reception_count, 0);
  };
  const before = await received();
  const begun = Date.now();
  await stack.askDatabase((client) => writeLoudFacts(client, { accountId: account.id, facts: 1 }));
  const counted = await waitUntil(async () => (await received()) > before, {
    limitMs: FOLD_LIMIT_MS,
    everyMs: 50,
  });
  if (!counted) throw new Error('a message of a quiet account was not counted in time');
  return round((Date.now() - begun) / 1_000, 1);
}

/** @returns {Promise<Buffer>} */
const read = (stack, account, path, query) =>
  readAs(stack, account, `statistics/transactional/${path}?${new URLSearchParams(query)}`);

async function isRolledUp(client) {
  const { rows } = await client.query(
    `select bool_and(complete_until >= date_trunc(level, now() - interval '15 minutes', 'UTC') and after_account is null) as done
     from messages.statistics_progress`,
  );
  return rows[0].done;
}

const isFolded = async (client) =>
  (await client.query('select from messages.statistics_facts limit 1')).rowCount === 0;

async function sizes(client) {
  const { rows } = await client.query(
    `select relname as name, reltuples::float8 as rows, round(pg_total_relation_size(oid) / 1048576.0)::float8 as mib
     from pg_class where relname in ('statistics_counters', 'statistics_history') order by relname`,
  );
  return Object.fromEntries(rows.map(({ name, ...size }) => [name, size]));
}
