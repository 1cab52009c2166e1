// @ts-check
// (d) Cost of authentication: `GET /v2/ping` with a valid key, compared with the same gateway for a request without
// a key, and with a plain web server that responds with the same bytes.
import { perRequest, ratio, round } from './figures.rules.mjs';
import { sleep } from '../tools/processes.mjs';
import { withParts } from './stack.mjs';
import { Worker } from './workers.mjs';

const PING = '/v2/ping';
// Refused for its path, before the key is checked (spec 1-platform §1.5): the only request that a gateway answers
// without a key and without a limit. An error costs more than a response, so the ratio is no pure gain or loss.
const WITHOUT_KEY = '/v2/bench';
// PostgreSQL updates its counters once a second.
const COUNTERS_MS = 1_500;

/** @param {import('./options.mjs').Context} context @returns {Promise<Record<string, any>>} figures */
export function measureAuth({ options, note }) {
  return withParts({ tls: options.tls, note }, async ({ stack, generator }) => {
    const plain = new Worker('plain-fastify.mjs');
    try {
      const { port } = await plain.ask('listen', { path: PING, response: { message: 'pong' } });
      const load = loadOf(generator, options);
      const { api_key: apiKey } = stack.credentials;
      const ping = { ...stack.address, plain: { path: PING, apiKey }, expected: 200 };
      // the first request of a key looks it up; from then on it is cached
      await load(ping, { seconds: 1, warmup: 0 });
      const idle = await transactionsDuring(stack, () => sleep(options.seconds * 1_000));
      const cpuBefore = stack.cpu();
      const [known, transactions] = await transactionsDuring(stack, () => load(ping)).then(
        ({ result, count }) => [result, count],
      );
      const cpu = stack.cpuPerThousand(cpuBefore, known.accepted);
      const open = await load({ ...stack.address, plain: { path: WITHOUT_KEY }, expected: 404 });
      const bare = await load({ host: '127.0.0.1', port, plain: { path: PING }, expected: 200 });
      return {
        name: 'ping with a known key',
        with_key: figures(known, options),
        same_gateway_without_key: figures(open, options),
        plain_fastify: figures(bare, options),
        ratios: {
          with_key_to_same_gateway_without_key: ratio(rate(known, options), rate(open, options)),
          with_key_to_plain_fastify: ratio(rate(known, options), rate(bare, options)),
        },
        key_us_per_request: await measureKnownKeys(),
        gateway_us_per_request: extraMicros(rate(known, options), rate(bare, options)),
        database_transactions: { during_the_run: transactions, while_idle: idle.count },
        database_transactions_per_request: perRequest(transactions - idle.count, known.accepted),
        cpu_seconds_per_1000: cpu,
      };
    } finally {
      await plain.stop();
    }
  });
}

const loadOf =
  (generator, { connections, warmup, seconds }) =>
  (job, times = { warmup, seconds }) =>
    generator.closedLoop({ ...job, connections, ...times });

async function transactionsDuring(stack, work) {
  await sleep(COUNTERS_MS);
  const before = await stack.transactions();
  const result = await work();
  await sleep(COUNTERS_MS);
  return { result, count: (await stack.transactions()) - before };
}

const rate = (load, { seconds }) => load.accepted_in_time / seconds;

function figures(load, options) {
  if (load.accepted_in_time === 0) {
    throw new Error(`no request was answered as expected: ${JSON.stringify(load.other_answers)}`);
  }
  return {
    requests_per_second: round(rate(load, options)),
    answer_ms: load.answer_ms,
    other_answers: load.other_answers,
  };
}

/** Cost of the gateway over a plain server: authentication, limits, metrics, log line. */
const extraMicros = (ours, plain) => round(1e6 / ours - 1e6 / plain, 1);

const KEYS = 1_000;
const TURNS = 200_000;
const SECRET = 'a-pepper-for-the-bench-that-is-long-enough';

/**
 * Cost of authentication in the gateway alone, without a request: header, hash, cache, allow list.
 * @returns CPU microseconds of this process per request
 */
async function measureKnownKeys() {
  const { cache, secrets } = await filledCache();
  const { bearerToken } = await import('../services/gateway/dist/http-api/request-head.rules.js');
  const heads = secrets.map((secret) => ['Host', 'h', 'Authorization', `Bearer ${secret}`]);
  const turn = (count) => {
    for (let at = 0; at < count; at += 1) {
      const key = cache.find(bearerToken(heads[at % KEYS]) ?? '');
      // a look-up of the key would be another measurement
      if (key === undefined || key instanceof Promise || !key.allowList.covers('192.0.2.7'))
        throw new Error('a key was not known');
    }
  };
  turn(TURNS / 4);
  const began = process.cpuUsage();
  turn(TURNS);
  const { user, system } = process.cpuUsage(began);
  return round((user + system) / TURNS, 2);
}

async function filledCache() {
  const [{ KeyCache }, { momentNow }, { Pepper }, { newId }] = await Promise.all([
    import('../services/gateway/dist/api-keys/key-cache.js'),
    import('../services/gateway/dist/cache-lease/leased-cache.js'),
    import('../libs/secrets/dist/index.js'),
    import('../libs/contracts/dist/index.js'),
  ]);
  /** @type {any} the method that the cache calls */
  const client = {
    request: async (_service, { body }) => ({
      revision: 0,
      keys: body.hashes.map((hash) => ({ ...knownKey(newId), hash })),
    }),
  };
  const cache = new KeyCache(new Pepper([SECRET]), client);
  const lease = { revision: 0, lease_ms: 600_000, reset: true, key_ids: [], account_ids: [] };
  cache.keys.apply(lease, momentNow());
  const secrets = Array.from({ length: KEYS }, (_, at) => `pm-sk-${String(at).padStart(64, 'x')}`);
  for (const secret of secrets) await cache.find(secret);
  return { cache, secrets };
}

const knownKey = (newId) => ({
  principal: { account_id: newId(), key_id: newId(), scopes: ['*'], account: {} },
  ip_allow_list: ['192.0.2.0/24', '2001:db8::/32'],
  blocked: false,
  last_used_at: null,
  rate_limits: null,
});
