// @ts-check
// (j) Cost of a claim of the delivery queue with few and with very many runnable deliveries: the statement, the table
// and the libraries of the delivery worker, on a database of its own, without a worker.
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { percentiles, ratio, round } from './figures.rules.mjs';
import { cpuSeconds, makeFolder, removeFolder } from '../tools/processes.mjs';

// Nine tenths wait for one group: a provider that is slower than its incoming rate.
const GROUPS = 500;
const ACCOUNTS = 40;
const PLACES = 200;
const ROOM = 160;
const CLAIMS = 200;
const WARM_UP = 20;
const INSERT = 100_000;

/** Permits that are released between two claims: all of them, those of some milliseconds, one. */
const FREE = [200, 20, 1];

/** @param {import('./options.mjs').Context} context @returns {Promise<Record<string, any>>} figures */
export async function measureClaims({ options }) {
  const folder = makeFolder('claims');
  const { startEmbeddedPostgres } = await import('../libs/database/dist/index.js');
  const server = await startEmbeddedPostgres({ dataDir: folder });
  try {
    const sizes = [];
    for (const rows of [options.claimsFew, options.claimsMany]) sizes.push(await measure(server.url, rows));
    const [few, many] = sizes;
    return {
      name: 'claims of deliveries',
      sizes,
      ratio_pages: Object.fromEntries(
        FREE.map((free, nth) => [free, ratio(many?.claims[nth]?.pages, few?.claims[nth]?.pages)]),
      ),
    };
  } finally {
    await server.stop();
    removeFolder(folder);
  }
}

async function measure(url, rows) {
  const queue = await Queue.open(url);
  try {
    const begun = performance.now();
    await queue.fill(rows);
    const filled = performance.now();
    const ripened = await queue.ripen(Math.min(rows, 20_000));
    const claims = [];
    for (const free of FREE) claims.push({ free, ...(await queue.claims(free)) });
    return { rows, filled_s: round((filled - begun) / 1_000, 1), ripened_us_per_row: ripened, claims };
  } finally {
    await queue.close();
  }
}

/** The delivery queue without its loop: the state of a worker, and its statements. */
class Queue {
  worker = randomUUID();

  constructor(parts, database, url) {
    this.url = url;
    this.parts = parts;
    this.database = database;
    this.rows = new parts.LeasedRows(database, parts.DELIVERIES);
    this.places = new parts.Places(PLACES, parts.constantRooms(ROOM));
    this.turns = new parts.Turns();
  }

  static async open(url) {
    const { openDatabase } = await import('../libs/database/dist/index.js');
    const { createLogger } = await import('../libs/observability/dist/index.js');
    const { DELIVERY_WORKER_SERVICE } =
      await import('../services/delivery-worker/dist/delivery-worker.definition.js');
    const parts = Object.assign(
      {},
      ...(await Promise.all([
        import('../libs/work/dist/leased-queue/leased-rows.js'),
        import('../libs/work/dist/leased-queue/leased-table.js'),
        import('../libs/work/dist/leased-queue/places.js'),
        import('../libs/work/dist/leased-queue/statements.js'),
        import('../libs/work/dist/leased-queue/turns.js'),
        import('../services/delivery-worker/dist/queue/deliveries.table.js'),
      ])),
    );
    const { entities = [], migrations = [] } = DELIVERY_WORKER_SERVICE.database ?? {};
    const database = await openDatabase({
      entities,
      migrations,
      url,
      schema: 'delivery_worker',
      poolSize: 1,
      logger: createLogger({ logLevel: 'silent' }, 'bench'),
    });
    return new Queue(parts, database, url);
  }

  async close() {
    await this.database.query('drop schema delivery_worker cascade');
    await this.database.destroy();
  }

  async fill(rows) {
    for (let from = 0; from < rows; from += INSERT) {
      await this.database.query(FILL, [from + 1, Math.min(from + INSERT, rows)]);
    }
    // the service's own connections cancel statements after a minute
    const client = new pg.Client(this.url);
    await client.connect();
    await client.query('vacuum analyze delivery_worker.deliveries');
    await client.end();
  }

