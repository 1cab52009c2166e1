// @ts-check
// Postmesh as the chart installs it: its manifests as processes under network namespaces (tools/cluster), with PostgreSQL, Kafka
// and Redis outside. Needs root on Linux.
import { join } from 'node:path';
import { SERVICES } from '@postmesh/contracts';
import { Cluster, NOT_READY_MS } from '../cluster/cluster.mjs';
import { whyNoCluster } from '../cluster/machine.mjs';
import { NODE, OUTSIDE } from '../cluster/network.mjs';
import { Outside } from '../cluster/outside.mjs';
import { renderChart } from '../cluster/render.mjs';
import { makeFolder, removeFolder, sleep, lastResort, noLastResort, waitUntil } from '../processes.mjs';
import { signUp, startInternet, startPostgres, startStores } from './distributed.mjs';
import { FLEET_OPERATOR_TOKEN, onRealParts } from './fleet.mjs';
import { LEDGER_SETTINGS } from './system.mjs';

const ROOT = join(import.meta.dirname, '..', '..');
const CHART = join(ROOT, 'deploy/helm/postmesh');
const NODES = ['a', 'b'];
/** Without these nothing is accepted. */
const TWICE = new Set(['gateway', 'messages', 'accounts', 'domains']);
const READY_MS = 120_000;
/** The tag of the image that is another build. */
const NEXT = 'next';
const POSTGRES = 5_432;
const REDIS = 6_379;
/** The port of mail hosts: with 25 the zone would have to be one of the internet. */
const MAIL = 2_526;
/** In `onRealParts`, and made by the chart from other values. */
const OF_CHART = new Set([
  ...['DATABASE_URL', 'KAFKA_BROKERS', 'REDIS_URL', 'POSTMESH_SECRET_KEYS'],
  'POSTMESH_TRUSTED_PROXIES',
]);

/**
 * @typedef {object} Release of the cluster, for a roll
 * @property {Cluster} cluster
 * @property {() => Promise<void>} upgrade to the other build
 * @property {() => Promise<number>} test as `helm test`; resolves with the number of tests
 * @property {any[]} manifests
 */

/**
 * @param {import('./distributed.mjs').World & { say: (line: string) => void, next?: string }} world `next`: folder of the other build
 * @returns {Promise<import('./system.mjs').System>}
 * @throws Error when a part does not start; started parts are stopped
 */
