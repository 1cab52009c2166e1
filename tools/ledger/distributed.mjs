// @ts-check
// Postmesh like in production: every service its own process, on a Kafka, a Redis and a PostgreSQL of their own that
// keep their data when they are killed.
import { join } from 'node:path';
import { INNER_SERVICES } from '@postmesh/contracts';
import { startEmbeddedPostgres } from '@postmesh/database';
import { startLocalInternet } from '@postmesh/local-internet';
import { createLogger } from '@postmesh/observability';
import { freePort } from '../free-port.mjs';
import { killPostmaster, lastResort, makeFolder, noLastResort, removeFolder } from '../processes.mjs';
import { startKafka, wipeKafka } from '../real/kafka.mjs';
import { startRedis } from '../real/redis.mjs';
import { stopDaemon } from '../real/daemon.mjs';
import { Fleet, FLEET_OPERATOR_TOKEN, onRealParts } from './fleet.mjs';
import { ask, LEDGER_SETTINGS } from './system.mjs';

/** webhooks is killed, and Kafka loses its data before webhooks is back: it has not consumed the events meanwhile. */
const WIPED = 'kafka-wipe';
const STORES = /** @type {const} */ (['redis', 'kafka']);

/** Services with two processes while processes come and go: each accepted message needs them at once. */
const TWICE = ['messages', 'gateway'];
/** A cluster gives 30 s; the balancer notices a process that shuts down within a part of this. */
const ROLL_SETTINGS = { POSTMESH_DRAIN_SECONDS: '2' };

/**
 * @typedef {object} World
 * @property {number} sinkPort
 * @property {string} [databaseUrl] without one an embedded server is started
 * @property {{ brokers: readonly string[], redisUrl: string }} [stores] existing ones, which are not killed; without
 *   them a Kafka and a Redis are started
 * @property {Readonly<Record<string, string>>} [settings] more, for every service
 * @property {boolean} [isBalanced] services have any number of processes, and some have two from the start
 * @property {boolean} [overTcp] its PostgreSQL is reached by TCP, not by the socket of its folder
 * @property {string} [build] folder of the build that its services run; this one by default
 */

/**
 * @param {World} world
 * @returns {Promise<import('./system.mjs').System>}
 * @throws Error when a part does not start; started parts are stopped
 */
