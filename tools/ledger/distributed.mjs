// @ts-check
// Postmesh as production runs it: every service its own process, on a Kafka, a Redis and a PostgreSQL of their own
// that keep their data when they are killed.
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@postmesh/database';
import { startLocalInternet } from '@postmesh/local-internet';
import { createLogger } from '@postmesh/observability';
import { freePort, lastResort, makeFolder, noLastResort, removeFolder } from '../bench/processes.mjs';
import { killPostmaster } from '../bench/stack.mjs';
import { startKafka, wipeKafka } from '../real/kafka.mjs';
import { startRedis } from '../real/redis.mjs';
import { stopDaemon } from '../real/daemon.mjs';
import { Fleet, FLEET_OPERATOR_TOKEN, onRealParts } from './fleet.mjs';
import { ask, LEDGER_SETTINGS } from './system.mjs';

const INNER = [
  'accounts',
  'domains',
  'messages',
  'marketing',
  'webhooks',
  'webhook-dispatcher',
  'delivery-worker',
];
/** Kafka comes back empty, and of what was told meanwhile webhooks have heard nothing. */
const WIPED = 'kafka-wipe';
const STORES = /** @type {const} */ (['redis', 'kafka']);

/**
 * @param {{ sinkPort: number, databaseUrl?: string }} world without a database an embedded one is started
 * @returns {Promise<import('./system.mjs').System>}
 * @throws Error when a part does not start; what was started is stopped
 */
export async function startDistributed({ sinkPort, databaseUrl }) {
  const dataDir = makeFolder('ledger');
  /** @type {(() => Promise<unknown>)[]} */
  const stops = [async () => removeFolder(dataDir)];
  const stop = async () => {
    for (const step of stops.splice(0).reverse()) await step();
  };
  try {
    return await startParts({ sinkPort, databaseUrl, dataDir, stops, stop });
  } catch (error) {
    await stop();
    throw error;
  }
}

/** @returns {Promise<import('./system.mjs').System>} */
async function startParts({ sinkPort, databaseUrl, dataDir, stops, stop }) {
  const stores = await startStores(dataDir, stops);
  const url = databaseUrl ?? (await startPostgres(dataDir, stops));
  const gateway = { api: await freePort(), operator: await freePort() };
  const ports = { submission: await freePort(), mx: await freePort() };
  const operator = `http://127.0.0.1:${gateway.operator}`;
  const internet = await startInternet(operator, join(dataDir, 'internet'), stops);
  const fleet = new Fleet({
    ...onRealParts({
      databaseUrl: url,
      brokers: [stores.kafka.env.KAFKA_BROKERS],
      redisUrl: stores.redis.env.REDIS_URL,
      internet: { dnsAddress: internet.dnsAddress, sinkPort },
    }),
    POSTMESH_DATA_DIR: join(dataDir, 'services'),
    ...LEDGER_SETTINGS,
  });
  stops.push(() => fleet.stop());
  await fleet.choosePorts([...INNER, 'gateway']);
  await fleet.start('accounts', 'accounts');
  await Promise.all(INNER.slice(1).map((service) => fleet.start(service, service)));
  await fleet.startGateway('gateway', {
    POSTMESH_HTTP_PORT: String(gateway.api),
    POSTMESH_OPERATOR_PORT: String(gateway.operator),
    POSTMESH_SUBMISSION_PORTS: String(ports.submission),
    POSTMESH_MX_PORT: String(ports.mx),
  });
  const account = await signUp(operator);
  const api = `http://127.0.0.1:${gateway.api}`;
  const addresses = { api, operator, operatorToken: FLEET_OPERATOR_TOKEN, ...account, ...ports };
  return {
    addresses: () => addresses,
    parts: [...INNER, 'gateway', ...STORES, WIPED],
    goesOn: true,
    async kill(part) {
      if (part in stores) process.kill(stores[part].pid, 'SIGKILL');
      else await fleet.kill(part === WIPED ? 'webhooks' : part, 'SIGKILL');
    },
    async begin(part) {
      if (part === WIPED) {
        process.kill(stores.kafka.pid, 'SIGKILL');
        await stopDaemon(join(dataDir, 'kafka'));
        wipeKafka(join(dataDir, 'kafka'));
        stores.kafka = await startStore('kafka', dataDir);
        await fleet.restart('webhooks');
      } else if (part in stores) stores[part] = await startStore(part, dataDir);
      else await fleet.restart(part);
    },
    stop,
    output: () => fleet.output,
  };
}

const STARTERS = { redis: startRedis, kafka: startKafka };

/** A daemon is no child: whoever is interrupted ends it by its number. */
async function startStore(store, dataDir) {
  const dir = join(dataDir, store);
  const started = await STARTERS[store]({ dir, keepData: true });
  lastResort(dir, () => process.kill(started.pid, 'SIGKILL'));
  return started;
}

async function startStores(dataDir, stops) {
  for (const store of STORES) {
    const dir = join(dataDir, store);
    stops.push(async () => {
      await stopDaemon(dir);
      noLastResort(dir);
    });
  }
  const [redis, kafka] = await Promise.all(STORES.map((store) => startStore(store, dataDir)));
  return /** @type {{ redis: any, kafka: any }} */ ({ redis, kafka });
}

async function startPostgres(dataDir, stops) {
  const folder = join(dataDir, 'postgres');
  const postgres = await startEmbeddedPostgres({ dataDir: folder, logger });
  lastResort(folder, () => killPostmaster(dataDir));
  stops.push(async () => {
    await postgres.stop();
    noLastResort(folder);
  });
  return postgres.url;
}

/** While nobody can say what domains publish, what was said before holds, as it would in a cache of the real one. */
async function startInternet(operator, dataDir, stops) {
  /** @type {any} */
  let known = [];
  const recordsSource = async () => {
    const answer = await ask(`${operator}/operator/domains/zone`, {
      method: 'GET',
      token: FLEET_OPERATOR_TOKEN,
      body: undefined,
      headers: {},
    }).catch(() => undefined);
    if (answer?.status === 200) known = answer.body;
    return known;
  };
  const internet = await startLocalInternet({ mailboxPort: 0, recordsSource, logger, dataDir });
  stops.push(() => internet.stop());
  return internet;
}

async function signUp(operator) {
  const make = async (path, body) => {
    const url = `${operator}/operator/accounts${path}`;
    const answer = await ask(url, { method: 'POST', token: FLEET_OPERATOR_TOKEN, body, headers: {} });
    if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const { id } = await make('/accounts', {
    name: 'Ledger',
    website: 'https://ledger.test',
    owner_email: 'owner@ledger.test',
  });
  const key = await make(`/accounts/${id}/api-keys`, { label: 'Ledger', scopes: ['*'] });
  return { account: id, key: key.secret_key };
}

const logger = createLogger({ logLevel: 'warn' }, 'ledger');