export async function startCluster(world) {
  const missing = whyNoCluster();
  if (missing !== undefined) throw new Error(`no cluster can be made on this machine: ${missing}`);
  const dataDir = makeFolder('cluster');
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

/** @param {import('./distributed.mjs').World & { say: (line: string) => void, next?: string, dataDir: string, stops: (() => Promise<unknown>)[], stop: () => Promise<void> }} about */
async function startParts({ sinkPort, settings, say, next, build = ROOT, dataDir, stops, stop }) {
  /** @type {{ operator?: string }} */
  const known = {};
  const outside = new Outside();
  const cluster = new Cluster({
    folder: dataDir,
    buildOf: (image) => (image.endsWith(`:${NEXT}`) && next !== undefined ? next : build),
    secrets: {},
    nodes: NODES,
    say,
  });
  lastResort(cluster, () => cluster.network.close());
  stops.push(async () => {
    outside.close();
    await cluster.close();
    noLastResort(cluster);
  });
  cluster.open();
  const stores = await startStores(dataDir, stops, { host: OUTSIDE });
  const databaseUrl = new URL(await startPostgres(dataDir, stops));
  const internet = await startInternet(known, join(dataDir, 'internet'), stops);
  const broker = Number(stores.kafka.env.KAFKA_BROKERS.split(':')[1]);
  cluster.network.hand(POSTGRES, Number(databaseUrl.port));
  cluster.network.hand(REDIS, Number(new URL(stores.redis.env.REDIS_URL).port));
  cluster.network.hand(broker, broker);
  await outside.forward(MAIL, sinkPort);
  await outside.nameServer(internet.dnsAddress);
  const parts = onRealParts({
    databaseUrl: '',
    brokers: [stores.kafka.env.KAFKA_BROKERS],
    redisUrl: '',
    internet: { dnsAddress: `${OUTSIDE}:53`, sinkPort: MAIL },
  });
  databaseUrl.search = '';
  databaseUrl.host = `${OUTSIDE}:${POSTGRES}`;
  Object.assign(cluster.about.secrets, {
    postmesh: { 'secret-keys': parts.POSTMESH_SECRET_KEYS, 'operator-token': FLEET_OPERATOR_TOKEN },
    parts: { postgres: String(databaseUrl), redis: `redis://${OUTSIDE}:${REDIS}` },
  });
  const own = Object.entries({
    ...parts,
    ...LEDGER_SETTINGS,
    POSTMESH_OUTGOING_HTTP_ALLOW: `${OUTSIDE}/32`,
    ...settings,
  });
  const values = valuesOf(
    parts.KAFKA_BROKERS,
    Object.fromEntries(own.filter(([name]) => !OF_CHART.has(name))),
  );
  const [first, other] = renderChart(CHART, [values, { ...values, image: { tag: NEXT } }]);
  say('the chart is rendered: installing');
  await cluster.apply(first);
  const at = (/** @type {string} */ service, /** @type {number} */ port) =>
    outside.balance(cluster.network.addressOf(`postmesh-${service}`), port);
  const ports = { api: await at('gateway', 8_080), operator: await at('gateway', 8_081) };
  known.operator = `http://127.0.0.1:${ports.operator}`;
  const account = await signUp(known.operator);
  const addresses = {
    ...{
      api: `http://127.0.0.1:${ports.api}`,
      operator: known.operator,
      operatorToken: FLEET_OPERATOR_TOKEN,
    },
    ...{ ...account, submission: await at('smtp', 587), mx: await at('smtp', 25) },
  };
  const [, lostNode = ''] = NODES;
  /** @type {import('../cluster/pod.mjs').Pod[]} */
  let lost = [];
  return {
    addresses: () => addresses,
    parts: ['node'],
    acceptsMeanwhile: true,
    async kill() {
      lost = cluster.lose(lostNode);
      await sleep(NOT_READY_MS);
    },
    async begin() {
      await cluster.replace(lost);
      cluster.uncordon(lostNode);
      // on a busy machine a probe of a pod that stayed may have failed
      await waitUntil(() => cluster.isReady, { limitMs: READY_MS });
    },
    stop,
    output: () => cluster.pods.map(({ log }) => log).join('\n'),
    /** An address of the outside that pods reach. @param {string} url */
    async seenInside(url) {
      const { port } = new URL(url);
      await outside.forward(Number(port), Number(port));
      return `http://${OUTSIDE}:${port}`;
    },
    release: {
      cluster,
      manifests: first,
      upgrade: () => cluster.apply(other),
      test: () => cluster.test(first),
    },
  };
}

/** @param {string} brokers @param {Record<string, string>} settings */
function valuesOf(brokers, settings) {
  const there = [{ ipBlock: { cidr: `${OUTSIDE}/32` } }];
  const port = (/** @type {number} */ number) => ({ port: number, to: there });
  return {
    baseUrl: 'https://mail.postmesh.test',
    serviceZone: 'postmesh.test',
    sendingAddresses: [OUTSIDE],
    settings,
    postgres: { url: { secret: 'parts', key: 'postgres' } },
    redis: { url: { secret: 'parts', key: 'redis' } },
    kafka: { brokers: [brokers] },
    // people who sign up have addresses of their own
    trustedProxies: [`${OUTSIDE}/32`],
    services: Object.fromEntries(
      SERVICES.map((service) => [
        service,
        // nothing measures their use here
        { autoscaling: { by: 'none' }, replicas: TWICE.has(service) ? 2 : 1 },
      ]),
    ),
    networkPolicy: {
      mailPorts: [MAIL],
      httpFrom: there,
      operatorFrom: there,
      metricsFrom: [{ ipBlock: { cidr: `${NODE}/32` } }],
      ...{ postgres: port(POSTGRES), redis: port(REDIS), kafka: port(Number(brokers.split(':')[1])) },
    },
  };
}