export async function startDistributed(world) {
  const dataDir = makeFolder('ledger');
  /** @type {(() => Promise<unknown>)[]} */
  const stops = [async () => removeFolder(dataDir)];
  const stop = async () => {
    for (const step of stops.splice(0).reverse()) await step();
  };
  try {
    return await startParts({ ...world, dataDir, stops, stop });
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * @param {World & { dataDir: string, stops: (() => Promise<unknown>)[], stop: () => Promise<void> }} about
 * @returns {Promise<import('./system.mjs').System>}
 */
async function startParts({
  sinkPort,
  databaseUrl,
  stores: given,
  settings,
  isBalanced,
  overTcp,
  build,
  dataDir,
  stops,
  stop,
}) {
  const stores = given ? undefined : await startStores(dataDir, stops);
  const url = databaseUrl ?? (await startPostgres(dataDir, stops, overTcp));
  /** @type {{ operator?: string }} */
  const known = {};
  const internet = await startInternet(known, join(dataDir, 'internet'), stops);
  const real = onRealParts({
    databaseUrl: url,
    brokers: given?.brokers ?? [stores?.kafka.env.KAFKA_BROKERS],
    redisUrl: given?.redisUrl ?? stores?.redis.env.REDIS_URL,
    internet: { dnsAddress: internet.dnsAddress, sinkPort },
  });
  const common = {
    ...real,
    POSTMESH_DATA_DIR: join(dataDir, 'services'),
    ...LEDGER_SETTINGS,
    ...(isBalanced ? ROLL_SETTINGS : {}),
    ...settings,
  };
  const fleet = new Fleet(common, build);
  stops.push(() => fleet.stop());
  const ports = await (isBalanced ? startBalanced(fleet) : startSingle(fleet));
  known.operator = `http://127.0.0.1:${ports.operator}`;
  const account = await signUp(known.operator);
  const { submission, mx } = ports;
  const addresses = {
    ...{
      api: `http://127.0.0.1:${ports.api}`,
      operator: known.operator,
      operatorToken: FLEET_OPERATOR_TOKEN,
    },
    ...{ ...account, submission, mx },
  };
  return {
    addresses: () => addresses,
    parts: [...INNER_SERVICES, 'gateway', ...STORES, WIPED],
    acceptsMeanwhile: true,
    async kill(part) {
      if (stores && part in stores) process.kill(stores[part].pid, 'SIGKILL');
      else await fleet.kill(part === WIPED ? 'webhooks' : part, 'SIGKILL');
    },
    async begin(part) {
      if (stores && part === WIPED) {
        process.kill(stores.kafka.pid, 'SIGKILL');
        await stopDaemon(join(dataDir, 'kafka'));
        wipeKafka(join(dataDir, 'kafka'));
        stores.kafka = await startStore('kafka', dataDir);
        await fleet.restart('webhooks');
      } else if (stores && part in stores) stores[part] = await startStore(part, dataDir);
      else await fleet.restart(part);
    },
    stop,
    output: () => fleet.output,
    brokers: real.KAFKA_BROKERS.split(','),
    topicPrefix: real.POSTMESH_KAFKA_TOPIC_PREFIX,
    ports: {
      postgres: Number(new URL(url).port),
      kafka: Number(real.KAFKA_BROKERS.split(':').at(-1)),
      redis: Number(new URL(real.REDIS_URL).port),
    },
    fleet,
  };
}

/** @typedef {{ api: number, operator: number, submission: number, mx: number }} PublicPorts */

/** One process of each service, of the same name. @param {Fleet} fleet @returns {Promise<PublicPorts>} */
async function startSingle(fleet) {
  await fleet.choosePorts([...INNER_SERVICES, 'gateway']);
  await fleet.start('accounts', 'accounts');
  await Promise.all(INNER_SERVICES.slice(1).map((service) => fleet.start(service, service)));
  const ports = {
    ...{ api: await freePort(), operator: await freePort() },
    ...{ submission: await freePort(), mx: await freePort() },
  };
  await fleet.startGateway('gateway', {
    POSTMESH_HTTP_PORT: String(ports.api),
    POSTMESH_OPERATOR_PORT: String(ports.operator),
    POSTMESH_SUBMISSION_PORTS: String(ports.submission),
    POSTMESH_MX_PORT: String(ports.mx),
  });
  return ports;
}

/** @param {Fleet} fleet @returns {Promise<PublicPorts>} */
async function startBalanced(fleet) {
  const services = [...INNER_SERVICES, 'gateway'];
  await fleet.balance(services);
  const start = (service) => fleet.start(fleet.nameOf(service), service);
  // migrations of two processes wait for each other, and a caller waits until the called service is ready
  await Promise.all([...services, ...TWICE].map(start));
  const portOf = (name) => fleet.balancers.get('gateway')?.portOf(name) ?? 0;
  return {
    ...{ api: portOf('api'), operator: portOf('operator') },
    ...{ submission: portOf('submission'), mx: portOf('mx') },
  };
}

const STARTERS = { redis: startRedis, kafka: startKafka };

/** A daemon is no child process: an interrupted run ends it by its pid. */
async function startStore(store, dataDir, how = {}) {
  const dir = join(dataDir, store);
  const started = await STARTERS[store]({ dir, keepData: true, ...how });
  lastResort(dir, () => process.kill(started.pid, 'SIGKILL'));
  return started;
}

/** @param {string} dataDir @param {(() => Promise<unknown>)[]} stops @param {{ host?: string }} [how] `host`: address of Kafka */
export async function startStores(dataDir, stops, how = {}) {
  for (const store of STORES) {
    const dir = join(dataDir, store);
    stops.push(async () => {
      await stopDaemon(dir);
      noLastResort(dir);
    });
  }
  const [redis, kafka] = await Promise.all(
    STORES.map((store) => startStore(store, dataDir, store === 'kafka' ? how : {})),
  );
  return /** @type {{ redis: any, kafka: any }} */ ({ redis, kafka });
}

export async function startPostgres(dataDir, stops, overTcp = false) {
  const folder = join(dataDir, 'postgres');
  const postgres = await startEmbeddedPostgres({ dataDir: folder, logger });
  lastResort(folder, () => killPostmaster(dataDir));
  stops.push(async () => {
    await postgres.stop();
    noLastResort(folder);
  });
  const url = new URL(postgres.url);
  if (overTcp) url.searchParams.delete('host');
  return url.href;
}

/** While the records of domains cannot be read, the last ones are answered, like from a real resolver's cache. */
export async function startInternet(reached, dataDir, stops) {
  /** @type {any} */
  let known = [];
  const recordsSource = async () => {
    const answer = await ask(`${reached.operator}/operator/domains/zone`, {
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

export async function signUp(operator) {
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