  /** @returns cost of making due rows runnable, microseconds each */
  async ripen(count) {
    await this.database.query(
      `update deliveries set state = 'waiting', due_at = now() - interval '1 hour'
       where id in (select id from deliveries where state = 'ready' limit $1)`,
      [count],
    );
    const begun = performance.now();
    while ((await this.rows.sweep()).isCut);
    return round(((performance.now() - begun) * 1_000) / count, 1);
  }

  /** Claims of a worker at its limit, when a number of permits are released between two of them. */
  async claims(free) {
    const inFlight = [];
    const micros = [];
    const { pid } = (await this.database.query('select pg_backend_pid() as pid'))[0];
    let [claimed, cpu] = [0, 0];
    for (let found = await this.claim(); found.length > 0; found = await this.claim())
      inFlight.push(...found);
    for (let nth = -WARM_UP; nth < CLAIMS; nth++) {
      await this.giveBack(inFlight.splice(0, free));
      const [begun, before] = [performance.now(), cpuSeconds(pid)];
      const items = await this.claim();
      inFlight.push(...items);
      if (nth < 0) continue;
      micros.push((performance.now() - begun) * 1_000);
      cpu += (cpuSeconds(pid) ?? 0) - (before ?? 0);
      claimed += items.length;
    }
    await this.giveBack(inFlight.splice(0, free));
    const pages = await this.pages();
    await this.giveBack(inFlight);
    // ticks of a hundredth of a second, exact in the sum of many claims
    const cpuMs = round((cpu * 1_000) / CLAIMS, 1);
    return { ms: percentiles(micros), cpu_ms: cpuMs, rows_per_claim: round(claimed / CLAIMS, 1), pages };
  }

  /** @returns pages that one claim reads, independent of other load on the machine */
  async pages() {
    const { parametersOf, statementsOf, DELIVERIES } = this.parts;
    await this.database.query('begin');
    const [row] = await this.database.query(
      `explain (analyze, buffers, format json) ${statementsOf(DELIVERIES).claim}`,
      parametersOf(this.request()),
    );
    await this.database.query('rollback');
    const { Plan: plan } = row['QUERY PLAN'][0];
    return plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
  }

  request() {
    const { turns } = this;
    const limit = this.places.free();
    const bounds = this.places.bounds(limit, turns.freshGroups(Date.now()), turns.cursorGroups());
    const mostGroups = Math.max(20, Math.min(100, limit * 2));
    return { worker: this.worker, leaseSeconds: 900, bounds, turns, mostGroups };
  }

  async claim() {
    const request = this.request();
    const claimed = await this.rows.claim(request);
    for (const item of claimed.items) this.places.occupy(item);
    const isFull = claimed.items.length >= request.bounds.limit;
    this.turns.claimed(claimed.turns, claimed.groups.at(-1) ?? null, isFull);
    return claimed.items;
  }

  /** Makes them runnable again, so that as many wait for the next claim. */
  async giveBack(items) {
    await this.database.query(`update deliveries set state = 'ready' where id = any($1)`, [
      items.map(({ id }) => id),
    ]);
    for (const item of items) this.places.vacate(item);
  }
}

const FILL = `insert into deliveries (id, account_id, send_request_id, recipient, destination, group_key, lane, state,
    due_at, ends_at, reason, facts)
  select gen_random_uuid(), ('00000000-0000-4000-8000-0000000000' || (10 + nth % ${ACCOUNTS}))::uuid, gen_random_uuid(),
    'r' || nth || '@mail.test', 'mail.test',
    case when nth % 10 < 9 then 'p:provider' else 'm:' || nth / 10 % ${GROUPS} end, (nth % 3 = 0)::int, 'ready',
    now() - interval '1 hour' + nth * interval '1 microsecond', now() + interval '1 day', 'waits', '{}'
  from generate_series($1::bigint, $2::bigint) as nth`;
